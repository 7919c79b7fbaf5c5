/// The operators of the whole installation, who exist whether or not a policy file speaks of them.
///
/// A file that is loaded beside others cannot declare `super_admin` again, and one that is loaded alone
/// needs it; so no file has to.
extension PolicyReader {
  /// Makes `super_admin` known to every file that does not declare it.
  mutating func nameOperators() {
    let name = Policy.operatorRole
    let declared = roles.firstIndex { $0.name == name }.map { RoleID(index: UInt8($0)) }
    // The role limit is one below what a set has room for, so there is always a place for this one.
    let role = declared ?? RoleID(index: UInt8(roles.count))
    if declared == nil {
      roles.append(Policy.Role(name: name))
      builtInOperator = role
    }
    for place in documents.indices where documents[place].roles[name] == nil {
      documents[place].roles[name] = role
    }
  }

  /// Gives a `super_admin` that no file declares every action, everywhere.
  mutating func readOperators() {
    guard let role = builtInOperator else { return }
    var operators = Policy.Role(name: Policy.operatorRole)
    operators.heldOn = EntityTypeSet(.system)
    operators.inheritsTo = EntityTypeSet(count: types.count)
    operators.throughLinks = [Bool](repeating: false, count: links.count)
    operators.accessLevel = levelMax
    roles[Int(role.index)] = operators
    for place in documents.indices { documents[place].grantingAll.insert(role) }
  }

  /// Adds `system.administer`, which the operators' own calls ask for, unless a file declares it.
  mutating func readAdministration() {
    let name = Policy.administration
    defer {
      for place in documents.indices { documents[place].actions.insert(name) }
    }
    guard actionIDs[name] == nil,
      let role = roles.firstIndex(where: { $0.name == Policy.operatorRole })
    else { return }
    let action = ActionID(index: UInt16(actions.count))
    actions.append(name)
    actionIDs[name] = action
    var rule = Policy.ActionRule.nothing
    // A user who may do everything may do this too.
    rule.grants = documents.reduce(into: including[role]) { $0.formUnion($1.grantingAll) }
    rule.linkGrants = links.map { _ in .none }
    rules.append((.system, action, rule))
  }
}
