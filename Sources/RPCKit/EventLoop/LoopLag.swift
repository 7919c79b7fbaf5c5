/// How long turns of a loop take: while one lasts, everything else on the loop waits.
public struct LoopLag: Sendable {
  /// Turns so far.
  public private(set) var turnCount: UInt64 = 0
  /// Turns longer than `alarmNanoseconds`.
  public private(set) var slowTurnCount: UInt64 = 0
  /// The longest turn since `takeLongest`, in nanoseconds.
  public private(set) var longestNanoseconds: Int64 = 0

  /// A turn longer than this means that something blocked the loop.
  public static let alarmNanoseconds: Int64 = 50_000_000

  mutating func record(turnNanoseconds: Int64) {
    turnCount &+= 1
    if turnNanoseconds > longestNanoseconds { longestNanoseconds = turnNanoseconds }
    if turnNanoseconds > Self.alarmNanoseconds { slowTurnCount &+= 1 }
  }

  /// Returns the longest turn and starts over.
  mutating func takeLongest() -> Int64 {
    defer { longestNanoseconds = 0 }
    return longestNanoseconds
  }
}
