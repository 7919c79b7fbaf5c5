// Durations in buckets of logarithmic width, the same as peers/cpp/histogram.h and its fellow in Go.
#pragma once

#include <stdint.h>

enum { SUB_BUCKETS = 128 };

struct histogram {
    uint64_t counts[64 * SUB_BUCKETS], total, max;
};

static inline void histogram_add(struct histogram *histogram, int64_t nanoseconds) {
    const uint64_t value = nanoseconds < 0 ? 0 : (uint64_t)nanoseconds;
    uint64_t bucket = value;
    if (value >= SUB_BUCKETS) {
        const unsigned shift = 64 - (unsigned)__builtin_clzll(value) - 8;
        bucket = (shift + 1ULL) * SUB_BUCKETS + (value >> shift) - SUB_BUCKETS;
    }
    histogram->counts[bucket]++;
    histogram->total++;
    if (value > histogram->max) histogram->max = value;
}

// The most that the durations of a bucket take.
static inline uint64_t histogram_bound(uint64_t bucket) {
    if (bucket < SUB_BUCKETS) return bucket;
    return ((bucket % SUB_BUCKETS + SUB_BUCKETS + 1) << (bucket / SUB_BUCKETS - 1)) - 1;
}

// The value that a share of all durations does not exceed.
static inline double histogram_microseconds(const struct histogram *histogram, double share) {
    const uint64_t wanted = (uint64_t)(share * (double)histogram->total + 0.5);
    uint64_t seen = 0;
    for (uint64_t bucket = 0; bucket < 64 * SUB_BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (histogram->counts[bucket] > 0 && seen >= wanted) return (double)histogram_bound(bucket) / 1000;
    }
    return 0;
}
