internal import StrictJSON

/// Actions: who may, under which conditions, and what is denied.
extension PolicyReader {
  mutating func readRules(_ document: Int) {
    for member in documents[document].typeMembers {
      guard let type = documents[document].types[member.name],
        let object = member.field.value.object, let actions = object["actions"]
      else { continue }
      let field = JSONField(actions, path: "\(member.field.path).actions")
      for action in problems.members(field) {
        guard let id = actionID(action, document),
          let rule = readRule(action, of: type, document)
        else { continue }
        checkFeatures(of: rule, on: type, action.field)
        rules.append((type, id, rule))
      }
    }
    checkLinkActions(document)
    checkUseOfConditionSets(document)
  }

  /// A condition on a feature could never hold where nothing above could have one.
  private func checkFeatures(
    of rule: Policy.ActionRule,
    on type: EntityTypeID,
    _ field: JSONField
  ) {
    let asksForFeature = rule.conditions.contains { $0.reason == .featureNotAvailable }
    guard asksForFeature, !hasHolder(Int(type.index)) else { return }
    problems.note(
      field.error("needs a feature, but neither this type nor one above it holds features")
    )
  }

  private func hasHolder(_ type: Int) -> Bool {
    var seen: Set<Int> = []
    var pending = [type]
    while let current = pending.popLast() {
      guard seen.insert(current).inserted else { continue }
      if types[current].featureHolder != nil { return true }
      pending += types.indices.filter {
        types[current].parents.contains(EntityTypeID(index: UInt8($0)))
      }
    }
    return false
  }

  /// The place of an action, which several types of one policy may have; nil when it may not have its
  /// name.
  private mutating func actionID(_ member: PolicyMember, _ document: Int) -> ActionID? {
    let name = problems.attempt { () throws(JSONDecodingError) in try member.checkedName() }
    guard let name else { return nil }
    documents[document].actions.insert(name)
    guard claim(name, "action", member.field) else { return nil }
    if let id = actionIDs[name] { return id }
    guard actions.count < Policy.actionCountMax else {
      problems.note(
        member.field.path,
        "policies can have at most \(Policy.actionCountMax) actions together"
      )
      return nil
    }
    let id = ActionID(index: UInt16(actions.count))
    actions.append(name)
    actionIDs[name] = id
    return id
  }

  private mutating func readRule(
    _ member: PolicyMember,
    of type: EntityTypeID,
    _ document: Int
  ) -> Policy.ActionRule? {
    guard var object = PolicyObject(member.field, problems) else { return nil }
    let scope = documents[document]
    var rule = Policy.ActionRule.nothing
    rule.grants = scope.grantingAll
    for role in readRoleSet(object.required("roles"), scope).roles {
      rule.grants.formUnion(including[Int(role.index)])
    }
    readStepUpGrants(object.optional("with_step_up"), scope, &rule)
    rule.conditions = readConditions(object.optional("conditions"), type, document)
    for element in problems.elements(object.optional("denies")) {
      if let deny = readDeny(element, type, scope) { rule.denies.append(deny) }
    }
    if let operation = object.optional("operation") { readOperation(operation, type, &rule) }
    readAppName(&object, of: member.name, into: \.actions, scope)
    rule.conditions.sort { $0.reason.precedence < $1.reason.precedence }
    object.finish()
    rule.linkGrants = linkActions.map { roles in
      var set = RoleSet.none
      for (index, actions) in roles.enumerated() where actions.contains(member.name) {
        set.insert(RoleID(index: UInt8(index)))
      }
      return set
    }
    return rule
  }

  /// Reads the roles that grant an action with a step-up alone, by the step-up.
  private mutating func readStepUpGrants(
    _ field: JSONField?,
    _ scope: PolicyDocument,
    _ rule: inout Policy.ActionRule
  ) {
    for member in problems.members(field) {
      let bit = problems.attempt { () throws(JSONDecodingError) in
        try words.stepUp(named: member.name, member.field)
      }.flatMap { Self.bit(of: $0, member.field, in: &stepUps, problems) }
      var roles = RoleSet.none
      for role in readRoleSet(member.field, scope).roles {
        if rule.grants.contains(role) {
          let name = self.roles[Int(role.index)].name
          problems.note(member.field.error("has \(name), which grants it without a step-up"))
        }
        for other in including[Int(role.index)].roles where !rule.grants.contains(other) {
          roles.insert(other)
        }
      }
      guard let bit else { continue }
      rule.stepUpGrants.append(Policy.StepUpGrant(stepUp: bit, roles: roles))
    }
  }

  private func readRoleSet(_ field: JSONField?, _ scope: PolicyDocument) -> RoleSet {
    var set = RoleSet.none
    for element in problems.elements(field) {
      let role = problems.attempt { () throws(JSONDecodingError) in try scope.role(element) }
      if let role { set.insert(role) }
    }
    return set
  }

  func isUnreadable(_ attribute: String, of type: EntityTypeID) -> Bool {
    unreadable.contains("\(types[Int(type.index)].name).\(attribute)")
  }

  /// Actions that roles have through links must be some type's.
  private func checkLinkActions(_ document: Int) {
    let scope = documents[document]
    for role in scope.roleMembers {
      guard let through = role.field.value.object?["through"] else { continue }
      for (link, actions) in through.object?.members.map({ ($0.name, $0.value) }) ?? []
      where scope.links[link] != nil {
        let path = "\(role.field.path).through.\(link)"
        for (index, action) in (actions.array ?? []).enumerated() {
          guard let name = action.string, !scope.actions.contains(name) else { continue }
          problems.note("\(path)[\(index)]", "unknown action \"\(name)\"")
        }
      }
    }
  }
}
