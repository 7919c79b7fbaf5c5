internal import RPCKit
internal import ServiceKit

enum RoleError {
  static func unknown(_ field: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      field,
      "ROLE_UNKNOWN",
      "is not a role of this installation's policies"
    )
  }

  /// A policy has given the name of a built-in role to one that is not held on the system.
  static func noBuiltIn(_ role: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "ROLE_UNKNOWN",
      "none of the loaded policies has a role \(role) that is held on \(BuiltIn.system)"
    )
  }

  // MARK: Windows

  /// An end that is none: before the beginning, if the request has one, or past.
  static func windowInvalid(_ field: String, until: Int64, from: Int64?) -> RPCError {
    let isBeforeStart = from.map { until <= $0 } ?? false
    let problem = isBeforeStart ? "must be after valid_from" : "must be later than now"
    return ErrorCatalog.tenancy.invalid(field, "WINDOW_INVALID", problem)
  }

  static func windowTooLong(_ field: String, max: Int64, from: Int64?) -> RPCError {
    let start = from == nil ? "from now" : "after valid_from"
    return ErrorCatalog.tenancy.invalid(
      field,
      "WINDOW_TOO_LONG",
      "must be at most \(max / 86_400_000) days \(start)"
    )
  }

  static func windowDiffers(role: String) -> RPCError {
    ErrorCatalog.tenancy.exists(
      "WINDOW_DIFFERS",
      "the user already has the role \(role) with another window; "
        + "set replace_window, or remove the role first"
    )
  }

  static let windowExceedsOwn = ErrorCatalog.tenancy.precondition(
    "WINDOW_EXCEEDS_OWN",
    "the window must lie within that of your own role, hours included"
  )

  static func outlastsOwn(_ role: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "WINDOW_EXCEEDS_OWN",
      "\(role) is a required role, or can give one, and "
        + "yours ends: set valid_until to the end of your own role at the latest, or ask a holder "
        + "whose role has no end and no hours",
      ["role": role]
    )
  }

  static func lastOne(role: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "LAST_\(role.uppercased())",
      "the object needs a permanent \(role), and no other holder qualifies: no end date, not "
        + "suspended, and with an account that is not being deleted"
    )
  }

  // MARK: Roles of a tenant's own

  static func exceedsOwn(_ action: String) -> RPCError {
    ErrorCatalog.tenancy.denied(
      "ROLE_EXCEEDS_OWN",
      "the role includes \(action), which your roles do not allow on the whole tenant",
      ["action": action]
    )
  }

  static let tooMany = ErrorCatalog.tenancy.precondition(
    "TOO_MANY_ROLES",
    "a tenant defines at most \(RoleDefinitionRecord.countMax) roles; delete one first"
  )

  /// A tenant-defined role that users have, or had for a time that is over.
  static func held(_ name: String, count: Int) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "HAS_DEPENDENTS",
      "the role \(name) is in use (associations: \(count)); revoke it from its users first",
      ["association": "\(count)"]
    )
  }
}
