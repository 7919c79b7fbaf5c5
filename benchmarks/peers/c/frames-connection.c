#define _GNU_SOURCE
#include "frames-connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"

enum { INPUT_MAX = 64 << 10 };

// For the first answer.
static const struct timeval first_answer_timeout = {.tv_sec = 10};

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

_Noreturn void fail(const char *what) {
    fprintf(stderr, errno ? "frames-load: %s: %s\n" : "frames-load: %s\n", what, strerror(errno));
    exit(1);
}

static _Noreturn void fail_by_server(const char *what) {
    errno = 0;
    fail(what);
}

static struct call *place(const struct connection *connection, uint32_t number) {
    return &connection->calls[number & (connection->shared->window - 1)];
}

static size_t output_max(const struct connection *connection) {
    return (size_t)connection->shared->in_flight_max * REQUEST_MAX;
}

static void watch(struct connection *connection, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(connection->shared->poller, operation, connection->descriptor, &event) != 0) fail("epoll_ctl");
}

bool has_room(const struct connection *connection) {
    return connection->in_flight < connection->shared->in_flight_max && !place(connection, connection->next)->is_open;
}

void start_call(struct connection *connection, int64_t intended, bool is_slow) {
    if (connection->next == UINT32_MAX / 2) fail_by_server("a connection has no streams left");
    struct call *call = place(connection, connection->next);
    *call = (struct call){intended, connection->next++, true, is_slow};
    // What is not sent belongs to calls in flight, so there is room for one more once the rest is at the front.
    if (output_max(connection) - connection->output_count < REQUEST_MAX) {
        connection->output_count -= connection->sent_count;
        memmove(connection->output, connection->output + connection->sent_count, connection->output_count);
        connection->sent_count = 0;
    }
    uint8_t *frame = connection->output + connection->output_count;
    connection->output_count += write_request(frame, is_slow);
    write_big_endian(frame + 4, call->number * 2 + 1);
    connection->in_flight++;
}

void flush(struct connection *connection) {
    const size_t left = connection->output_count - connection->sent_count;
    if (left == 0) return;
    const ssize_t sent =
        send(connection->descriptor, connection->output + connection->sent_count, left, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) fail("send");
    if (sent > 0) connection->sent_count += (size_t)sent;
    if (connection->sent_count == connection->output_count) connection->sent_count = connection->output_count = 0;
    if (connection->waits_for_room == (connection->output_count > 0)) return;
    connection->waits_for_room = connection->output_count > 0;
    watch(connection, EPOLL_CTL_MOD, connection->waits_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void read_answer(struct connection *connection, const uint8_t *frame, size_t length, int64_t time) {
    // Other types are extensions, which nobody asked for.
    if (frame[8] != RESPONSE) return;
    const uint32_t stream = big_endian(frame + 4), number = stream / 2;
    struct call *call = place(connection, number);
    if (stream % 2 == 0 || !call->is_open || call->number != number) fail_by_server("an answer to no call");
    call->is_open = false;
    connection->in_flight--;
    connection->shared->finished(call, time, is_right_answer(frame + HEADER, length));
}

void receive(struct connection *connection) {
    const ssize_t received = recv(connection->descriptor, connection->input + connection->input_count,
                                  INPUT_MAX - connection->input_count, 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (received < 0) fail("recv");
    if (received == 0) fail_by_server("the server has closed the connection");
    const int64_t time = now();
    connection->input_count += (size_t)received;
    size_t taken = 0;
    while (connection->input_count - taken >= HEADER) {
        const uint8_t *frame = connection->input + taken;
        const size_t length = big_endian(frame);
        if (length > INPUT_MAX - HEADER) fail_by_server("an answer is too long");
        if (connection->input_count - taken - HEADER < length) break;
        read_answer(connection, frame, length, time);
        taken += HEADER + length;
    }
    connection->input_count -= taken;
    memmove(connection->input, connection->input + taken, connection->input_count);
}

static void connect_socket(struct connection *connection, const struct address *address) {
    const int on = 1, family = address->value.any.sa_family;
    connection->descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0 ||
        connect(connection->descriptor, &address->value.any, address->size) != 0 ||
        setsockopt(connection->descriptor, SOL_SOCKET, SO_RCVTIMEO, &first_answer_timeout,
                   sizeof first_answer_timeout) != 0 ||
        (family == AF_INET && setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0))
        fail("connect");
}

void open_connection(struct connection *connection, const struct shared *shared, const struct address *address) {
    connection->shared = shared;
    connection->calls = calloc(shared->window, sizeof *connection->calls);
    connection->input = malloc(INPUT_MAX);
    connection->output = malloc(output_max(connection));
    if (!connection->calls || !connection->input || !connection->output) fail("memory");
    connect_socket(connection, address);
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    const int64_t began = now();
    start_call(connection, began, false);
    for (flush(connection); connection->in_flight > 0; receive(connection))
        if (now() - began > first_answer_timeout.tv_sec * 1000000000LL) fail_by_server("no answer");
    if (fcntl(connection->descriptor, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
}
