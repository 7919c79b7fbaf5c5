internal import RPCKit
internal import ServiceKit

enum InvitationError {
  static func tooMany(_ limit: InvitationLimit, max: Int) -> RPCError {
    let whose =
      switch limit {
      case .entity: "this entity has"
      case .inviter: "you have"
      }
    return ErrorCatalog.tenancy.precondition(
      "TOO_MANY_INVITATIONS",
      "\(whose) \(max) pending invitations; revoke some first",
      ["limit": limit.rawValue, "max": "\(max)"]
    )
  }

  static func tooManyResends(wait: Int64) -> RPCError {
    ErrorCatalog.tenancy.limited(
      "TOO_MANY_RESENDS",
      "the invitation was sent again \(InvitationLimits.resentMax) times within a day; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }

  /// The users to whom a closed invitation is of no use.
  enum Reader {
    /// One who may revoke it.
    case inviter
    /// The one who has accepted it.
    case accepter
    /// Another one whom it is for.
    case invited
  }

  /// An invitation that is of no use to `reader`, on whom it depends what helps.
  static func closed(_ state: String, for reader: Reader = .inviter) -> RPCError {
    let advice =
      switch reader {
      case .inviter: "the invitation was accepted already; revoke the role instead"
      case .accepter: "you have accepted the invitation already; leave the role instead"
      case .invited: "another account has accepted the invitation already; ask for a new one"
      }
    return ErrorCatalog.tenancy.precondition(
      "INVITATION_CLOSED",
      state == "accepted"
        ? advice
        : "the invitation has \(state == "expired" ? "expired" : "been \(state)"); ask for a new one",
      ["state": state]
    )
  }

  /// The role is not what it was when somebody was invited to it.
  static let roleChanged = ErrorCatalog.tenancy.precondition(
    "ROLE_CHANGED",
    "the role was changed after the invitation was made; ask for a new one"
  )

  /// The upgrade made no invitation of such a role, or nothing is left of it.
  static let convertedRoleNotFound = ErrorCatalog.tenancy.notFound(
    "CONVERTED_ROLE_NOT_FOUND",
    "no converted role with this identifier; list them with `gatehouse restore-roles`"
  )
}
