internal import StrictJSON

/// A decision that must follow from the example of a policy's assertions.
struct PolicyExpectation {
  /// Where it is said.
  let path: String
  /// Whether it is one of several that a row of the matrix says together.
  let isOfRow: Bool
  let who: String
  let action: ActionID
  let on: String
  let isAllowed: Bool
  let reason: ReasonCode?
  let context: DecisionContext
  let now: Int64

  /// Whether a decision is the one that must follow.
  func isMet(by decision: Decision) -> Bool {
    decision.isAllowed == isAllowed && (reason.map { $0 == decision.reason } ?? true)
  }

  private enum Outcome: String, CaseIterable {
    case allow
    case deny
  }

  /// When, and after what, something is asked.
  private struct Situation {
    let context: DecisionContext
    let now: Int64

    init(_ members: inout JSONMembers, _ example: PolicyExample) throws(JSONDecodingError) {
      let at =
        try members.optional("at_seconds")?.integer(in: -1_000_000_000...1_000_000_000) ?? 0
      context = try example.context(
        stepUps: members.optional("step_ups"),
        features: members.optional("features")
      )
      now = PolicyAssertions.noon + at * 1000
    }
  }

  /// Reads an element of `expect`.
  init(
    _ field: JSONField,
    _ example: PolicyExample,
    _ document: PolicyDocument,
    _ policy: Policy
  ) throws(JSONDecodingError) {
    var members = try field.members()
    who = try members.required("who").string()
    action = try Self.action(try members.required("action"), document, policy)
    on = try members.required("on").string()
    let outcome = try members.required("expect").choice(of: Outcome.self)
    var reason: ReasonCode?
    if let text = members.optional("reason") {
      reason = ReasonCode(rawValue: try text.string())
      guard let reason, (reason == .allowed) == (outcome == .allow) else {
        throw text.error("is not a reason for this decision")
      }
    }
    let situation = try Situation(&members, example)
    try members.finish()
    (path, isOfRow, isAllowed) = (field.path, false, outcome == .allow)
    self.reason = reason
    (context, now) = (situation.context, situation.now)
  }

  private init(
    _ path: String,
    _ who: String,
    _ action: ActionID,
    _ on: String,
    isAllowed: Bool,
    _ situation: Situation
  ) {
    (self.path, self.who, self.action, self.on) = (path, who, action, on)
    (isOfRow, self.isAllowed, reason) = (true, isAllowed, nil)
    (context, now) = (situation.context, situation.now)
  }

  /// Reads an element of `matrix`: all that each of some users may do to an entity, so that everything else
  /// that the policy lets anybody do to its type is denied to them.
  ///
  /// Says nothing while a mistake elsewhere leaves the entity without a type.
  static func row(
    _ field: JSONField,
    _ example: PolicyExample,
    _ document: PolicyDocument,
    _ policy: Policy
  ) throws(JSONDecodingError) -> [PolicyExpectation] {
    var members = try field.members()
    let users = try members.required("who").strings()
    let (on, type) = try example.entity(named: try members.required("on"))
    let elements = try members.required("may").elements()
    var allowed: Set<ActionID> = []
    for element in elements {
      guard allowed.insert(try action(element, document, policy)).inserted else {
        throw element.error("is given twice")
      }
    }
    let situation = try Situation(&members, example)
    try members.finish()
    guard example.areDefinitionsSound, let type else { return [] }
    for element in elements {
      guard policy.rule(of: try action(element, document, policy), on: type) != nil else {
        throw element.error("is not an action on \(on)")
      }
    }
    let actions = policy.actions.indices.map { ActionID(index: UInt16($0)) }.filter {
      // Other policies may add actions to the system.
      policy.rule(of: $0, on: type) != nil && document.actions.contains(policy[$0])
    }
    return users.flatMap { who in
      actions.map { action in
        let isAllowed = allowed.contains(action)
        return Self(field.path, who, action, on, isAllowed: isAllowed, situation)
      }
    }
  }

  private static func action(
    _ field: JSONField,
    _ document: PolicyDocument,
    _ policy: Policy
  ) throws(JSONDecodingError) -> ActionID {
    let name = try field.string()
    guard document.actions.contains(name), let action = policy.action(named: name) else {
      throw field.error("is not an action of this policy")
    }
    return action
  }
}
