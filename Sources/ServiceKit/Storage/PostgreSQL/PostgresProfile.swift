internal import RPCKit

/// By which means of its server's engine programs of a store are kept apart, as it was found at the start
/// (docs/decisions/0243).
struct PostgresProfile {
  /// The engine and its version, by its own word.
  let engine: String
  /// Whether rows of the store take the place of locks.
  let isByRows: Bool
  /// Whether the server says which timeline it is on.
  let hasTimeline: Bool
  /// Whether the server ends transactions that stand still, by its own word.
  let endsIdleTransactions: Bool

  /// Says to the operator what was found, and what to do about it.
  func log(_ logger: Logger?) {
    logger?.info(
      "the store is on \(engine)",
      [
        "turn": isByRows ? "row" : "advisory_lock",
        "timeline": hasTimeline ? "known" : "unknown",
      ]
    )
    if isByRows {
      logger?.warning(
        "advisory locks of this engine exclude nobody, so programs take turns by a row of the store: nobody has run "
          + "these services on such an engine yet"
      )
    }
    if !hasTimeline {
      logger?.warning(
        "the server does not say on which timeline it is: an old primary that comes back after a switch looks like "
          + "the new one, make sure that it stays away"
      )
    }
    if !endsIdleTransactions {
      logger?.warning(
        "the server does not end transactions that stand still: a program that hangs with the turn to write keeps all "
          + "others from writing until it is ended"
      )
    }
  }
}
