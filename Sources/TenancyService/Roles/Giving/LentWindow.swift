internal import AccessEngine
internal import RPCKit

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
