internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension TenancyCore {
  /// An entity of any type, as far as an access level of a policy shows it.
  func message(
    entity record: EntityRecord,
    accessLevel: Int,
    _ policy: Policy
  ) -> Tenancy_V1.Entity {
    guard let typeID = policy.type(named: record.type) else {
      preconditionFailure("\(record.id) is of no type of the policy that has decided on it")
    }
    let type = policy[typeID]
    let attributes = AttributeMapping.visible(record, type: type, accessLevel: accessLevel)
    let shown = type.attributes.filter { $0.accessLevel <= accessLevel }.map(\.name)
    return Tenancy_V1.Entity(
      id: record.id,
      type: record.type,
      parentId: record.parentID,
      name: record.name,
      attributes: attributes,
      accessLevel: policy.accessLevelName(accessLevel, of: typeID),
      visibleAttributes: Set(shown).union(attributes.fields.keys).sorted(),
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      revision: tokens.token(revision: record.revision)
    )
  }

  /// An entity as a decision about it shows it.
  func message(entity record: EntityRecord, _ explanation: Explanation) -> Tenancy_V1.Entity {
    message(entity: record, accessLevel: explanation.accessLevel, explanation.policy)
  }
}
