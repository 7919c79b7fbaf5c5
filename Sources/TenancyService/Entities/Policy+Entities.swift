internal import AccessEngine
internal import ServiceKit

/// The policy's rules about entities and roles as such, by name: handlers outlive a policy, and its
/// numbers do not.
extension Policy {
  /// The action that it takes to do something to entities of a type; nil is nobody.
  func action(of deed: EntityDeed, on type: String) -> String? {
    guard let actions = self.type(named: type).map({ self[$0].entityActions }) else { return nil }
    return switch deed {
    case .view: actions.view
    case .update: actions.update
    case .move: actions.move
    case .delete: actions.delete
    case .listAssociations: actions.listRoles
    case .defineRoles: actions.defineRoles
    case .report: actions.report
    case .manageWebhooks: actions.manageWebhooks
    }
  }

  /// The feature that readers of reports on trees of a type must have; nil for none.
  func reportFeature(of type: String) -> String? {
    self.type(named: type).flatMap { self[$0].entityActions.reportFeature }
  }

  /// Whether an action is carried out by a thing itself.
  func isOperation(_ name: String) -> Bool {
    guard let action = action(named: name) else { return false }
    return types.contains { type in
      self.type(named: type.name).flatMap { rule(of: action, on: $0)?.operation } != nil
    }
  }

  /// The action on a parent of a type that it takes to create an entity of another type below it.
  func creation(of type: String, under parent: String) -> String? {
    self.type(named: type).flatMap { self[$0].entityActions.create[parent] }
  }

  /// Whether entities of a type may be directly below those of another one.
  func mayHang(_ type: String, under parent: String) -> Bool {
    guard let type = self.type(named: type), let parent = self.type(named: parent) else {
      return false
    }
    return self[type].parents.contains(parent)
  }

  /// Whether entities of a type can be subscribers of EntitlementService, or have points there.
  func mayHoldEntitlements(_ type: String) -> Bool {
    if FeatureHolder.Kind.ofEntities.contains(.init(rawValue: type)) { return true }
    guard let id = self.type(named: type) else { return false }
    if self[id].featureHolder != nil { return true }
    return action(named: "points.view").map { hasRule(of: $0, on: id) } ?? false
  }

  /// Some action of a type, for those who only ask whether a subject may know of an entity.
  func anyAction(on type: String) -> String? {
    guard let type = self.type(named: type) else { return nil }
    return actions.first { name in
      action(named: name).flatMap { rule(of: $0, on: type) } != nil
    }
  }

  /// The action that it takes to grant a role on an entity of a type; nil is nobody.
  func granting(_ role: String, on type: String) -> String? {
    self.role(named: role).flatMap { self[$0].roleActions.grant[type] }
  }

  /// The action that it takes to revoke a role on an entity of a type; nil is nobody.
  func revoking(_ role: String, on type: String) -> String? {
    self.role(named: role).flatMap { self[$0].roleActions.revoke[type] }
  }

  /// Whether a role is held on entities of a type.
  func isHeld(_ role: String, on type: String) -> Bool {
    guard let role = self.role(named: role), let type = self.type(named: type) else {
      return false
    }
    return self[role].heldOn.contains(type)
  }

  /// Whether somebody must have a role on each entity on which it was given.
  func isKept(_ name: String) -> Bool { role(named: name).map { self[$0].isOneKept } == true }

  /// Roles that are lent, each lender's beside the others'.
  var lentRoles: [String] { roles.filter(\.isLent).map(\.name) }

  /// Lent roles that never last longer than the right of the one who granted them.
  var followingRoles: [String] { roles.filter { $0.isLent && !$0.outlivesLender }.map(\.name) }

  /// The prefix of a type's identifiers.
  func identifierPrefix(of type: String) -> IdentifierPrefix {
    IdentifierPrefix(configured: self.type(named: type).map { self[$0].prefix } ?? "ent")
  }
}

extension Explanation {
  /// How much the subject's roles on this entity show of those of another type below it.
  func accessLevel(below type: String) -> Int {
    guard let type = policy.type(named: type) else { return 0 }
    return policy.accessLevel(of: roles(reaching: type))
  }

  /// The role that the subject gets on an entity of a type that it creates below this one.
  ///
  /// Nil if its roles let it update such an entity anyway: an administrator does not become the owner of
  /// what it creates for others.
  func creatorRole(below type: String) -> RoleID? {
    guard let type = policy.type(named: type), let role = policy[type].creatorRole else {
      return nil
    }
    let update = policy[type].entityActions.update.flatMap { policy.action(named: $0) }
    let updating = update.flatMap { policy.rule(of: $0, on: type)?.grants } ?? .none
    return roles(reaching: type).intersection(updating).isEmpty ? role : nil
  }

  private func roles(reaching type: EntityTypeID) -> RoleSet {
    decision.heldRoles.intersection(policy.reaching[Int(type.index)])
  }
}
