internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension TenancyCore {
  /// An invitation as a message.
  ///
  /// Of one that an upgrade made of a role, the one who gave the role need not know the address of its user.
  func message(
    invitation record: InvitationRecord,
    toInvited: Bool = false,
    now: Int64
  ) -> Tenancy_V1.Invitation {
    var message = Tenancy_V1.Invitation(
      id: record.id,
      entityId: record.entityID,
      entityType: record.entityType,
      entityName: record.entityName,
      role: record.role,
      email: toInvited || record.convertedFrom.isEmpty ? record.email : ""
    )
    message.convertedFrom = record.convertedFrom
    message.validFrom = record.validFrom.map { .init(milliseconds: $0) }
    message.validUntil = record.validUntil.map { .init(milliseconds: $0) }
    message.recurring = record.recurring.map { .init($0) }
    message.expiresAt = .init(milliseconds: record.expiresAt)
    message.state =
      switch record.state {
      case .pending: record.isOpen(at: now) ? .pending : .expired
      case .accepted: .accepted
      case .declined: .declined
      case .revoked: .revoked
      }
    message.invitedBy = record.invitedBy
    message.createdAt = .init(milliseconds: record.createdAt)
    message.closedAt = record.closedAt.map { .init(milliseconds: $0) }
    message.closedBy = record.closedBy
    message.updatedAt = .init(milliseconds: record.updatedAt)
    message.revision = tokens.token(revision: record.revision)
    message.mailedAt = record.mailedAt.map { .init(milliseconds: $0) }
    return message
  }

  /// The invitation that a grant by address made, as the role that it stands for.
  func message(invited record: InvitationRecord) -> Tenancy_V1.RoleAssociation {
    let base = record.madeFor.map { InvitedRole.base(of: $0) }
    let names = policy.appNames
    return Tenancy_V1.RoleAssociation(
      entityType: record.entityType,
      entityId: record.entityID,
      role: base ?? record.role,
      validFrom: record.validFrom.map { .init(milliseconds: $0) },
      validUntil: record.validUntil.map { .init(milliseconds: $0) },
      grantedBy: record.invitedBy,
      createdAt: .init(milliseconds: record.createdAt),
      entityName: record.entityName,
      recurring: record.recurring.map { .init($0) },
      customRole: (base ?? record.role) == record.role ? "" : record.role,
      invitationId: record.id,
      associatedEntityType: names.name(ofType: record.entityType),
      associatedEntityId: record.entityID,
      roleWithinEntity: names.name(ofRole: base ?? record.role),
      inApp: names.know(type: record.entityType, role: base ?? record.role)
    )
  }
}

extension InvitationDraft {
  /// Reads a request; INVALID_ARGUMENT for instants and hours that are none.
  init(_ request: Tenancy_V1.CreateInvitationRequest) throws(RPCError) {
    (entityID, role, email) = (request.entityId, request.role, request.email)
    if !email.isEmpty { try EmailAddress(email).requireMailable() }
    validFrom = try request.validFrom?.milliseconds(field: "valid_from")
    validUntil = try request.validUntil?.milliseconds(field: "valid_until")
    recurring = try request.recurring?.checked(field: "recurring")
    expiresAt = try request.expiresAt?.milliseconds(field: "expires_at")
    replacesWindow = false
  }
}
