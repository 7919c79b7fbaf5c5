// The flags of a load generator (benchmarks/README.md).
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *target;
    double connections, in_flight, seconds, warmup, rate, slow_percent, hold;
};

static inline bool is_between(double value, double least, double most) { return value >= least && value <= most; }

static inline bool read_settings(int count, char **arguments, struct settings *settings) {
    *settings = (struct settings){.connections = 1, .in_flight = 1, .seconds = 5, .warmup = 1};
    const struct {
        const char *name;
        double *value;
    } numbers[] = {
        {"--connections", &settings->connections}, {"--in-flight", &settings->in_flight},
        {"--seconds", &settings->seconds},         {"--warmup", &settings->warmup},
        {"--rate", &settings->rate},               {"--slow-percent", &settings->slow_percent},
        {"--hold", &settings->hold},
    };
    const size_t number_count = sizeof numbers / sizeof *numbers;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) return false;
        char *end = NULL;
        size_t number = 0;
        if (strcmp(arguments[i], "--target") == 0) {
            settings->target = arguments[i + 1];
            continue;
        }
        while (number < number_count && strcmp(arguments[i], numbers[number].name) != 0) number++;
        if (number == number_count) return false;
        *numbers[number].value = strtod(arguments[i + 1], &end);
        if (end == arguments[i + 1] || *end) return false;
    }
    return settings->target && is_between(settings->connections, 1, 16384) &&
           is_between(settings->in_flight, 1, 65536) && is_between(settings->seconds, 0.001, 86400) &&
           is_between(settings->warmup, 0, 86400) && is_between(settings->rate, 0, 1e8) &&
           is_between(settings->slow_percent, 0, 100) && is_between(settings->hold, 0, 86400);
}
