internal import AccessEngine
internal import RPCKit

/// When a role counts that is to be granted.
struct RoleWindow: Hashable, Sendable {
  /// Milliseconds since 1970; nil is without a beginning, or an end.
  var from: Int64? = nil
  var until: Int64? = nil
  /// When it counts inside of that; nil is always.
  var recurring: RecurringWindow? = nil

  /// For good, from now on.
  static let unlimited = RoleWindow()
}

extension Explanation {
  /// A window in which the subject lends a part of the right that this decision gives it.
  ///
  /// Nobody lends for longer than they have themselves, nor at other hours: without hours of its own the
  /// window takes over those of the right. Throws WINDOW_EXCEEDS_OWN for one that goes beyond.
  func lent(_ window: RoleWindow) throws(RPCError) -> RoleWindow {
    var window = window
    window.recurring = window.recurring ?? grantedDuring
    guard window.until ?? .max <= grantedUntil,
      grantedDuring == nil || window.recurring == grantedDuring
    else { throw RoleError.windowExceedsOwn }
    return window
  }
}
