/// How much of its answers a newcomer gets in a turn of the loop (`NewcomerBudget`).
///
/// The kernel takes some megabytes for a client that reads nothing, which take it as long to copy as hundreds of calls.
struct NewcomerOutput {
  static let byteCountMax = 256 << 10

  private var turn = MonotonicInstant(nanoseconds: 0)
  private var byteCount = 0

  /// Whether more may be written in the turn that began at `turn`.
  mutating func hasRoom(in turn: MonotonicInstant) -> Bool {
    if turn != self.turn {
      self.turn = turn
      byteCount = 0
    }
    return byteCount < Self.byteCountMax
  }

  /// Notes that so many bytes were written in this turn.
  mutating func add(_ count: Int) { byteCount += count }
}
