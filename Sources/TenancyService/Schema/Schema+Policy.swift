internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension Tenancy_V1.Schema {
  /// The words of a policy; of some types, unless that is none.
  init(_ policy: Policy, types names: Set<String>) {
    let shown = policy.types.filter { names.isEmpty || names.contains($0.name) }
      .compactMap { policy.type(named: $0.name) }
    let roles = policy.roles.filter { role in shown.contains { role.heldOn.contains($0) } }
    self.init(
      policies: policy.documents.map {
        .init(name: $0.name, version: UInt32(clamping: $0.version))
      },
      types: shown.map { .init($0, policy) },
      roles: roles.map { .init($0, policy) }
    )
  }
}

extension Tenancy_V1.TypeSchema {
  fileprivate init(_ id: EntityTypeID, _ policy: Policy) {
    let type = policy[id]
    self.init(
      name: type.name,
      parents: policy.names(of: type.parents),
      accessLevels: policy.accessLevels(of: id),
      attributes: type.attributes.map {
        .init(
          name: $0.name,
          value: .init($0.kind, unit: $0.unit, default: $0.defaultValue),
          accessLevel: policy.accessLevelName($0.accessLevel, of: id),
          setting: $0.isSetting,
          reported: $0.isReported
        )
      },
      otherAttributes: type.otherAttributesLevel.map { policy.accessLevelName($0, of: id) } ?? "",
      actions: policy.actions.compactMap { name in
        guard let action = policy.action(named: name), let rule = policy.rule(of: action, on: id)
        else { return nil }
        return .init(
          name: name,
          operation: rule.operation.map { .init($0, action: name, of: type.name) },
          appName: policy.appNames.actions[name] ?? ""
        )
      },
      appName: policy.appNames.types[type.name] ?? "",
      counts: policy.limit(counting: type.name).map { .init(limit: $0.name, of: $0.holderType) },
      membersLimit: policy.limit(ofMembersOf: type.name)?.name ?? "",
      lifecycle: .init(type.entityActions),
      selfService: policy.selfService(of: type.name)?.isEnabled ?? false
    )
  }
}

extension Tenancy_V1.Lifecycle {
  fileprivate init(_ actions: Policy.EntityActions) {
    self.init(
      create: Tenancy_V1.TypeAction.list(actions.create),
      view: actions.view ?? "",
      update: actions.update ?? "",
      move: actions.move ?? "",
      delete: actions.delete ?? "",
      listAssociations: actions.listRoles ?? "",
      defineRoles: actions.defineRoles ?? "",
      report: actions.report ?? "",
      reportFeature: actions.reportFeature ?? "",
      manageWebhooks: actions.manageWebhooks ?? ""
    )
  }
}

extension Tenancy_V1.TypeAction {
  /// Actions by the type that each is on, sorted by that.
  fileprivate static func list(_ actions: [String: String]) -> [Self] {
    actions.sorted { $0.key < $1.key }.map { .init(type: $0.key, action: $0.value) }
  }
}

extension Tenancy_V1.OperationSchema {
  fileprivate init(_ operation: Policy.Operation, action: String, of type: String) {
    let prefix = "\(type)."
    self.init(
      name: action.hasPrefix(prefix) ? String(action.dropFirst(prefix.count)) : action,
      kinds: operation.kinds,
      parameters: operation.parameters.map {
        .init(
          name: $0.name,
          value: .init($0.kind, unit: $0.unit, default: $0.defaultValue),
          required: $0.isRequired,
          sets: operation.setsAttributes ? "" : $0.sets
        )
      },
      desiredState: operation.desiredState ?? "",
      setsAttributes: operation.setsAttributes
    )
  }
}

extension Tenancy_V1.ValueSchema {
  fileprivate init(_ kind: Attribute.Kind, unit: String, default value: Attribute.Value?) {
    self.init(unit: unit)
    switch kind {
    case .text(let byteCountMax): (self.kind, maxBytes) = (.text, UInt32(clamping: byteCountMax))
    case .integer(let range):
      self.kind = .integer
      min = range.lowerBound == .min ? nil : Double(range.lowerBound)
      max = range.upperBound == .max ? nil : Double(range.upperBound)
    case .number(let range):
      self.kind = .number
      min = range.lowerBound == -.greatestFiniteMagnitude ? nil : range.lowerBound
      max = range.upperBound == .greatestFiniteMagnitude ? nil : range.upperBound
    case .boolean: self.kind = .boolean
    case .choice(let choices): (self.kind, self.choices) = (.choice, choices)
    case .color: self.kind = .color
    }
    defaultValue = value.map { AttributeMapping.value(AttributeMapping.json($0)) }
  }
}

extension Tenancy_V1.RoleSchema {
  fileprivate init(_ role: Policy.Role, _ policy: Policy) {
    let shown = policy.shownType(to: role)
    self.init(
      name: role.name,
      on: policy.names(of: role.heldOn),
      inheritsTo: policy.names(of: role.inheritsTo),
      accessLevel: shown.map { policy.accessLevelName(role.accessLevel, of: $0) } ?? "",
      appName: policy.appNames.roles[role.name] ?? "",
      grantedBy: Tenancy_V1.TypeAction.list(role.roleActions.grant),
      revokedBy: Tenancy_V1.TypeAction.list(role.roleActions.revoke),
      windowRequired: role.isWindowRequired,
      recurringRequired: role.isRecurringRequired
    )
  }
}
