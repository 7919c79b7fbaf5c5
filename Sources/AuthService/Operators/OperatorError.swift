internal import RPCKit
internal import ServiceKit

enum OperatorError {
  static let operatorAccount = ErrorCatalog.auth.precondition(
    "OPERATOR_ACCOUNT",
    "user_id: is an operator; operators cannot change an operator's account, run revoke-super-admin first"
  )

  static let changeKindUnknown = ErrorCatalog.auth.invalidRequest(
    "ACCOUNT_CHANGE_KIND_UNKNOWN",
    "kind: must be a known kind of change"
  )

  static let changeWaits = ErrorCatalog.auth.exists(
    "ACCOUNT_CHANGE_WAITS",
    "the account already has a pending change of this kind; approve or cancel it"
  )

  static let changeNotFound = ErrorCatalog.auth.notFound(
    "ACCOUNT_CHANGE_NOT_FOUND",
    "change not found"
  )

  static let secondOperatorNeeded = ErrorCatalog.auth.precondition(
    "SECOND_OPERATOR_NEEDED",
    "an operator other than the one who requested the change must approve it"
  )

  /// Of one's own account, which one could not enable again.
  static let cannotDisableSelf = ErrorCatalog.auth.precondition(
    "CANNOT_DISABLE_SELF",
    "your own account cannot be disabled; ask another operator"
  )

  /// A password that could not be used was to be set.
  static let userDisabled = ErrorCatalog.auth.precondition(
    "USER_DISABLED",
    "the account is disabled; enable it first"
  )
}
