internal import AccessEngine

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
