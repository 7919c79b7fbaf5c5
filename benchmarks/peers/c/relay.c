// A relay that holds back what it passes on, in both directions, as a network does, and counts round trips.
//
// A round trip begins when the client's side sends again after an answer has come. Each connection has its own count;
// SIGUSR1 has all of them printed, in the order in which connections were made.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "address.h"

enum {
    // More are closed as they arrive; those that have ended keep their place, because they are counted.
    CONNECTIONS_MAX = 4096,
    READ_MAX = 64 << 10,
    // What waits in one direction; a sender that is faster waits.
    WAITING_MAX = 4 << 20,
};
static const int64_t second = 1000000000;

// Bytes that are passed on at a time.
struct chunk {
    struct chunk *next;
    int64_t due;
    size_t count, sent;
    uint8_t bytes[];
};

// What one side sends to the other.
struct direction {
    struct chunk *first, *last;
    size_t waiting;
    // The sender sends no more, and the receiver has been informed.
    bool is_ended, is_passed_on;
    // The receiver has no room.
    bool is_full;
};

struct connection {
    // The client and the server; -1 after the end.
    int sockets[2];
    // From the client and from the server.
    struct direction from[2];
    bool is_answered;
    uint64_t round_trips;
};

static struct connection connections[CONNECTIONS_MAX];
static size_t connection_count;
static int listener;
static struct address target;
static int64_t delay;
static volatile sig_atomic_t is_report_wanted;

static void want_report(int signal_number) {
    (void)signal_number;
    is_report_wanted = 1;
}

static void fail(const char *what) {
    fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * second + time.tv_nsec;
}

static void report(void) {
    is_report_wanted = 0;
    printf("{\"round_trips\":[");
    for (size_t i = 0; i < connection_count; i++) printf("%s%lu", i > 0 ? "," : "", connections[i].round_trips);
    printf("]}\n");
    fflush(stdout);
}

static void begin(void) {
    const int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = socket(target.value.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection_count == CONNECTIONS_MAX || server < 0 || connect(server, &target.value.any, target.size) != 0) {
        close(client);
        if (server >= 0) close(server);
        return;
    }
    connections[connection_count++] = (struct connection){.sockets = {client, server}, .is_answered = true};
}

static void end(struct connection *connection) {
    for (int side = 0; side < 2; side++) {
        close(connection->sockets[side]);
        connection->sockets[side] = -1;
        for (struct chunk *chunk = connection->from[side].first, *next; chunk; chunk = next) {
            next = chunk->next;
            free(chunk);
        }
    }
}

static void count_round_trip(struct connection *connection, int side) {
    if (side == 0 && connection->is_answered) connection->round_trips++;
    connection->is_answered = side == 1;
}

// Reads what a side has sent; false when the connection is of no use any longer.
static bool receive(struct connection *connection, int side) {
    struct direction *direction = &connection->from[side];
    struct chunk *chunk = malloc(sizeof *chunk + READ_MAX);
    if (!chunk) fail("memory");
    const ssize_t count = recv(connection->sockets[side], chunk->bytes, READ_MAX, MSG_DONTWAIT);
    if (count <= 0) {
        const bool is_alive = count == 0 || errno == EAGAIN || errno == EINTR;
        free(chunk);
        if (count == 0) direction->is_ended = true;
        return is_alive;
    }
    count_round_trip(connection, side);
    chunk->next = NULL;
    chunk->due = now() + delay;
    chunk->count = (size_t)count;
    chunk->sent = 0;
    if (direction->last)
        direction->last->next = chunk;
    else
        direction->first = chunk;
    direction->last = chunk;
    direction->waiting += chunk->count;
    return true;
}

