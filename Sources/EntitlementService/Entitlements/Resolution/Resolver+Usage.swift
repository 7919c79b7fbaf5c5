internal import PeerContracts
internal import RPCKit

extension Resolver {
  /// Whether `amount` more of a metered limit may be used when `used` are in this window.
  ///
  /// As `checkLimit`, but that a soft limit, once it is above zero, allows more than it says.
  func checkUse(
    _ key: String,
    _ meter: Meter,
    used: Int64,
    amount: Int64,
    for holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> Decision {
    var decision = try checkLimit(key, current: used, requested: amount, for: holdings, at: now)
    if meter.isSoft, decision.reason == .limitExceeded {
      decision.reason = .available
      decision.unlockedBy = nil
    }
    return decision
  }
}
