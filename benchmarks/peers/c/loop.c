#define _GNU_SOURCE
#include "loop.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "address.h"

enum { EVENTS_MAX = 64 };

struct connection {
    int descriptor;
    void *state;
    // The beginning of a request whose end has not arrived, or requests that wait until there is room for answers.
    uint8_t *rest;
    size_t rest_count;
    // Answers that the socket did not take. As long as there are any, nothing is read.
    uint8_t *unsent;
    size_t unsent_count, unsent_sent;
    bool is_last;
};

char http_date[DATE_LENGTH + 1];
static const struct protocol *protocol;
static int poller, connection_count;
static struct output output;

static bool would_wait(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static void end_program(const char *what) {
    fprintf(stderr, "%s: %s: %s\n", protocol->name, what, strerror(errno));
    exit(1);
}

static void update_date(void) {
    static time_t shown;
    const time_t now = time(NULL);
    struct tm parts;
    if (now == shown || !gmtime_r(&now, &parts)) return;
    shown = now;
    strftime(http_date, sizeof http_date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
}

static void watch(struct connection *connection, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(poller, operation, connection->descriptor, &event) != 0) end_program("epoll_ctl");
}

static void close_connection(struct connection *connection) {
    if (protocol->end && connection->state) protocol->end(connection->state);
    close(connection->descriptor);
    free(connection->rest);
    free(connection->unsent);
    free(connection);
    connection_count--;
}

// Copies bytes that have to wait; false without memory.
static bool keep(uint8_t **kept, size_t *kept_count, const uint8_t *bytes, size_t count) {
    *kept_count = count;
    if (count == 0) return true;
    *kept = malloc(count);
    if (*kept) memcpy(*kept, bytes, count);
    return *kept != NULL;
}

// Sends the output, and keeps what the socket does not take; false when the connection has failed.
static bool send_output(struct connection *connection) {
    ssize_t sent = send(connection->descriptor, output.bytes, output.count, MSG_NOSIGNAL);
    if (sent < 0 && !would_wait()) return false;
    if (sent < 0) sent = 0;
    if ((size_t)sent == output.count) return true;
    watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
    return keep(&connection->unsent, &connection->unsent_count, output.bytes + sent, output.count - (size_t)sent);
}

// Answers what can be answered of the input, and keeps the rest; false when the connection is over.
static bool answer(struct connection *connection, const uint8_t *input, size_t count) {
    bool is_full = true;
    while (is_full && !connection->unsent) {
        output.count = 0;
        output.is_last = false;
        const ptrdiff_t taken = protocol->serve(connection->state, input, count, &output);
        if (taken < 0) return false;
        input += taken;
        count -= (size_t)taken;
        is_full = room(&output) < ROOM_MIN;
        if (output.count > 0 && !send_output(connection)) return false;
        connection->is_last = output.is_last;
        if (output.is_last) return connection->unsent != NULL;
    }
    return keep(&connection->rest, &connection->rest_count, input, count);
}

// Moves the rest of the last turn to where input goes; returns its length.
static size_t take_rest(struct connection *connection, uint8_t *input) {
    const size_t count = connection->rest_count;
    if (count == 0) return 0;
    memcpy(input, connection->rest, count);
    free(connection->rest);
    connection->rest = NULL;
    connection->rest_count = 0;
    return count;
}

// Both return false when the connection is over. Input that is full with the beginning of a request is too long;
// reading into no room returns zero like the end of the stream.
static bool is_readable(struct connection *connection, uint8_t *input) {
    const size_t kept = connection->rest_count;
    const ssize_t received = recv(connection->descriptor, input + kept, INPUT_MAX - kept, 0);
    if (received < 0) return would_wait();
    if (received == 0) return false;
    return answer(connection, input, take_rest(connection, input) + (size_t)received);
}

static bool is_writable(struct connection *connection, uint8_t *input) {
    const ssize_t sent = send(connection->descriptor, connection->unsent + connection->unsent_sent,
                              connection->unsent_count - connection->unsent_sent, MSG_NOSIGNAL);
    if (sent < 0) return would_wait();
    connection->unsent_sent += (size_t)sent;
    if (connection->unsent_sent < connection->unsent_count) return true;
    free(connection->unsent);
    connection->unsent = NULL;
    connection->unsent_count = connection->unsent_sent = 0;
    if (connection->is_last) return false;
    watch(connection, EPOLL_CTL_MOD, EPOLLIN);
    return answer(connection, input, take_rest(connection, input));
}

static void accept_one(int listener) {
    const int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
        if (!would_wait() && errno != ECONNABORTED) end_program("accept");
        return;
    }
    const int on = 1;
    struct connection *connection = connection_count < CONNECTIONS_MAX ? calloc(1, sizeof *connection) : NULL;
    if (!connection || setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        free(connection);
        close(descriptor);
        return;
    }
    connection_count++;
    connection->descriptor = descriptor;
    if (protocol->begin && !(connection->state = protocol->begin())) {
        close_connection(connection);
        return;
    }
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
}

// A listening socket; prints its address.
static int listen_at(const char *text) {
    struct address address;
    if (!read_address(text, &address) || address.value.any.sa_family != AF_INET) {
        errno = EINVAL;
        end_program(text);
    }
    const int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener, &address.value.any, address.size) != 0 || listen(listener, 1024) != 0 ||
        getsockname(listener, &address.value.any, &address.size) != 0)
        end_program(text);
    char host[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address.value.ip.sin_addr, host, sizeof host);
    printf("listening %s:%d\n", host, ntohs(address.value.ip.sin_port));
    fflush(stdout);
    return listener;
}

int run_server(const struct protocol *served, int count, char **arguments) {
    protocol = served;
    if (count != 1 && (count != 3 || strcmp(arguments[1], "--listen") != 0)) {
        fprintf(stderr, "usage: %s [--listen HOST:PORT]\n", protocol->name);
        return 2;
    }
    if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0) end_program("epoll_create1");
    const int listener = listen_at(count == 3 ? arguments[2] : "127.0.0.1:0");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) != 0) end_program("epoll_ctl");
    static uint8_t input[INPUT_MAX];
    struct epoll_event events[EVENTS_MAX];
    for (;;) {
        const int ready = epoll_wait(poller, events, EVENTS_MAX, -1);
        if (ready < 0 && errno != EINTR) end_program("epoll_wait");
        update_date();
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection)
                accept_one(listener);
            else if (connection->unsent ? !is_writable(connection, input) : !is_readable(connection, input))
                close_connection(connection);
        }
    }
}
