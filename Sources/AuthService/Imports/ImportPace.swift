/// How an import leaves others their time.
///
/// Alone it never rests, so that a move to a new installation takes no longer than it must. While passwords wait for a
/// thread, all cores are in use: hashing has a lower priority than the loops and the writer, which work for the import,
/// so that it would be slowed down most.
struct ImportPace: Sendable {
  /// The other work of the service.
  struct Surroundings: Sendable {
    /// Writes that calls have asked for so far.
    var writeCount: UInt64
    /// Whether passwords wait for a thread.
    var areHashesWaiting: Bool
  }

  /// The longest rest after a batch, in nanoseconds: a batch that waited long for the store is no reason to
  /// stand still.
  static let restMax: Int64 = 1_000_000_000
  /// Beside people who sign in it has a twentieth of the time.
  private static let restPerTime: Int64 = 19

  private let began: Int64
  private let before: Surroundings

  /// A batch begins at a time in nanoseconds.
  init(beginningAt now: Int64, beside surroundings: Surroundings) {
    (began, before) = (now, surroundings)
  }

  /// How long to rest now that the batch is done, in nanoseconds: nineteen times as long as it took if passwords waited
  /// when it began or wait now, and as long as it took if calls have asked for other writes than its own.
  func rest(now: Int64, beside surroundings: Surroundings) -> Int64 {
    let took = min(max(0, now &- began), Self.restMax)
    if before.areHashesWaiting || surroundings.areHashesWaiting {
      return min(took * Self.restPerTime, Self.restMax)
    }
    return surroundings.writeCount &- before.writeCount > 1 ? took : 0
  }
}
