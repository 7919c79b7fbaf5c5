internal import RPCKit
internal import ServiceKit

enum DeletionError {
  static let notFound = ErrorCatalog.auth.notFound(
    "DELETION_NOT_FOUND",
    "no deletion found; call DeleteAccount to begin one"
  )

  static let underWay = ErrorCatalog.auth.precondition(
    "DELETION_UNDER_WAY",
    "the account is being erased, which cannot be undone"
  )

  /// The deletion of an account was asked for before, and nothing is erased yet.
  static func begun(isBlocked: Bool) -> RPCError {
    ErrorCatalog.auth.precondition(
      "DELETION_BEGUN",
      isBlocked
        ? "the account's deletion has begun and waits for another holder of the roles that only "
          + "this user has; give them to another user, or have the user cancel it"
        : "the account's deletion has begun already; the user can still cancel it"
    )
  }

  /// The user is the last one with a role that an entity needs; the first entities are named.
  static func mustHandOver(_ entities: [String], count: Int) -> RPCError {
    let what = count == 1 ? ("one entity", "it") : ("\(count) entities", "them")
    return ErrorCatalog.auth.precondition(
      "MUST_HAND_OVER",
      "no other user permanently holds a required role on \(what.0); "
        + "give the role to another user without an end date, or delete \(what.1), first",
      ["count": "\(count)", "entities": entities.joined(separator: " ")]
    )
  }

  /// Another call, or an operator, changed at the same time what TenancyService knows of the account.
  static let overtaken = ErrorCatalog.auth.conflict(
    "CALL_OVERTAKEN",
    "another call changed the state of the account at the same time; retry",
    retryAfter: .milliseconds(100)
  )
}
