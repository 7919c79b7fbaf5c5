/// How many newcomers a loop deals with in a turn: connections on which nobody has shown yet who they are.
///
/// Anybody can open connections, and what one event of such a connection costs is up to its client: a handshake,
/// fields that a few bytes name, large documents that it does not read. Hundreds of them in one turn would make
/// everybody else wait. So newcomers get a part of a turn's time, those of them that it does not suffice for come
/// first in the next turn, and clients that are known wait for no more than that part. Only what newcomers take
/// themselves makes it smaller: a loop that is busy with known clients lets as many in as one that is not.
struct NewcomerBudget {
  /// The number of events a turn begins with when there are few newcomers.
  static let countUsual = 16
  /// The most events in a turn.
  static let countMax = 256
  /// How long the events of newcomers may take in a turn when it deals with one more.
  static let nanosecondsMax: Int64 = 2_000_000

  private(set) var count = NewcomerBudget.countUsual
  private var takenCount = 0
  private var takenNanoseconds: Int64 = 0
  /// Whether a newcomer had to wait in this turn.
  private(set) var isSpent = false

  /// Whether the turn has dealt with a newcomer.
  var isUsed: Bool { takenCount > 0 }

  /// Whether one more newcomer is dealt with in this turn.
  mutating func takes() -> Bool {
    guard takenCount < count, takenNanoseconds < Self.nanosecondsMax else {
      isSpent = true
      return false
    }
    takenCount += 1
    return true
  }

  /// Notes how long the event of a newcomer took.
  mutating func took(nanoseconds: Int64) { takenNanoseconds += nanoseconds }

  /// Notes how long a turn took, `outputNanoseconds` of it to write what there was for everybody, and begins the next.
  mutating func turnTook(nanoseconds: Int64, outputNanoseconds: Int64) {
    defer {
      takenCount = 0
      takenNanoseconds = 0
      isSpent = false
    }
    guard isUsed else { return }
    let own = takenNanoseconds + outputNanoseconds
    if nanoseconds > ReadBudget.longTurnNanoseconds, own > nanoseconds / 2 {
      count = max(1, count / 2)
    } else if own < ReadBudget.shortTurnNanoseconds {
      count = isSpent ? min(Self.countMax, count * 2) : max(count, Self.countUsual)
    }
  }
}
