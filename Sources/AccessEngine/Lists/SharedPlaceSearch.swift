internal import PackedTables

/// A search for the people with whom a subject shares an entity on which the policy lets it list roles.
///
/// A person counts by any role that is not over, whatever entity it is on: those who may list the roles there see
/// it anyway. Of an entity there is one decision, however many of the people have a role on it. It goes on in
/// slices, so a check waits for a slice at most, and ends with each person's first entity that counts.
package struct SharedPlaceSearch: Sendable {
  /// Those of the people who were found.
  package private(set) var found: Set<String> = []
  /// Holders whose features decide and are not known.
  package private(set) var missing: Set<FeatureHolder> = []

  private let subject: String
  private let people: [String]
  /// Entities, by their identifiers, on which a person's roles do not count.
  private let hidden: [String: Set<String>]
  private let context: DecisionContext
  private let now: Int64
  private let features: any FeatureSource
  /// The person who is being looked at.
  private var place = 0
  /// The entities of that person that are left; nil before it begins.
  private var rest: [UInt32]?
  /// Decisions so far, which hold as long as entities keep their numbers.
  private var decided: [UInt32: Bool] = [:]
  private var generation: (policy: Int64, numbering: Int64)?

  /// A search among `people` for those whom `subject` sees now, in milliseconds since 1970; roles on the entities
  /// that are hidden of a person do not count.
  package init(
    of people: [String],
    for subject: String,
    hiding hidden: [String: Set<String>] = [:],
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) {
    (self.people, self.subject, self.context) = (people, subject, context)
    self.hidden = hidden
    (self.now, self.features) = (now, features)
  }

  /// Looks at some more entities; whether nothing is left.
  package mutating func advance(_ stepCount: Int, _ forest: borrowing Forest) -> Bool {
    let current = (policy: forest.generation, numbering: forest.numbering)
    if generation.map({ $0 == current }) != true {
      // Numbers mean something else, and so do decisions.
      (generation, rest, decided, missing) = (current, nil, [:], [])
      forest.lack(rolesOf: subject)
    }
    var stepsLeft = stepCount
    while place < people.count {
      var entities = rest ?? entities(of: people[place], forest)
      while let entity = entities.popLast() {
        if isListable(entity, forest) {
          found.insert(people[place])
          entities = []
        }
        stepsLeft -= 1
        if stepsLeft <= 0, !entities.isEmpty {
          rest = entities
          return false
        }
      }
      rest = nil
      place += 1
      // A person without any role is a step too.
      stepsLeft -= 1
      if stepsLeft <= 0 { return place == people.count }
    }
    return true
  }

  /// The entities on which a person has a role that is not over.
  private func entities(of person: String, _ forest: borrowing Forest) -> [UInt32] {
    let hidden = hidden[person, default: []]
    // Others are seen where the subject has roles, so in its trees; who has one on everything sees all.
    if forest.holdsOnSystem(subject) { forest.lack(rolesOf: person) }
    guard let person = forest.subjects.find(person) else { return [] }
    var entities: [UInt32] = []
    var next = forest.associations.head(subject: person)
    while next != 0 {
      let row = forest.associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      // Nobody lists those who administer everything.
      if row.validUntil > now, row.entity != Forest.system, entities.last != row.entity,
        hidden.isEmpty || !hidden.contains(forest.identifier(of: row.entity))
      {
        entities.append(row.entity)
      }
    }
    return entities
  }

  private mutating func isListable(_ entity: UInt32, _ forest: borrowing Forest) -> Bool {
    if let known = decided[entity] { return known }
    let type = forest.type(entity)
    let listing = forest.policy.types[Int(type.index)].entityActions.listRoles
    guard let action = listing.flatMap({ forest.policy.action(named: $0) }) else {
      decided[entity] = false
      return false
    }
    let decision = forest.decide(
      subject: forest.subjects.find(subject),
      action: action,
      entity: entity,
      context: context,
      now: now,
      features
    )
    if decision.lacksFeatures, let holder = forest.featureHolder(of: entity) {
      missing.insert(holder)
    }
    decided[entity] = decision.isAllowed
    return decision.isAllowed
  }
}
