internal import Contracts
internal import RPCKit
internal import ServiceKit

extension TenancyCore {
  /// An association as a message.
  func message(association record: AssociationRecord) -> Tenancy_V1.RoleAssociation {
    Tenancy_V1.RoleAssociation(
      id: record.id,
      userId: record.userID,
      entityType: record.entityType,
      entityId: record.entityID,
      role: record.role,
      validFrom: record.validFrom.map { .init(milliseconds: $0) },
      validUntil: record.validUntil.map { .init(milliseconds: $0) },
      grantedBy: record.grantedBy,
      createdAt: .init(milliseconds: record.createdAt),
      entityName: record.entityName
    )
  }
}
