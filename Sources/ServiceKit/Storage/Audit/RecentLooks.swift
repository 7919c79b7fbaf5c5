internal import RPCKit

/// The objects that operators have looked at of late, so that a page that asks ten times leaves one record.
///
/// In memory alone: a start forgets it, and the next look is recorded again.
package final class RecentLooks: Sendable {
  private struct Look: Hashable {
    let operatorID: String
    let object: String
  }

  /// How long a look is recent, in milliseconds.
  private static let lifetime: Int64 = 3_600_000
  /// Looks that are remembered at most; one more makes room by forgetting all.
  private static let countMax = 10_000

  private let times = Lock<[Look: Int64]>([:])

  /// Remembers nothing yet.
  package init() {}

  /// Whether an operator has looked at an object within the last hour.
  package func has(_ object: String, by operatorID: String, now: Int64) -> Bool {
    let time = times.withLock { $0[Look(operatorID: operatorID, object: object)] }
    return time.map { $0 <= now && now - $0 < Self.lifetime } ?? false
  }

  /// Remembers a look, once it is recorded.
  package func note(_ object: String, by operatorID: String, now: Int64) {
    times.withLock { times in
      if times.count >= Self.countMax { times = [:] }
      times[Look(operatorID: operatorID, object: object)] = now
    }
  }
}
