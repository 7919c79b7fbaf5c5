internal import AccessEngine
internal import RPCKit
internal import ServiceKit

enum EntityError {
  static let revisionMismatch = ErrorCatalog.tenancy.conflict(
    "REVISION_MISMATCH",
    "the object has changed; read it again and repeat the change"
  )

  /// A field that an update cannot change is sent with another value than Get shows.
  static func fieldReadOnly(_ path: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      path,
      "FIELD_READ_ONLY",
      "cannot be changed here; send it as it was read, or leave it out"
    )
  }

  /// A list is set that is too long to be shown.
  static func listCut(_ field: String, shownCount: Int, adding: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "LIST_CUT",
      "\(field) is not shown because it is longer than \(shownCount), so it cannot be set; \(adding)"
    )
  }

  static func sortUnknown(_ type: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      "sort_by",
      "SORT_UNKNOWN",
      "must be name, created_at or an attribute of a \(type), with or without a minus in front"
    )
  }

  static let sortTooLarge = ErrorCatalog.tenancy.precondition(
    "SORT_TOO_LARGE",
    "more than \(AttributeOrder.countMax) entities cannot be sorted by an attribute; narrow the list by within, "
      + "parent_id or a filter"
  )

  static let selfServiceDisabled = ErrorCatalog.tenancy.denied(
    "SELF_SERVICE_DISABLED",
    "only operators can create this type of object"
  )

  /// An attribute that the caller cannot see cannot be set.
  static func attributeNotVisible(_ path: String) -> RPCError {
    ErrorCatalog.tenancy.denied(
      "ATTRIBUTE_NOT_VISIBLE",
      "\(path) needs a higher access level than yours"
    )
  }

  /// An attribute that a device reports is set by nobody else.
  static func attributeReported(_ path: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      path,
      "ATTRIBUTE_REPORTED",
      "is what the device reports; leave it out, or send it as it is"
    )
  }

  /// An attribute that people set is reported by no device.
  static func attributeNotReported(_ path: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      path,
      "ATTRIBUTE_NOT_REPORTED",
      "is set by people; devices report only what the policy says they report"
    )
  }

  static func cascadeTooLarge(_ count: Int) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "CASCADE_TOO_LARGE",
      "this would change \(count) entities, more than the \(ChangeSet.cascadeCountMax)"
        + " that one call may change; start with a subtree"
    )
  }

  static func hasDependents(_ counts: [(type: String, count: Int)]) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "HAS_DEPENDENTS",
      "the object is not empty; set cascade to delete its contents too",
      Dictionary(counts.map { ($0.type, "\($0.count)") }) { first, _ in first }
    )
  }

  static func typeUnknown(_ field: String) -> RPCError {
    ErrorCatalog.tenancy.invalid(
      field,
      "TYPE_UNKNOWN",
      "is not a type of this installation's policies"
    )
  }

  /// Why nobody may do what the policy names no action for; `deed` is a type and what is done to it.
  static func nothingNamed(for deed: String) -> String {
    let parts = deed.split(separator: ".", maxSplits: 1)
    guard parts.last == EntityDeed.defineRoles.rawValue[...], let type = parts.first else {
      return "\(deed) is not allowed here: the policy names no action for it"
    }
    return "a \(type) cannot define roles: the policy allows no tenant-defined roles on it"
  }
}
