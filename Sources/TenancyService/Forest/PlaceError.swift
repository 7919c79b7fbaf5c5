internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Refusals of a place in the tree.
enum PlaceError {
  static func parentNotAllowed(_ type: String, under parent: String) -> RPCError {
    ErrorCatalog.tenancy.precondition(
      "PARENT_NOT_ALLOWED",
      "a \(type) cannot be directly under a \(parent)"
    )
  }

  static let roleOfTenant = ErrorCatalog.tenancy.precondition(
    "ROLE_OF_TENANT",
    "tenant-defined roles are held or defined on the object; remove these first"
  )

  static let belowItself = ErrorCatalog.tenancy.precondition(
    "WOULD_BE_CYCLE",
    "parent_id is the entity itself or below it; name a parent elsewhere"
  )

  static let tooDeep = ErrorCatalog.tenancy.precondition(
    "TOO_DEEP",
    "parent_id is too deep: entities are at most \(Forest.depthMax) levels below the system"
  )
}
