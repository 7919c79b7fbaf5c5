/// The operators and support people of the whole installation, who exist whether or not a policy file speaks of them.
///
/// A file that is loaded beside others cannot declare `super_admin` again, and one that is loaded alone
/// needs it; so no file has to.
extension PolicyReader {
  /// Makes the built-in roles known to every file that does not declare them.
  mutating func nameBuiltInRoles() {
    builtInOperator = nameBuiltIn(Policy.operatorRole)
    builtInSupport = nameBuiltIn(Policy.supportRole)
  }

  /// The role, unless a file declares one of that name.
  private mutating func nameBuiltIn(_ name: String) -> RoleID? {
    let declared = roles.firstIndex { $0.name == name }.map { RoleID(index: UInt8($0)) }
    // The role limit leaves room for both; a policy that was accepted under an older one may leave none.
    guard declared != nil || roles.count < RoleSet.countMax else { return nil }
    let role = declared ?? RoleID(index: UInt8(roles.count))
    if declared == nil { roles.append(Policy.Role(name: name)) }
    for place in documents.indices where documents[place].roles[name] == nil {
      documents[place].roles[name] = role
    }
    return declared == nil ? role : nil
  }

  /// Gives a `super_admin` that no file declares every action, everywhere; a `support`, none.
  mutating func readBuiltInRoles() {
    if let role = builtInOperator {
      var operators = Policy.Role(name: Policy.operatorRole)
      operators.heldOn = EntityTypeSet(.system)
      operators.inheritsTo = EntityTypeSet(count: types.count)
      operators.throughLinks = [Bool](repeating: false, count: links.count)
      operators.accessLevel = levelMax
      roles[Int(role.index)] = operators
      for place in documents.indices { documents[place].grantingAll.insert(role) }
    }
    if let role = builtInSupport {
      var support = Policy.Role(name: Policy.supportRole)
      support.heldOn = EntityTypeSet(.system)
      support.throughLinks = [Bool](repeating: false, count: links.count)
      roles[Int(role.index)] = support
    }
  }

  /// Adds what operators' and support people's own calls ask for, unless a file declares it.
  mutating func readBuiltInActions() {
    readBuiltInAction(Policy.administration, of: [Policy.operatorRole])
    readBuiltInAction(Policy.inspection, of: [Policy.operatorRole, Policy.supportRole])
  }

  private mutating func readBuiltInAction(_ name: String, of names: [String]) {
    defer {
      for place in documents.indices { documents[place].actions.insert(name) }
    }
    let granting = names.compactMap { name in roles.firstIndex { $0.name == name } }
      // A product may call a role of its own objects "support".
      .filter { roles[$0].name == Policy.operatorRole || roles[$0].heldOn.contains(.system) }
    guard actionIDs[name] == nil, !granting.isEmpty else { return }
    let action = ActionID(index: UInt16(actions.count))
    actions.append(name)
    actionIDs[name] = action
    var rule = Policy.ActionRule.nothing
    for role in granting { rule.grants.formUnion(including[role]) }
    // A user who may do everything may do this too.
    for document in documents { rule.grants.formUnion(document.grantingAll) }
    rule.linkGrants = links.map { _ in .none }
    rules.append((.system, action, rule))
  }
}
