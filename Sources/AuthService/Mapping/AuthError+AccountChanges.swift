internal import RPCKit
internal import ServiceKit

/// Refusals of operators' changes of accounts.
extension AuthError {
  static let operatorAccount = RPCError(
    .failedPrecondition,
    reason: "OPERATOR_ACCOUNT",
    domain: domain,
    message: "user_id: is an operator; run revoke-super-admin before changing the account"
  )

  static let accountChangeKindUnknown = RPCError(
    .invalidArgument,
    reason: "ACCOUNT_CHANGE_KIND_UNKNOWN",
    domain: domain,
    message: "kind: must be a known kind of change"
  )

  static let accountChangeWaits = RPCError(
    .alreadyExists,
    reason: "ACCOUNT_CHANGE_WAITS",
    domain: domain,
    message: "the account already has a pending change of this kind; approve or cancel it"
  )

  static let accountChangeNotFound = RPCError(
    .notFound,
    reason: "ACCOUNT_CHANGE_NOT_FOUND",
    domain: domain,
    message: "change not found"
  )

  static let accountChangeClosed = RPCError(
    .failedPrecondition,
    reason: "ACCOUNT_CHANGE_CLOSED",
    domain: domain,
    message: "the change is not pending: it was applied, cancelled or stopped"
  )

  static let secondOperatorNeeded = RPCError(
    .failedPrecondition,
    reason: "SECOND_OPERATOR_NEEDED",
    domain: domain,
    message: "an operator other than the one who requested the change must approve it"
  )
}
