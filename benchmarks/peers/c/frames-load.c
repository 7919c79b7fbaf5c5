// A load generator for servers of frames: one thread, one epoll, a closed or an open loop. Flags and output are
// described in benchmarks/README.md and are those of the clients in Go.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "frames-connection.h"
#include "histogram.h"
#include "settings.h"

enum {
    EVENTS_MAX = 64,
    // Of calls that are slow or not: many fast ones pass a slow one.
    WINDOW_WITH_SLOW = 1 << 16,
};
static const int64_t second = 1000000000;
// So long calls are followed after the end of the time.
static const int64_t drain_limit = 2 * second;

static struct settings settings;
static struct shared shared;
static struct connection *connections;
static int connection_count;
static struct histogram latencies;
static uint64_t slow_count, error_count, finished_count, started_count;
// Of an open loop: calls that were due in the measured time.
static uint64_t due_count;
static int64_t started, measured_from, ended;
static double processor_seconds;

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool next_is_slow(void) {
    static uint64_t state = 1;
    if (settings.slow_percent == 0) return false;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 33) / (double)(1U << 31) * 100 < settings.slow_percent;
}

// A server that answers wrongly must not win.
static void finish_first(const struct call *call, int64_t time, bool is_right) {
    (void)call, (void)time;
    errno = 0;
    if (!is_right) fail("the first answer is wrong");
}

// An open loop measures every call that was due in time, however late it ended; a closed loop, the calls that ended
// in time.
static void finish(const struct call *call, int64_t time, bool is_right) {
    finished_count++;
    if (call->intended < measured_from || (settings.rate > 0 ? call->intended : time) > ended) return;
    if (!is_right)
        error_count++;
    else if (call->is_slow)
        slow_count++;
    else
        histogram_add(&latencies, time - call->intended);
}

static void start(struct connection *connection, int64_t intended) {
    start_call(connection, intended, next_is_slow());
    started_count++;
    if (intended >= measured_from) due_count++;
}

// A closed loop: as many calls as may be in flight.
static void fill(struct connection *connection) {
    const int64_t time = now();
    if (time >= ended) return;
    while (has_room(connection)) start(connection, time);
}

static int64_t arrival(uint64_t number) { return started + (int64_t)((double)number / settings.rate * 1e9); }

static bool has_arrivals(void) { return settings.rate > 0 && arrival(started_count) < ended; }

// An open loop: starts the calls that are due, on the connections by turns. Those without room wait, and the time
// that they wait is part of their latency.
static void start_arrivals(void) {
    static int turn;
    const int64_t time = now();
    int full_count = 0;
    while (full_count < connection_count && has_arrivals() && arrival(started_count) <= time) {
        struct connection *connection = &connections[turn];
        turn = (turn + 1) % connection_count;
        full_count = has_room(connection) ? 0 : full_count + 1;
        if (full_count == 0) start(connection, arrival(started_count));
    }
}

// Nanoseconds for which there is nothing to do but wait for events. Waiting awake for arrivals would cost more than it
// gains as soon as anything else runs on this core: the scheduler prefers those that sleep.
static int64_t pause_length(void) {
    const int64_t time = now(), next = settings.rate > 0 ? arrival(started_count) : ended;
    return next < ended && next > time ? next - time : second / 100;
}

static void wait_for_events(void) {
    const int64_t length = pause_length();
    const struct timespec pause = {.tv_sec = length / second, .tv_nsec = length % second};
    struct epoll_event events[EVENTS_MAX];
    const int ready = epoll_pwait2(shared.poller, events, EVENTS_MAX, &pause, NULL);
    if (ready < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < ready; i++) {
        struct connection *connection = events[i].data.ptr;
        if (events[i].events & ~(uint32_t)EPOLLOUT) receive(connection);
        if (settings.rate == 0) fill(connection);
        flush(connection);
    }
}

// Notes the processor time at both ends of the measured time.
static void note_processor_time(int64_t time) {
    static double at_start, at_end;
    if (time >= measured_from && at_start == 0) at_start = processor_time();
    if (time >= ended && at_end == 0) at_end = processor_time();
    processor_seconds = at_end - at_start;
}

static void run(void) {
    started = now();
    measured_from = started + (int64_t)(settings.warmup * 1e9);
    ended = measured_from + (int64_t)(settings.seconds * 1e9);
    for (int i = 0; settings.rate == 0 && i < connection_count; i++) {
        fill(&connections[i]);
        flush(&connections[i]);
    }
    for (int64_t time = started; time < ended + drain_limit; time = now()) {
        note_processor_time(time);
        if (time >= ended && started_count == finished_count && !has_arrivals()) break;
        if (settings.rate > 0) {
            start_arrivals();
            for (int i = 0; i < connection_count; i++) flush(&connections[i]);
        }
        wait_for_events();
    }
}

// Calls that were due and got no answer, sent or not, are errors of an open loop.
static void count_unanswered(void) {
    if (settings.rate == 0) return;
    for (; has_arrivals(); started_count++) due_count += arrival(started_count) >= measured_from;
    error_count = due_count - latencies.total - slow_count;
}

static void connect_all(const struct address *address) {
    shared = (struct shared){epoll_create1(EPOLL_CLOEXEC), (uint32_t)settings.in_flight, 4, finish_first};
    const uint32_t wanted = settings.slow_percent > 0 ? WINDOW_WITH_SLOW : 1;
    while (shared.window < wanted || shared.window < 4 * shared.in_flight_max) shared.window *= 2;
    connection_count = (int)settings.connections;
    connections = calloc((size_t)connection_count, sizeof *connections);
    if (shared.poller < 0 || !connections) fail("start");
    for (int i = 0; i < connection_count; i++) open_connection(&connections[i], &shared, address);
    shared.finished = finish;
}

static void report(void) {
    const uint64_t calls = latencies.total + slow_count, measured = calls + error_count;
    printf("{\"client\":\"frames-load\",\"connections\":%d,\"in_flight\":%u,\"rate_wanted\":%g,\"slow_percent\":%g,"
           "\"calls\":%lu,\"errors\":%lu,\"calls_total\":%lu,\"seconds\":%g,\"rate\":%.1f,"
           "\"client_cpu_us_per_call\":%.3f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f}\n",
           connection_count, shared.in_flight_max, settings.rate, settings.slow_percent, calls, error_count,
           finished_count + (uint64_t)connection_count, settings.seconds, (double)calls / settings.seconds,
           measured > 0 ? processor_seconds / (double)measured * 1e6 : 0, histogram_microseconds(&latencies, 0.5),
           histogram_microseconds(&latencies, 0.99), histogram_microseconds(&latencies, 0.999),
           (double)latencies.max / 1000);
}

int main(int count, char **arguments) {
    struct address address;
    if (!read_settings(count, arguments, &settings) || !read_address(settings.target, &address)) {
        fprintf(stderr, "usage: frames-load --target ADDRESS [--connections C] [--in-flight N] [--seconds S]\n"
                        "       [--warmup S] [--rate R] [--slow-percent P] [--hold S]\n");
        return 2;
    }
    // Timers to the nanosecond and not to fifty microseconds.
    prctl(PR_SET_TIMERSLACK, 1UL);
    connect_all(&address);
    if (settings.hold > 0) {
        printf("holding\n");
        fflush(stdout);
        sleep((unsigned)(settings.hold + 0.999));
        return 0;
    }
    run();
    count_unanswered();
    report();
    return 0;
}
