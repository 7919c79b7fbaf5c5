// What the floors share: one thread with one epoll, which reads, lets a protocol answer, and writes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    // What one turn of a connection reads; a longer request ends its connection.
    INPUT_MAX = 64 << 10,
    // What one turn answers, and so the most that a connection keeps for a slow reader.
    OUTPUT_MAX = 256 << 10,
    // A protocol goes on as long as there is so much room: a frame of HTTP/2 fits.
    ROOM_MIN = 32 << 10,
    // More are closed as they arrive.
    CONNECTIONS_MAX = 8192,
    DATE_LENGTH = 29,
};

// The answers of a turn.
struct output {
    size_t count;
    // The connection ends after these.
    bool is_last;
    uint8_t bytes[OUTPUT_MAX];
};

static inline size_t room(const struct output *output) { return OUTPUT_MAX - output->count; }

// The caller has looked for room.
static inline void append(struct output *output, const void *bytes, size_t count) {
    memcpy(output->bytes + output->count, bytes, count);
    output->count += count;
}

struct protocol {
    const char *name;
    // Makes a connection's state; NULL ends the connection. May be NULL itself, with `end`, if there is none.
    void *(*begin)(void);
    // Answers the whole requests at the beginning of the input until ROOM_MIN is no longer left. Returns how many
    // bytes it has taken, or -1 to end the connection.
    ptrdiff_t (*serve)(void *state, const uint8_t *input, size_t count, struct output *output);
    void (*end)(void *state);
};

// The date as HTTP writes it, right to the second.
extern char http_date[DATE_LENGTH + 1];

// Runs a server with the arguments of `main` until a signal ends it; returns only if it cannot start.
int run_server(const struct protocol *protocol, int count, char **arguments);
