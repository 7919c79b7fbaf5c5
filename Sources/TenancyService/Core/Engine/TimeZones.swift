internal import AccessEngine
internal import RPCKit

/// The time zones of this machine, each read once: decisions follow the store under a lock, where nobody
/// reads files.
///
/// Whoever grants a role looks its zone up first, so that it is here when the role arrives in memory.
final class TimeZoneCache: TimeZoneSource {
  private let source: any TimeZoneSource
  /// Never more than there are zones: what is not found is not kept.
  private let known = Lock<[String: TimeZoneRules]>([:])

  init(_ source: any TimeZoneSource = TimeZoneFiles()) { self.source = source }

  func rules(of name: String) -> TimeZoneRules? {
    if let rules = known.withLock({ $0[name] }) { return rules }
    guard let rules = source.rules(of: name) else { return nil }
    known.withLock { $0[name] = rules }
    return rules
  }

  /// Reads all zones anew from here on.
  func forget() { known.withLock { $0 = [:] } }
}
