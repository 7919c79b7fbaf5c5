/// Durations counted so finely that any percentile can be read off afterwards.
///
/// Log-linear like HdrHistogram: values below 512 ns are exact, and above that each power of two is
/// cut into 256 equal parts. A percentile is reported as the middle of its part, so it is off by at
/// most 1/512 (0.2 %). The range is 0 to 1 h; what is outside is counted at the nearer end. One
/// histogram is about 70 KiB whatever it holds, and recording touches one counter of it.
///
/// A value type for one thread; each thread records into its own, and `merge` joins them.
public struct LatencyHistogram: Sendable, Equatable {
  /// The largest value kept apart: one hour.
  public static let nanosecondsMax: Int64 = 3_600_000_000_000

  /// Parts per power of two, as a power of two.
  private static let partBits = 8
  private static let cellCount = index(UInt64(nanosecondsMax)) + 1

  /// How many values were recorded.
  public private(set) var count: UInt64 = 0
  /// How many values were outside of the range.
  public private(set) var clampedCount: UInt64 = 0
  private var cells: [UInt64]
  private var sum: UInt128 = 0
  private var smallest = UInt64.max
  private var largest: UInt64 = 0

  /// Makes an empty histogram; the only time that memory is allocated.
  public init() {
    cells = Array(repeating: 0, count: Self.cellCount)
  }

  /// Counts one value in nanoseconds.
  public mutating func record(nanoseconds: Int64) {
    let clamped = Swift.min(Swift.max(nanoseconds, 0), Self.nanosecondsMax)
    if clamped != nanoseconds { clampedCount &+= 1 }
    let value = UInt64(clamped)
    cells[Self.index(value)] &+= 1
    count &+= 1
    sum &+= UInt128(value)
    smallest = Swift.min(smallest, value)
    largest = Swift.max(largest, value)
  }

  /// Counts one duration.
  public mutating func record(_ duration: Duration) {
    record(nanoseconds: duration.nanosecondsSaturated)
  }

  /// Adds everything that another histogram counted.
  public mutating func merge(_ other: LatencyHistogram) {
    for index in cells.indices { cells[index] &+= other.cells[index] }
    count &+= other.count
    clampedCount &+= other.clampedCount
    sum &+= other.sum
    smallest = Swift.min(smallest, other.smallest)
    largest = Swift.max(largest, other.largest)
  }

  /// Forgets everything and keeps the memory.
  public mutating func removeAll() {
    for index in cells.indices { cells[index] = 0 }
    count = 0
    clampedCount = 0
    sum = 0
    smallest = .max
    largest = 0
  }

  /// The smallest value in nanoseconds, exact; nil when empty.
  public var min: Int64? { count == 0 ? nil : Int64(smallest) }

  /// The largest value in nanoseconds, exact; nil when empty.
  public var max: Int64? { count == 0 ? nil : Int64(largest) }

  /// The mean in nanoseconds, exact; nil when empty.
  public var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

  /// The value in nanoseconds that `percent` of all values do not exceed; nil when empty.
  ///
  /// The nearest rank: the smallest recorded value such that at least `percent` of the values are
  /// at or below it, within 0.2 %. `percentile(99.99)` of fewer than 10,000 values is the largest.
  /// A `percent` outside of 0…100 is a bug and traps.
  public func percentile(_ percent: Double) -> Int64? {
    precondition(percent >= 0 && percent <= 100, "a percentile is between 0 and 100")
    guard count > 0 else { return nil }
    // Rounding noise such as 99.9 / 100 * 1000 = 999.0000000000001 must not move the rank.
    let exact = percent / 100 * Double(count)
    let rank = Swift.max(1, Swift.min(count, UInt64((exact - exact.ulp * 4).rounded(.up))))
    if rank == count { return Int64(largest) }
    var seen: UInt64 = 0
    for (index, inCell) in cells.enumerated() where inCell > 0 {
      seen &+= inCell
      if seen >= rank {
        return Int64(Swift.min(Swift.max(Self.middle(index), smallest), largest))
      }
    }
    preconditionFailure("the cells of a histogram add up to its count")
  }

  /// How many values are at or below `nanoseconds`, within 0.4 % of it.
  public func count(upTo nanoseconds: Int64) -> UInt64 {
    guard nanoseconds >= 0 else { return 0 }
    let last = Self.index(UInt64(Swift.min(nanoseconds, Self.nanosecondsMax)))
    return cells[...last].reduce(0, &+)
  }

  /// The cell of a value: its leading nine bits, and how many bits follow them.
  private static func index(_ value: UInt64) -> Int {
    let shift = Swift.max(0, UInt64.bitWidth - value.leadingZeroBitCount - partBits - 1)
    return (shift << partBits) + Int(value >> UInt64(shift))
  }

  /// The middle of the values that share a cell.
  private static func middle(_ index: Int) -> UInt64 {
    guard index >= 2 << partBits else { return UInt64(index) }
    let shift = UInt64((index >> partBits) - 1)
    let leading = UInt64(index & ((1 << partBits) - 1)) | (1 << UInt64(partBits))
    return (leading << shift) + (1 << shift) / 2
  }
}
