package load

import (
	"math/bits"
	"time"
)

// subBuckets divides each power of two, which keeps the error of a percentile under 0.8 %.
const subBuckets = 128

// histogram counts durations in buckets of logarithmic width; exact below 128 ns.
type histogram struct {
	counts [64 * subBuckets]uint64
	total  uint64
	max    time.Duration
}

func bucketOf(nanoseconds uint64) int {
	if nanoseconds < subBuckets {
		return int(nanoseconds)
	}
	shift := bits.Len64(nanoseconds) - 8
	return (shift+1)*subBuckets + int(nanoseconds>>uint(shift)) - subBuckets
}

// upperBound is the largest value that falls into a bucket.
func upperBound(bucket int) uint64 {
	if bucket < subBuckets {
		return uint64(bucket)
	}
	shift := uint(bucket/subBuckets - 1)
	return (uint64(bucket%subBuckets+subBuckets+1) << shift) - 1
}

func (h *histogram) add(duration time.Duration) {
	if duration < 0 {
		duration = 0
	}
	h.counts[bucketOf(uint64(duration))]++
	h.total++
	if duration > h.max {
		h.max = duration
	}
}

func (h *histogram) merge(other *histogram) {
	for i, count := range other.counts {
		h.counts[i] += count
	}
	h.total += other.total
	if other.max > h.max {
		h.max = other.max
	}
}

// microseconds returns the value that a share of all durations does not exceed.
func (h *histogram) microseconds(share float64) float64 {
	wanted := uint64(share*float64(h.total) + 0.5)
	if wanted == 0 {
		wanted = 1
	}
	var seen uint64
	for bucket, count := range h.counts {
		seen += count
		if seen >= wanted && count > 0 {
			return float64(upperBound(bucket)) / 1000
		}
	}
	return 0
}
