public import PeerContracts
internal import ServiceKit

/// The mail for an invited person.
public struct InvitationLetter: Hashable, Sendable {
  /// The invitation.
  public let invitationID: String
  /// The invited address, as it was given.
  public let email: String
  /// The code that accepts the invitation.
  public let code: String
  /// The user who invites.
  public let inviterID: String
  /// The role, as the policy names it.
  public let role: String
  /// The type of the entity that the role is on.
  public let entityType: String
  /// The name of the entity.
  public let entityName: String
  /// The name of what that is in; empty if the mail need not say it.
  public let parentName: String
  /// Tells mails of one invitation apart: 0 for the first one.
  public let letter: Int64
  /// Until when it can be accepted, in milliseconds since 1970.
  public let expires: Int64
}

/// Where letters to invited people are handed over.
public protocol InvitationPost: Sendable {
  /// Takes a letter; taking one again is harmless.
  ///
  /// Throws `RPCError`: INVALID_ARGUMENT and NOT_FOUND for one that can never be sent, anything else for one
  /// that is worth another attempt.
  func take(_ letter: InvitationLetter) async throws
}

/// AuthService, which sends mails.
public struct AuthInvitationPost: InvitationPost {
  private let accounts: Auth_V1.AccountsClient

  /// Hands over through a client whose channel proves which service is calling.
  public init(_ accounts: Auth_V1.AccountsClient) { self.accounts = accounts }

  /// See `InvitationPost.take`.
  public func take(_ letter: InvitationLetter) async throws {
    _ = try await accounts.sendInvitation(
      Auth_V1.SendInvitationRequest(
        invitationId: letter.invitationID,
        email: letter.email,
        code: letter.code,
        inviterId: letter.inviterID,
        role: letter.role,
        entityType: letter.entityType,
        expiresAt: .init(milliseconds: letter.expires),
        entityName: letter.entityName,
        parentName: letter.parentName,
        letter: UInt32(clamping: letter.letter)
      ),
      timeout: .seconds(5)
    )
  }
}
