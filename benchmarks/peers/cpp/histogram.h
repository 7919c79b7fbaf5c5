// Durations in buckets of logarithmic width, the same as peers/go/src/bench/load/histogram.go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

class Histogram {
  public:
    void Add(int64_t nanoseconds) {
        const uint64_t value = nanoseconds < 0 ? 0 : static_cast<uint64_t>(nanoseconds);
        counts_[BucketOf(value)]++;
        total_++;
        max_ = std::max(max_, value);
    }

    // The value that a share of all durations does not exceed.
    double Microseconds(double share) const {
        const auto wanted = std::max<uint64_t>(
            1, static_cast<uint64_t>(share * static_cast<double>(total_) + 0.5));
        uint64_t seen = 0;
        for (size_t bucket = 0; bucket < counts_.size(); bucket++) {
            seen += counts_[bucket];
            if (seen >= wanted && counts_[bucket] > 0) {
                return static_cast<double>(UpperBound(bucket)) / 1000;
            }
        }
        return 0;
    }

    uint64_t total() const { return total_; }
    double MaxMicroseconds() const { return static_cast<double>(max_) / 1000; }

  private:
    static constexpr uint64_t kSubBuckets = 128;

    static size_t BucketOf(uint64_t value) {
        if (value < kSubBuckets) return value;
        const int shift = 64 - __builtin_clzll(value) - 8;
        return (static_cast<size_t>(shift) + 1) * kSubBuckets + (value >> shift) - kSubBuckets;
    }

    static uint64_t UpperBound(size_t bucket) {
        if (bucket < kSubBuckets) return bucket;
        const auto shift = bucket / kSubBuckets - 1;
        return ((bucket % kSubBuckets + kSubBuckets + 1) << shift) - 1;
    }

    std::vector<uint64_t> counts_ = std::vector<uint64_t>(64 * kSubBuckets);
    uint64_t total_ = 0;
    uint64_t max_ = 0;
};
