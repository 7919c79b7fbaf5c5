internal import RPCKit
internal import ServiceKit

enum ChildError {
  static let unknown = ErrorCatalog.auth.notFound(
    "CHILD_UNKNOWN",
    "child not found, or it has no account, or you may not do this for it"
  )

  static let ending = ErrorCatalog.auth.precondition(
    "CHILD_ACCOUNT_ENDING",
    "the child's account is being deleted or is disabled; cancel the deletion first"
  )
}
