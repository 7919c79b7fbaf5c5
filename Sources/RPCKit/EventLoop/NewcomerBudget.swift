/// How many newcomers a loop deals with in a turn: connections on which nobody has shown yet who they are.
///
/// Anybody can open connections, and what one event of such a connection costs is up to its client: a handshake,
/// fields that a few bytes name, large documents that it does not read. Hundreds of them in one turn would make
/// everybody else wait. So newcomers get a part of a turn's time, those of them that it does not suffice for come
/// first in the next turn, and clients that are known wait for no more than that part.
struct NewcomerBudget {
  /// What a turn begins with when there are few newcomers.
  static let countUsual = 16
  /// What a turn has at most.
  static let countMax = 256
  /// How long a turn may have lasted when it deals with one more.
  static let turnNanosecondsMax: Int64 = 2_000_000

  private(set) var count = NewcomerBudget.countUsual
  private var takenCount = 0
  /// Whether a newcomer had to wait in this turn.
  private(set) var isSpent = false

  /// Whether one more newcomer is dealt with in this turn, which has lasted for `turnNanoseconds`.
  mutating func takes(turnNanoseconds: Int64) -> Bool {
    guard takenCount < count, takenCount == 0 || turnNanoseconds < Self.turnNanosecondsMax else {
      isSpent = true
      return false
    }
    takenCount += 1
    return true
  }

  /// Notes how long a turn took, output included, and begins the next.
  mutating func turnTook(nanoseconds: Int64) {
    defer {
      takenCount = 0
      isSpent = false
    }
    guard takenCount > 0 else { return }
    if nanoseconds > ReadBudget.longTurnNanoseconds {
      count = max(1, count / 2)
    } else if nanoseconds < ReadBudget.shortTurnNanoseconds {
      count = isSpent ? min(Self.countMax, count * 2) : max(count, Self.countUsual)
    }
  }
}
