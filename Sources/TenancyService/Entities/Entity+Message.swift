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

extension EntityDraft {
  /// INVALID_ARGUMENT for a type that there is none of, or attributes that it cannot have.
  init(_ new: Tenancy_V1.NewEntity, field: String, _ policy: Policy) throws(RPCError) {
    guard let type = policy.type(named: new.type), type != .system else {
      throw EntityError.typeUnknown("\(field).type")
    }
    (self.type, prefix) = (new.type, nil)
    parentID = new.parentId.isEmpty ? Forest.systemIdentifier : new.parentId
    name = new.name
    let given = try AttributeMapping.changes(
      new.attributes,
      type: policy[type],
      field: "\(field).attributes"
    )
    attributes = try AttributeMapping.merged(
      [:],
      AttributeMapping.written(given, type: policy[type], field: "\(field).attributes"),
      field: "\(field).attributes"
    )
    self.field = field
  }
}

extension StoredFilter {
  /// Reads a filter of a request for an attribute that is text or an integer.
  ///
  /// FILTER_INVALID when it compares nothing, or compares text with numbers.
  init(
    _ filter: Tenancy_V1.AttributeFilter,
    _ attribute: Attribute,
    field: String
  ) throws(RPCError) {
    func invalid(_ member: String, _ problem: String) -> RPCError {
      ErrorCatalog.tenancy.invalid("\(field).\(member)", "FILTER_INVALID", problem)
    }
    let isBounded = filter.atLeast != nil || filter.atMost != nil
    guard !filter.values.isEmpty || !filter.prefix.isEmpty || isBounded else {
      throw invalid("values", "must be set, or a prefix or bound in its place")
    }
    self.attribute = attribute
    if attribute.kind.isNumeric {
      guard filter.prefix.isEmpty else { throw invalid("prefix", "is for text attributes only") }
      var values: Set<Int64> = []
      for (index, text) in filter.values.enumerated() {
        guard let value = Int64(text) else {
          throw invalid("values[\(index)]", "must be an integer, like \(filter.name)")
        }
        values.insert(value)
      }
      let (least, most) = (filter.atLeast ?? .min, filter.atMost ?? .max)
      guard least <= most else { throw invalid("at_most", "must not be less than at_least") }
      condition = .integer(values: values, least...most)
    } else {
      guard !isBounded else {
        throw invalid(
          filter.atLeast != nil ? "at_least" : "at_most",
          "is for integer attributes only"
        )
      }
      condition = .text(values: Set(filter.values), prefix: filter.prefix)
    }
  }
}

extension Tenancy_V1.Entity: PutBackMessage {
  static let readOnlyFields: [ReadOnlyField<Self>] = [
    .init("id") { $0.id },
    .init("type") { $0.type },
    .init("parent_id") { $0.parentId },
    .init("access_level") { $0.accessLevel },
    .init("visible_attributes") { $0.visibleAttributes },
    .init("created_at") { $0.createdAt },
    .init("updated_at") { $0.updatedAt },
  ]
}
