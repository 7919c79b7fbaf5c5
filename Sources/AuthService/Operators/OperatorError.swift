internal import RPCKit
internal import ServiceKit

/// Refusals of operators' changes of accounts.
extension AuthError {
  static let operatorAccount = RPCError(
    .failedPrecondition,
    reason: "OPERATOR_ACCOUNT",
    domain: domain,
    message: "user_id: is an operator, whose account no operator changes; revoke-super-admin first"
  )

  static let accountChangeKindUnknown = RPCError(
    .invalidArgument,
    reason: "ACCOUNT_CHANGE_KIND_UNKNOWN",
    domain: domain,
    message: "kind: must be one of the changes that there are"
  )

  static let accountChangeWaits = RPCError(
    .alreadyExists,
    reason: "ACCOUNT_CHANGE_WAITS",
    domain: domain,
    message: "such a change of the account waits already; approve or cancel that one"
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
    message: "the change does not wait: it was done, taken back or stopped"
  )

  static let secondOperatorNeeded = RPCError(
    .failedPrecondition,
    reason: "SECOND_OPERATOR_NEEDED",
    domain: domain,
    message: "another operator than the one who asked for the change must approve it"
  )
}
