internal import RPCKit
internal import ServiceKit

/// Errors about deletions of accounts.
extension AuthError {
  static let deletionNotFound = RPCError(
    .notFound,
    reason: "DELETION_NOT_FOUND",
    domain: domain,
    message: "no deletion found; call DeleteAccount to begin one"
  )

  /// Nothing that was erased comes back.
  static let deletionUnderWay = RPCError(
    .failedPrecondition,
    reason: "DELETION_UNDER_WAY",
    domain: domain,
    message: "the account is being erased, which cannot be undone"
  )

  /// The deletion of an account was asked for before, and nothing is erased yet.
  static func deletionBegun(isBlocked: Bool) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "DELETION_BEGUN",
      domain: domain,
      message: isBlocked
        ? "the account's deletion has begun and waits for another holder of the roles that only "
          + "this user has; give them to another user, or have the user cancel it"
        : "the account's deletion has begun already; the user can still cancel it"
    )
  }

  /// The user is the last one with a role that somebody must have; the first entities are named.
  static func mustHandOver(_ entities: [String], count: Int) -> RPCError {
    let what = count == 1 ? ("one entity", "it") : ("\(count) entities", "them")
    return RPCError(
      .failedPrecondition,
      reason: "MUST_HAND_OVER",
      domain: domain,
      message: "no other user permanently holds a required role on \(what.0); "
        + "give the role to another user without an end date, or delete \(what.1), first",
      metadata: ["count": "\(count)", "entities": entities.joined(separator: " ")]
    )
  }
}
