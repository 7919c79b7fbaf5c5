// A connection of the load generator for frames, with its calls in flight.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "address.h"

struct call {
    int64_t intended;
    uint32_t number;
    bool is_open, is_slow;
};

// What the connections of a run share.
struct shared {
    int poller;
    uint32_t in_flight_max;
    // Calls from the oldest in flight to the newest at most, a power of two.
    uint32_t window;
    // Hears of every answer, with the time at which it was read.
    void (*finished)(const struct call *call, int64_t time, bool is_right);
};

// The frames of call N, counted from zero, have the stream 2 N + 1; N modulo the window is its place.
struct connection {
    const struct shared *shared;
    int descriptor;
    uint32_t next, in_flight;
    struct call *calls;
    uint8_t *input, *output;
    size_t input_count, output_count, sent_count;
    bool waits_for_room;
};

int64_t now(void);

// Says why on standard error, and ends the program.
_Noreturn void fail(const char *what);

// Connects and makes a first call, which `finished` hears of.
void open_connection(struct connection *connection, const struct shared *shared, const struct address *address);

bool has_room(const struct connection *connection);

// Writes a request behind the others; there is room. `flush` sends them together.
void start_call(struct connection *connection, int64_t intended, bool is_slow);

// Sends what the socket takes; the rest follows when it is writable.
void flush(struct connection *connection);

// Reads once, and as many answers as are whole.
void receive(struct connection *connection);
