public import RPCKit

extension EventLoop {
  /// Looks again and again until `condition` holds, and says whether it came to hold in time.
  ///
  /// For what another thread or process brings about. `limit` decides only how long a failing test
  /// takes, so it leaves room for a machine that has other work; `pause` lies between two looks. The
  /// condition is looked at once more when the time is over. A cancelled task looks without pauses.
  public func eventually(
    within limit: Duration = .seconds(30),
    pause: Duration = .milliseconds(2),
    _ condition: () async throws -> Bool
  ) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if try await condition() { return true }
      await sleep(pause)
    }
    return try await condition()
  }
}
