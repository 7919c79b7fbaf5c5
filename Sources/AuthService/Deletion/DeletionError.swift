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
        ? "the deletion of the account has begun and waits for somebody else to have the roles "
          + "that only its user has; give them to somebody, or have the user cancel it"
        : "the deletion of the account has begun already; its user can still cancel it"
    )
  }

  /// The user is the last one with a role that somebody must have; the first entities are named.
  static func mustHandOver(_ entities: [String], count: Int) -> RPCError {
    let what = count == 1 ? ("one entity", "it") : ("\(count) entities", "them")
    return RPCError(
      .failedPrecondition,
      reason: "MUST_HAND_OVER",
      domain: domain,
      message: "nobody else can act for good by a role that somebody must have on \(what.0); "
        + "give it to somebody without an end, or delete \(what.1), first",
      metadata: ["count": "\(count)", "entities": entities.joined(separator: " ")]
    )
  }
}
