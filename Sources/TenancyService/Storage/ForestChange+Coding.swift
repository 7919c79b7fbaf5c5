internal import ServiceKit

/// What the change log keeps of a change of the forest.
///
/// Names instead of places in the policy, so that a change outlives the order in a policy file.
extension ForestChange {
  /// The kind in the change log.
  var kind: String {
    switch self {
    case .putEntity: "entity.put"
    case .removeEntity: "entity.removed"
    case .putAssociation: "association.put"
    case .removeAssociation: "association.removed"
    case .putLink: "link.put"
    case .removeLink: "link.removed"
    case .setSuspended: "subject.suspended"
    }
  }

  /// The payload in the change log.
  func payload(_ policy: Policy) -> [UInt8] {
    let value: JSONValue
    switch self {
    case .putEntity(let row):
      value = [
        .string(row.id), .string(policy[row.type].name), .string(row.parent), .string(row.name),
        .array(row.codes.map { .number(JSONNumber($0)) }),
      ]
    case .removeEntity(let id), .removeAssociation(let id): value = [.string(id)]
    case .putAssociation(let row):
      value = [
        .string(row.id), .string(row.subject), .string(policy[row.role].name),
        .string(row.entity), .number(JSONNumber(row.validFrom)),
        .number(JSONNumber(row.validUntil)),
      ]
    case .putLink(let row), .removeLink(let row):
      value = [.string(policy[row.link].name), .string(row.from), .string(row.to)]
    case .setSuspended(let subject, let isSuspended):
      value = [.string(subject), .boolean(isSuspended)]
    }
    return [UInt8](value.text.utf8)
  }

  /// Reads a change back; nil when it is none of the forest, or speaks of what the policy has not.
  init?(kind: String, payload: [UInt8], policy: Policy) {
    let limits = JSONLimits(byteCountMax: 1 << 20)
    guard let fields = try? JSONReader.read(payload, limits: limits).array,
      let first = fields.first?.string
    else { return nil }
    switch (kind, fields.count) {
    case ("entity.put", 5):
      guard let type = fields[1].string.flatMap({ policy.type(named: $0) }),
        let parent = fields[2].string, let name = fields[3].string,
        let codes = fields[4].array?.compactMap({ $0.integer.flatMap { UInt8(exactly: $0) } })
      else { return nil }
      self = .putEntity(
        EntityRow(id: first, type: type, parent: parent, name: name, codes: codes)
      )
    case ("entity.removed", 1): self = .removeEntity(first)
    case ("association.put", 6):
      guard let subject = fields[1].string,
        let role = fields[2].string.flatMap({ policy.role(named: $0) }),
        let entity = fields[3].string, let from = fields[4].integer, let until = fields[5].integer
      else { return nil }
      self = .putAssociation(
        AssociationRow(
          id: first,
          subject: subject,
          role: role,
          entity: entity,
          validFrom: from,
          validUntil: until
        )
      )
    case ("association.removed", 1): self = .removeAssociation(first)
    case ("link.put", 3), ("link.removed", 3):
      guard let link = policy.link(named: first), let from = fields[1].string,
        let to = fields[2].string
      else { return nil }
      let row = LinkRow(link: link, from: from, to: to)
      self = kind == "link.put" ? .putLink(row) : .removeLink(row)
    case ("subject.suspended", 2):
      guard let isSuspended = fields[1].boolean else { return nil }
      self = .setSuspended(first, isSuspended)
    default: return nil
    }
  }
}