// Passes on what is due from a side; false when the connection is of no use any longer.
static bool pass_on(struct connection *connection, int side, int64_t time) {
    struct direction *direction = &connection->from[side];
    const int receiver = connection->sockets[1 - side];
    direction->is_full = false;
    while (direction->first && direction->first->due <= time) {
        struct chunk *chunk = direction->first;
        const ssize_t count =
            send(receiver, chunk->bytes + chunk->sent, chunk->count - chunk->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (count > 0) chunk->sent += (size_t)count;
        if (chunk->sent < chunk->count) {
            direction->is_full = true;
            return true;
        }
        direction->waiting -= chunk->count;
        direction->first = chunk->next;
        if (!direction->first) direction->last = NULL;
        free(chunk);
    }
    if (direction->is_ended && !direction->first && !direction->is_passed_on) {
        shutdown(receiver, SHUT_WR);
        direction->is_passed_on = true;
    }
    return true;
}

static short events_of(const struct connection *connection, int side) {
    const struct direction *from = &connection->from[side], *to = &connection->from[1 - side];
    const bool reads = !from->is_ended && from->waiting < WAITING_MAX;
    return (short)((reads ? POLLIN : 0) | (to->is_full ? POLLOUT : 0));
}

// When something is to be passed on next.
static int64_t next_due(void) {
    int64_t due = INT64_MAX;
    for (size_t i = 0; i < connection_count; i++) {
        for (int side = 0; side < 2; side++) {
            const struct direction *direction = &connections[i].from[side];
            const bool waits = connections[i].sockets[0] >= 0 && direction->first && !direction->is_full;
            if (waits && direction->first->due < due) due = direction->first->due;
        }
    }
    return due;
}

static void wait_for_events(struct pollfd *polled) {
    const int64_t due = next_due(), time = now(), length = due > time ? due - time : 0;
    const struct timespec pause = {.tv_sec = length / second, .tv_nsec = length % second};
    polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (size_t i = 0; i < connection_count; i++) {
        for (int side = 0; side < 2; side++) {
            const bool is_open = connections[i].sockets[0] >= 0;
            const short events = is_open ? events_of(&connections[i], side) : 0;
            // Without events it would be reported all the same when the other side has hung up.
            polled[1 + 2 * i + (size_t)side] =
                (struct pollfd){.fd = events ? connections[i].sockets[side] : -1, .events = events};
        }
    }
    if (ppoll(polled, 1 + 2 * connection_count, due == INT64_MAX ? NULL : &pause, NULL) < 0 && errno != EINTR)
        fail("ppoll");
}

static void serve(struct connection *connection, const struct pollfd *polled) {
    bool is_alive = true;
    for (int side = 0; side < 2 && is_alive; side++) {
        if (polled[side].revents & (POLLIN | POLLHUP | POLLERR)) is_alive = receive(connection, side);
    }
    for (int side = 0; side < 2 && is_alive; side++) is_alive = pass_on(connection, side, now());
    if (!is_alive || (connection->from[0].is_passed_on && connection->from[1].is_passed_on)) end(connection);
}

static void run(void) {
    static struct pollfd polled[1 + 2 * CONNECTIONS_MAX];
    while (true) {
        const size_t polled_count = connection_count;
        wait_for_events(polled);
        if (is_report_wanted) report();
        for (size_t i = 0; i < polled_count; i++) {
            if (connections[i].sockets[0] >= 0) serve(&connections[i], &polled[1 + 2 * i]);
        }
        if (polled[0].revents & POLLIN) begin();
    }
}

static bool read_arguments(int count, char **arguments, struct address *own) {
    bool has_own = false, has_target = false;
    double round_trip = 1000;
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = arguments[i], *value = arguments[i + 1];
        char *end_of_number = NULL;
        if (strcmp(name, "--listen") == 0) {
            has_own = read_address(value, own);
        } else if (strcmp(name, "--target") == 0) {
            has_target = read_address(value, &target);
        } else if (strcmp(name, "--round-trip-us") == 0) {
            round_trip = strtod(value, &end_of_number);
            if (end_of_number == value || *end_of_number) return false;
        } else {
            return false;
        }
    }
    delay = (int64_t)(round_trip * 1000 / 2);
    return count % 2 == 1 && has_own && has_target && round_trip >= 0 && round_trip <= 1e6;
}

int main(int count, char **arguments) {
    struct address own;
    if (!read_arguments(count, arguments, &own)) {
        fprintf(stderr, "usage: relay --listen ADDRESS --target ADDRESS [--round-trip-us N]\n"
                        "Half of the round trip's time is added in each direction (1000).\n");
        return 2;
    }
    // Timers to the nanosecond and not to fifty microseconds.
    prctl(PR_SET_TIMERSLACK, 1UL);
    const struct sigaction action = {.sa_handler = want_report};
    sigaction(SIGUSR1, &action, NULL);
    listener = socket(own.value.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, &own.value.any, own.size) != 0 || listen(listener, 128) != 0) fail("listen");
    printf("listening\n");
    fflush(stdout);
    run();
}
