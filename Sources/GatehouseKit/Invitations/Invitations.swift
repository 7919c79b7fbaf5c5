public import Foundation

/// The state of an invitation; open, since a newer server may know more.
public struct InvitationState: OpenName, Codable {
  /// The name.
  public var rawValue: String

  /// Makes a state.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It waits for the person.
  public static let pending: InvitationState = "INVITATION_STATE_PENDING"
  /// The person has taken it.
  public static let accepted: InvitationState = "INVITATION_STATE_ACCEPTED"
  /// The person does not want it.
  public static let declined: InvitationState = "INVITATION_STATE_DECLINED"
  /// It was taken back.
  public static let revoked: InvitationState = "INVITATION_STATE_REVOKED"
  /// Nobody has answered it in time.
  public static let expired: InvitationState = "INVITATION_STATE_EXPIRED"
}

/// An invitation to a role on an object.
public struct Invitation: Codable, Hashable, Sendable {
  /// Identifier, `inv_…`.
  public var id: String
  /// The object.
  public var entityId: String
  /// Its type, as the policy names it.
  public var entityType: String
  /// Its name.
  public var entityName: String
  /// The role, as the policy names it.
  public var role: String
  /// The address that it is for; absent if everybody with the code may take it.
  public var email: String?
  /// When the role begins; absent means at once.
  public var validFrom: Date?
  /// When the role ends; absent means never.
  public var validUntil: Date?
  /// Until when it can be taken.
  public var expiresAt: Date?
  /// Its state.
  public var state: InvitationState
  /// The name of who invites.
  public var invitedByName: String?
  /// Changes with every change.
  public var revision: String
}

/// An invitation that was just made.
public struct NewInvitation: Decodable, Hashable, Sendable {
  /// The invitation.
  public var invitation: Invitation
  /// The code to hand on, which nobody gets a second time; absent if it went to an address.
  public var code: String?
}

/// Invitations for the person, and those that it makes.
public struct Invitations: Sendable {
  private struct Page: AnswerPage {
    var invitations: [Invitation]
    var nextPageToken: String?
    var items: [Invitation] { invitations }
  }

  private struct Making: Encodable {
    var entityId: String
    var role: String
    var email: String?
    var validFrom: Date?
    var validUntil: Date?
    var expiresAt: Date?
  }

  private struct Code: Encodable { var code: String }

  let core: Core

  private func path(_ id: String, _ rest: String = "") -> String {
    "invitations/\(Call.segment(id))\(rest)"
  }

  /// Those that wait for the person, by its verified address.
  public func received() async throws -> [Invitation] {
    try await core.all("users/me/invitations", as: Page.self)
  }

  /// Those of an object.
  public func list(of entity: String, pendingOnly: Bool = false) async throws -> [Invitation] {
    let query = [("entityId", entity), ("pending", pendingOnly ? "true" : "false")]
    return try await core.all("invitations", query: query, as: Page.self)
  }

  /// Invites to a role on an object, once, however often it has to be sent.
  @discardableResult
  public func invite(
    to entity: String,
    as role: Role,
    email: String? = nil,
    validFrom: Date? = nil,
    validUntil: Date? = nil,
    expiresAt: Date? = nil
  ) async throws -> NewInvitation {
    let body = Making(
      entityId: entity,
      role: role.rawValue,
      email: email,
      validFrom: validFrom,
      validUntil: validUntil,
      expiresAt: expiresAt
    )
    let call = try Call(.post, "invitations", body: body).once()
    return try await core.call(call, as: NewInvitation.self)
  }

  /// Takes an invitation; the person's roles are read again before it returns.
  public func accept(_ id: String) async throws {
    try await take(Call(.post, path(id, "/accept"), body: NoBody()))
  }

  /// Takes an invitation by the code that was handed on.
  public func accept(code: String) async throws {
    try await take(Call(.post, "invitations/accept", body: Code(code: code)))
  }

  private func take(_ call: Call) async throws {
    _ = try await core.call(call.once(), as: NoAnswer.self)
    _ = try? await core.refreshUser()
  }

  /// Declines an invitation.
  public func decline(_ id: String) async throws {
    let call = try Call(.post, path(id, "/decline"), body: NoBody()).once()
    _ = try await core.call(call, as: NoAnswer.self)
  }

  /// Takes back an invitation that nobody has taken yet.
  public func revoke(_ id: String) async throws {
    _ = try await core.call(Call(.delete, path(id)), as: NoAnswer.self)
  }
}
