internal import StrictJSON

/// The assertions of a policy file: a small example and the decisions that it must give.
struct PolicyAssertions {
  /// The example is at this instant, 2026-01-05T12:00:00Z, unless an expectation says otherwise.
  static let noon: Int64 = 1_767_614_400_000

  private var changes: [ForestChange] = []
  private var expectations: [PolicyExpectation] = []

  /// Reads policy files that hold together, and their assertions, which must come out.
  ///
  /// Throws all mistakes of all files.
  static func load(
    _ sources: [PolicySource],
    zones: any TimeZoneSource
  ) throws(PolicyError) -> (policy: Policy, assertions: [PolicyAssertions]) {
    let (policy, assertions, problems) = read(sources, zones: zones)
    try problems.throwIfAny()
    for (source, assertions) in assertions {
      problems.source = source
      assertions.check(policy, problems)
    }
    try problems.throwIfAny()
    return (policy, assertions.map(\.assertions))
  }

  /// Reads policy files that hold together, and their assertions with the file of each, which are not looked at yet; of
  /// no use if problems were noted.
  static func read(
    _ sources: [PolicySource],
    zones: any TimeZoneSource
  ) -> (
    policy: Policy, assertions: [(source: String, assertions: PolicyAssertions)],
    problems: PolicyProblems
  ) {
    var reader = PolicyReader(zones: zones)
    let policy = reader.read(sources)
    let problems = reader.problems
    let areDefinitionsSound = problems.noted.isEmpty
    var assertions: [(source: String, assertions: PolicyAssertions)] = []
    for document in reader.documents {
      problems.source = document.source
      guard let field = document.assertions else { continue }
      let read = Self(
        field,
        document,
        policy,
        problems,
        areDefinitionsSound: areDefinitionsSound
      )
      assertions.append((document.source, read))
    }
    return (policy, assertions, problems)
  }

  /// Reads the assertions of a file, checking every name.
  ///
  /// What depends on how types and roles are defined is checked only if those are sound.
  init(
    _ field: JSONField,
    _ document: PolicyDocument,
    _ policy: Policy,
    _ problems: PolicyProblems,
    areDefinitionsSound: Bool
  ) {
    guard var object = PolicyObject(field, problems) else { return }
    var example = PolicyExample(document, policy, areDefinitionsSound: areDefinitionsSound)
    for element in problems.elements(object.required("entities")) {
      let change = problems.attempt { () throws(JSONDecodingError) in
        try example.entity(element).map { ForestChange.putEntity($0) }
      }
      if let change = change ?? nil { changes.append(change) }
    }
    for element in problems.elements(object.optional("links")) {
      let change = problems.attempt { () throws(JSONDecodingError) in
        try example.link(element).map { ForestChange.putLink($0) }
      }
      if let change = change ?? nil { changes.append(change) }
    }
    let associations = problems.elements(object.required("associations"))
    for (index, element) in associations.enumerated() {
      let change = problems.attempt { () throws(JSONDecodingError) in
        try example.association(element, index: index).map { ForestChange.putAssociation($0) }
      }
      if let change = change ?? nil { changes.append(change) }
    }
    let suspended = object.optional("suspended") { field throws(JSONDecodingError) in
      try field.strings()
    }
    for subject in suspended ?? [] { changes.append(.setSuspended(subject, true)) }
    if let expect = object.required("expect") {
      let elements = problems.elements(expect)
      if elements.isEmpty, expect.value.array != nil {
        problems.note(expect.error("a policy must assert something"))
      }
      for element in elements {
        let expectation = problems.attempt { () throws(JSONDecodingError) in
          try PolicyExpectation(element, example, document, policy)
        }
        if let expectation { expectations.append(expectation) }
      }
    }
    for element in problems.elements(object.optional("matrix")) {
      let row = problems.attempt { () throws(JSONDecodingError) in
        try PolicyExpectation.row(element, example, document, policy)
      }
      expectations += row ?? []
    }
    object.finish()
  }

  /// The decision about an expectation.
  struct Decided {
    let action: ActionID
    /// The type of the entity; nil when there is no such entity.
    let type: EntityTypeID?
    let decision: Decision
  }

  /// The questions of the expectations, and the answers in names.
  func answers(_ policy: Policy, in source: String) -> [PolicyReview.Answer] {
    mapDecisions(policy) { expectation, decision, forest in
      PolicyReview.Answer(
        source: source,
        path: expectation.path,
        who: expectation.who,
        action: policy[expectation.action],
        on: expectation.on,
        isExpected: expectation.isMet(by: decision),
        explanation: forest.explanation(of: decision, on: forest.entity(expectation.on))
      )
    }
  }

  /// The decisions, in the order of the expectations.
  func decisions(_ policy: Policy) -> [Decided] {
    mapDecisions(policy) { expectation, decision, forest in
      let type = forest.entity(expectation.on).map { forest.type($0) }
      return Decided(action: expectation.action, type: type, decision: decision)
    }
  }

  /// One value for each expectation and its decision about the example.
  private func mapDecisions<Value>(
    _ policy: Policy,
    _ body: (PolicyExpectation, Decision, borrowing Forest) -> Value
  ) -> [Value] {
    var forest = Forest(policy: policy)
    for change in changes { forest.apply(change) }
    return expectations.map { expectation in
      let decision = forest.decide(
        subject: expectation.who,
        action: expectation.action,
        entity: expectation.on,
        context: expectation.context,
        now: expectation.now
      )
      return body(expectation, decision, forest)
    }
  }

  /// Notes everything that does not come out as it must.
  func check(_ policy: Policy, _ problems: PolicyProblems) {
    for (expectation, decided) in zip(expectations, decisions(policy)) {
      let decision = decided.decision
      guard !expectation.isMet(by: decision) else { continue }
      let wanted = expectation.reason?.rawValue ?? (expectation.isAllowed ? "allow" : "deny")
      let question =
        expectation.isOfRow ? " for \(policy[expectation.action]) by \(expectation.who)" : ""
      problems.note(
        expectation.path,
        "expected \(wanted)\(question), but the decision is \(decision.reason.rawValue)"
      )
    }
  }
}
