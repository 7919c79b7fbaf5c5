/// How an import lets others write: while somebody else does, it takes at most half of the time.
///
/// Alone it never rests, so that a move to a new installation takes no longer than it must.
struct ImportPace: Sendable {
  /// The longest rest after a batch, in nanoseconds: a batch that waited long for the store is no reason to
  /// stand still.
  static let restMax: Int64 = 1_000_000_000

  private let began: Int64
  private let writeCount: UInt64

  /// A batch begins at a time in nanoseconds, when calls have asked for so many writes.
  init(beginningAt now: Int64, writeCount: UInt64) {
    (began, self.writeCount) = (now, writeCount)
  }

  /// How long to rest now that the batch is done, in nanoseconds: as long as it took, if calls have asked for
  /// other writes than its own in the meantime.
  func rest(now: Int64, writeCount: UInt64) -> Int64 {
    guard writeCount &- self.writeCount > 1 else { return 0 }
    return min(max(0, now &- began), Self.restMax)
  }
}
