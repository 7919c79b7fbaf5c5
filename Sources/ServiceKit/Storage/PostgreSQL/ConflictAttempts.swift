/// Repeats what has failed since another transaction was in the way, with nothing done.
enum ConflictAttempts {
  private static let countMax = 8

  /// Runs `body` until it succeeds or fails otherwise, a few times at most.
  static func run<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    for _ in 1..<countMax {
      do throws(StoreError) {
        return try body()
      } catch .conflict {
        // The next attempt finds what was in the way committed.
      }
    }
    return try body()
  }
}
