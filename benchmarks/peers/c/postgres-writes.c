// The least that a client of PostgreSQL can do for durable writes: libpq, one connection, groups of writes in one
// transaction, pipelined or one statement after the other.
//
// A file has a statement on each line, in which $1 is the number of the write and $2 that of its subject, both bigint.
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STATEMENTS_MAX = 64,
    NUMBER_LENGTH = 24,
    ROUND_TRIPS = 101,
    // The type bigint in pg_type.
    BIGINT = 20,
};

static const char *address, *path;
static double subject_count = 1, group_size = 64, seconds = 2, write_max = 1e12, is_one_by_one;
static PGconn *connection;
static int statement_count;
static int64_t number;
static double processor_seconds;

static void fail(const char *what) {
    fprintf(stderr, "postgres-writes: %s: %s\n", what, connection ? PQerrorMessage(connection) : "");
    exit(1);
}

static double clock_seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void name_of(int statement, char *name) { snprintf(name, NUMBER_LENGTH, "s%d", statement); }

static void require(PGresult *result, const char *what) {
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(what);
    PQclear(result);
}

static void prepare(void) {
    FILE *file = fopen(path, "r");
    char *line = NULL, name[NUMBER_LENGTH];
    size_t size = 0;
    if (!file) fail(path);
    while (getline(&line, &size, file) > 1) {
        if (statement_count == STATEMENTS_MAX) fail("too many statements");
        name_of(statement_count++, name);
        require(PQprepare(connection, name, line, 2, (const Oid[]){BIGINT, BIGINT}), line);
    }
    free(line);
    fclose(file);
}

// The number of a write and that of its subject, as text.
static void next_values(char values[2][NUMBER_LENGTH]) {
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    snprintf(values[0], NUMBER_LENGTH, "%" PRId64, ++number);
    snprintf(values[1], NUMBER_LENGTH, "%" PRIu64, 1 + (state >> 33) % (uint64_t)subject_count);
}

static void write_one_by_one(int count) {
    char name[NUMBER_LENGTH], values[2][NUMBER_LENGTH];
    require(PQexec(connection, "BEGIN"), "BEGIN");
    for (int i = 0; i < count; i++) {
        next_values(values);
        for (int statement = 0; statement < statement_count; statement++) {
            name_of(statement, name);
            require(PQexecPrepared(connection, name, 2, (const char *[]){values[0], values[1]}, NULL, NULL, 1), name);
        }
    }
    require(PQexec(connection, "COMMIT"), "COMMIT");
}

static void take_answers(int count) {
    for (int i = 0; i < count; i++) {
        require(PQgetResult(connection), "a statement");
        if (PQgetResult(connection)) fail("more than one answer");
    }
    PGresult *end = PQgetResult(connection);
    if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) fail("end of a group");
    PQclear(end);
}

static void write_pipelined(int count) {
    char name[NUMBER_LENGTH], values[2][NUMBER_LENGTH];
    bool is_sent = PQsendQueryParams(connection, "BEGIN", 0, NULL, NULL, NULL, NULL, 1);
    for (int i = 0; i < count; i++) {
        next_values(values);
        for (int statement = 0; statement < statement_count; statement++) {
            name_of(statement, name);
            is_sent &= PQsendQueryPrepared(connection, name, 2, (const char *[]){values[0], values[1]}, NULL, NULL, 1);
        }
    }
    is_sent &= PQsendQueryParams(connection, "COMMIT", 0, NULL, NULL, NULL, NULL, 1);
    if (!is_sent || !PQpipelineSync(connection)) fail("send");
    take_answers(count * statement_count + 2);
}

static int compare(const void *first, const void *second) {
    const double difference = *(const double *)first - *(const double *)second;
    return difference < 0 ? -1 : difference > 0;
}

// The median time of a question that needs nothing.
static double round_trip(void) {
    double times[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const double began = clock_seconds(CLOCK_MONOTONIC);
        require(PQexec(connection, "SELECT 1"), "SELECT 1");
        times[i] = clock_seconds(CLOCK_MONOTONIC) - began;
    }
    qsort(times, ROUND_TRIPS, sizeof *times, compare);
    return times[ROUND_TRIPS / 2];
}

static bool read_arguments(int count, char **arguments) {
    const struct {
        const char *name;
        double *value;
    } numbers[] = {
        {"--subjects", &subject_count}, {"--group", &group_size},           {"--seconds", &seconds},
        {"--writes", &write_max},       {"--one-by-one", &is_one_by_one},
    };
    const size_t number_count = sizeof numbers / sizeof *numbers;
    for (int i = 1; i + 1 < count; i += 2) {
        const char *name = arguments[i], *value = arguments[i + 1];
        char *end = NULL;
        size_t found = 0;
        if (strcmp(name, "--address") == 0 || strcmp(name, "--statements") == 0) {
            *(strcmp(name, "--address") == 0 ? &address : &path) = value;
            continue;
        }
        while (found < number_count && strcmp(name, numbers[found].name) != 0) found++;
        if (found == number_count) return false;
        *numbers[found].value = strtod(value, &end);
        if (end == value || *end) return false;
    }
    return count % 2 == 1 && address && path && subject_count >= 1 && group_size >= 1 && group_size <= 1000 &&
           seconds >= 0 && write_max >= 1;
}

static int64_t write_all(double *took) {
    const double began = clock_seconds(CLOCK_MONOTONIC), cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    int64_t written = 0;
    if (is_one_by_one == 0 && !PQenterPipelineMode(connection)) fail("pipeline mode");
    do {
        const double left = write_max - (double)written;
        const int count = (int)(left < group_size ? left : group_size);
        if (is_one_by_one != 0)
            write_one_by_one(count);
        else
            write_pipelined(count);
        written += count;
        *took = clock_seconds(CLOCK_MONOTONIC) - began;
    } while (*took < seconds && (double)written < write_max);
    processor_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return written;
}

int main(int count, char **arguments) {
    if (!read_arguments(count, arguments)) {
        fprintf(stderr, "usage: postgres-writes --address URI --statements FILE [--subjects N] [--group N]\n"
                        "       [--one-by-one 1] [--seconds S] [--writes N]\n");
        return 2;
    }
    connection = PQconnectdb(address);
    if (PQstatus(connection) != CONNECTION_OK) fail("connect");
    prepare();
    // Numbers of one run come after those of another.
    number = (int64_t)(clock_seconds(CLOCK_REALTIME) * 1e6);
    const double trip = round_trip();
    double took = 0;
    const int64_t written = write_all(&took);
    printf("{\"writes\":%" PRId64 ",\"statements\":%d,\"seconds\":%.3f,\"rate\":%.1f,\"round_trip_us\":%.1f,"
           "\"client_us_per_write\":%.2f}\n",
           written, statement_count, took, (double)written / took, trip * 1e6,
           processor_seconds / (double)written * 1e6);
    PQfinish(connection);
    return 0;
}
