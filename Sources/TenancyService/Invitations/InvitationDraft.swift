internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An invitation to make.
struct InvitationDraft: Sendable {
  let entityID: String
  let role: String
  let email: String
  /// Milliseconds since 1970.
  let validFrom: Int64?
  let validUntil: Int64?
  let recurring: RecurringWindow?
  /// Also when anyone who accepts has the role for another time.
  let replacesWindow: Bool
  let expiresAt: Int64?

  /// One that stands for a grant to the person who proves to receive mail at an address.
  init(
    email: String,
    role: String,
    on entityID: String,
    during window: RoleWindow,
    replacesWindow: Bool = false,
    expiresAt: Int64? = nil
  ) {
    (self.email, self.role, self.entityID) = (email, role, entityID)
    (validFrom, validUntil, recurring) = (window.from, window.until, window.recurring)
    self.replacesWindow = replacesWindow
    self.expiresAt = expiresAt
  }

  /// Until when it can be accepted; INVALID_ARGUMENT for a time that is past or too far away.
  func expiry(now: Int64) throws(RPCError) -> Int64 {
    let expiry = try Self.expiry(expiresAt ?? now + InvitationLimits.lifetimeStandard, now: now)
    return min(expiry, validUntil ?? .max)
  }

  /// An instant until which an invitation may be accepted; INVALID_ARGUMENT for others.
  static func expiry(_ expiry: Int64, now: Int64) throws(RPCError) -> Int64 {
    guard expiry > now, expiry - now <= InvitationLimits.lifetimeMax else {
      let dayCount = InvitationLimits.lifetimeMax / 86_400_000
      throw ErrorCatalog.tenancy.invalid(
        "expires_at",
        "EXPIRY_INVALID",
        "must be later than now and within \(dayCount) days"
      )
    }
    return expiry
  }
}

extension RoleDraft {
  /// The same as an invitation of an address.
  func invitation(of email: String) -> InvitationDraft {
    InvitationDraft(
      email: email,
      role: role,
      on: entityID,
      during: window,
      replacesWindow: replacesWindow
    )
  }
}

/// Which invitation somebody accepts or declines.
enum NamedInvitation: Sendable {
  case id(String)
  case code(PassedCode)

  /// Takes the two fields of a request, of which exactly one has to be given.
  init(id: String, code: String) throws(RPCError) {
    switch (id.isEmpty, code.isEmpty) {
    case (false, true): self = .id(id)
    case (true, false): self = .code(PassedCode(typed: code))
    case (true, true):
      throw ErrorCatalog.tenancy.invalid("invitation_id", "REQUIRED", "must be set, unless code is")
    case (false, false):
      throw ErrorCatalog.tenancy.invalid(
        "code",
        "INVITATION_NAMED_TWICE",
        "must be empty when invitation_id is set"
      )
    }
  }
}
