/// The upper bounds of a histogram's buckets, in whole units, and what a unit is.
public struct HistogramBuckets: Sendable, Hashable {
  /// Inclusive upper bounds in units, strictly growing.
  ///
  /// Everything above goes to `+Inf`.
  public let upperBounds: [UInt64]
  /// Units per exported unit: 1,000,000,000 when nanoseconds are exported as seconds.
  public let unitsPerExported: Double

  /// The bounds as the exposition shows them: `le="0.001"`, and `+Inf` at the end.
  let boundLabels: [String]
  /// For each bit width of a value, the first bucket that a value of that width can fall into.
  let firstIndexByBitWidth: [UInt8]

  /// Makes buckets from 1 to 200 strictly growing bounds; anything else is a bug and traps.
  public init(upperBounds: [UInt64], unitsPerExported: Double = 1) {
    precondition((1...200).contains(upperBounds.count), "a histogram has 1 to 200 bounds")
    precondition(
      zip(upperBounds, upperBounds.dropFirst()).allSatisfy { $0 < $1 },
      "the bounds of a histogram grow"
    )
    precondition(unitsPerExported > 0 && unitsPerExported.isFinite, "a unit is a positive number")
    self.upperBounds = upperBounds
    self.unitsPerExported = unitsPerExported
    boundLabels =
      upperBounds.map { MetricExposition.number(Double($0) / unitsPerExported) }
      .map { "le=\"\($0)\"" } + ["le=\"+Inf\""]
    firstIndexByBitWidth = (0...64).map { width in
      // The smallest value of a bit width is 2^(width-1); that of width 0 is 0.
      let smallest: UInt64 = width == 0 ? 0 : 1 << UInt64(width - 1)
      return UInt8(upperBounds.firstIndex { smallest <= $0 } ?? upperBounds.count)
    }
  }

  /// Durations from 50 µs to 10 s in steps of 1, 2.5 and 5, in nanoseconds, exported as seconds.
  public static let duration = HistogramBuckets(
    upperBounds: [
      50_000, 100_000, 250_000, 500_000,
      1_000_000, 2_500_000, 5_000_000,
      10_000_000, 25_000_000, 50_000_000,
      100_000_000, 250_000_000, 500_000_000,
      1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ],
    unitsPerExported: 1e9
  )

  /// The bucket of a value; `upperBounds.count` means `+Inf`.
  ///
  /// The bit width leads to the right octave, so at most the bounds inside one octave are compared.
  @inline(__always)
  func index(of value: UInt64) -> Int {
    var index = Int(firstIndexByBitWidth[UInt64.bitWidth - value.leadingZeroBitCount])
    while index < upperBounds.count && value > upperBounds[index] { index += 1 }
    return index
  }
}

/// Counts observations by size, for quantiles over many processes.
public final class Histogram: MetricSeries {
  private let buckets: HistogramBuckets
  /// One cell per bound, one for `+Inf`, and the sum in units.
  private let cells: AtomicCells

  /// Makes an empty histogram.
  public init(settings buckets: HistogramBuckets) {
    self.buckets = buckets
    cells = AtomicCells(count: buckets.upperBounds.count + 2)
  }

  /// See `MetricSeries.kind`.
  public static var kind: MetricKind { .histogram }

  /// Counts one observation in units (nanoseconds for `HistogramBuckets.duration`).
  public func observe(_ value: UInt64) {
    cells.add(1, at: buckets.index(of: value))
    cells.add(value, at: buckets.upperBounds.count + 1)
  }

  /// Counts a span of nanoseconds; a negative one, from a clock that lags, counts as zero.
  public func observe(nanoseconds: Int64) {
    observe(UInt64(max(0, nanoseconds)))
  }

  /// Counts a duration.
  ///
  /// The buckets must be in nanoseconds.
  public func observe(_ duration: Duration) {
    observe(nanoseconds: duration.nanosecondsSaturated)
  }

  /// How many observations there were.
  public var count: UInt64 {
    (0...buckets.upperBounds.count).reduce(0) { $0 &+ cells.load($1) }
  }

  /// The sum of all observations in units; wraps after 2^64.
  public var sum: UInt64 { cells.load(buckets.upperBounds.count + 1) }

  /// See `MetricSeries.isZero`.
  public var isZero: Bool { count == 0 }

  /// See `MetricSeries.write(to:name:labels:)`.
  ///
  /// `_count` is the total of the buckets as they were read, so the two always agree although
  /// updates continue in the meantime; `_sum` can be ahead or behind by the updates in flight.
  public func write(to exposition: inout MetricExposition, name: String, labels: String) {
    var cumulative: UInt64 = 0
    for (index, bound) in buckets.boundLabels.enumerated() {
      cumulative &+= cells.load(index)
      exposition.sample(
        name: name,
        suffix: "_bucket",
        labels: labels,
        lastLabel: bound,
        value: String(cumulative)
      )
    }
    exposition.sample(
      name: name,
      suffix: "_sum",
      labels: labels,
      value: MetricExposition.number(Double(sum) / buckets.unitsPerExported)
    )
    exposition.sample(name: name, suffix: "_count", labels: labels, value: String(cumulative))
  }
}
