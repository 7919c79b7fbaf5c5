import RPCKit
import Testing

@Suite struct LatencyHistogramTests {
  /// Values spread evenly over the powers of two, from 1 ns to 1 h.
  private func values(seed: UInt64, count: Int) -> [Int64] {
    var random = SeededRandom(seed)
    return (0..<count).map { _ in
      let bits = UInt64.random(in: 0...41, using: &random)
      return min(
        Int64.random(in: (1 << Int64(bits))..<(2 << Int64(bits)), using: &random),
        LatencyHistogram.nanosecondsMax
      )
    }
  }

  private static let percents = [0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100]

  @Test("Percentiles agree with exact sorting within 0.2 %", arguments: [1, 2, 3, 4] as [UInt64])
  func percentile_seededData_agreesWithSorting(seed: UInt64) throws {
    for count in [1, 2, 3, 10, 999, 1000, 20_000] {
      let values = values(seed: seed, count: count)
      var histogram = LatencyHistogram()
      for value in values { histogram.record(nanoseconds: value) }
      let sorted = values.sorted()
      for percent in Self.percents {
        // Ranks in whole numbers: percents have at most two decimals.
        let rank = max(1, (Int((percent * 100).rounded()) * count + 9999) / 10_000)
        let exact = sorted[rank - 1]
        let read = try #require(histogram.percentile(percent))
        #expect(
          abs(Double(read - exact)) <= Double(exact) / 512,
          "p\(percent) of \(count) values, seed \(seed)"
        )
      }
      #expect(histogram.min == sorted.first)
      #expect(histogram.max == sorted.last)
      let mean = values.reduce(0.0) { $0 + Double($1) } / Double(count)
      #expect(abs((histogram.mean ?? 0) / mean - 1) < 1e-9)
    }
  }

  @Test("Small values are exact")
  func percentile_belowFineLimit_isExact() {
    for value in 0..<512 as Range<Int64> {
      var histogram = LatencyHistogram()
      histogram.record(nanoseconds: value)
      histogram.record(nanoseconds: LatencyHistogram.nanosecondsMax)
      #expect(histogram.percentile(50) == value)
    }
  }

  @Test("Merging parts gives what recording everything in one gives")
  func merge_parts_equalsWhole() {
    let values = values(seed: 9, count: 3000)
    var whole = LatencyHistogram()
    var parts = Array(repeating: LatencyHistogram(), count: 3)
    for (index, value) in values.enumerated() {
      whole.record(nanoseconds: value)
      parts[index % 3].record(nanoseconds: value)
    }
    var merged = LatencyHistogram()
    for part in parts { merged.merge(part) }
    #expect(merged == whole)
    merged.removeAll()
    #expect(merged == LatencyHistogram())
  }

  @Test("Values outside of the range count at the nearer end and are reported")
  func record_outsideRange_isClamped() {
    var histogram = LatencyHistogram()
    histogram.record(nanoseconds: -1)
    histogram.record(nanoseconds: .max)
    histogram.record(.seconds(3600))
    #expect(histogram.clampedCount == 2)
    #expect(histogram.min == 0)
    #expect(histogram.max == LatencyHistogram.nanosecondsMax)
    #expect(histogram.count == 3)
  }

  @Test("An empty histogram has no percentile, mean or extreme")
  func read_empty_isNil() {
    let histogram = LatencyHistogram()
    #expect(histogram.percentile(50) == nil)
    #expect(histogram.mean == nil)
    #expect(histogram.min == nil)
    #expect(histogram.max == nil)
  }
}
