import Foundation

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Entities, associations and links at random, in the engine and in the naive evaluator alike.
struct RandomWorld {
  static let start: Int64 = 1_767_600_000_000
  let policy: Policy
  var forest: Forest
  var naive: NaiveEvaluator
  var generator: SeededGenerator
  var entityIDs: [String] = ["sys_root"]
  let userIDs = (0..<30).map { "usr_\($0)" }
  private var nextID = 0

  init(policyText: [UInt8], seed: UInt64) throws {
    policy = try Policy.load(policyText, zones: TimeZoneFiles())
    forest = Forest(policy: policy, zones: TimeZoneFiles())
    naive = try NaiveEvaluator(policy: policyText, roleOrder: policy.roles.map(\.name))
    generator = SeededGenerator(state: seed)
    for _ in 0..<150 { addEntity() }
    for _ in 0..<12 { putDefinition() }
    for _ in 0..<160 { addAssociation() }
    for _ in 0..<40 { addLink() }
    let suspended = userIDs[Int.random(in: 0..<30, using: &generator)]
    forest.apply(.setSuspended(suspended, true))
    naive.suspended.insert(suspended)
  }

  /// One random change of the world.
  mutating func change() {
    switch Int.random(in: 0..<12, using: &generator) {
    case 10: putDefinition()
    case 11: removeDefinition()
    case 0..<2: addEntity()
    case 2..<4: addAssociation()
    case 4..<6: removeAssociation()
    case 6: addLink()
    case 7: removeLink()
    case 8: removeEntity()
    default: changeEntity()
    }
  }

  private mutating func pick<Element>(_ array: [Element]) -> Element? {
    array.randomElement(using: &generator)
  }

  private mutating func addEntity() {
    let type = EntityTypeID(
      index: UInt8.random(in: 1..<UInt8(policy.types.count), using: &generator)
    )
    let parents = entityIDs.filter { policy[type].parents.contains(typeID($0)) }
    guard let parent = pick(parents),
      (naive.entities[parent].map { depth($0.id) } ?? 0) < Forest.depthMax
    else { return }
    nextID += 1
    let id = "ent_\(nextID)"
    put(id, type: type, parent: parent, attributes: randomAttributes(of: type))
    entityIDs.append(id)
  }

  private func depth(_ id: String) -> Int {
    naive.entities[id]?.parent.map { 1 + depth($0) } ?? 0
  }

  private func typeID(_ id: String) -> EntityTypeID {
    naive.entities[id].flatMap { policy.type(named: $0.type) } ?? .system
  }

  private mutating func randomAttributes(of type: EntityTypeID) -> [String: Attribute.Value] {
    var values: [String: Attribute.Value] = [:]
    for attribute in policy[type].attributes where Bool.random(using: &generator) {
      switch attribute.kind {
      case .boolean: values[attribute.name] = .boolean(Bool.random(using: &generator))
      case .choice(let choices): values[attribute.name] = pick(choices).map { .text($0) }
      case .text, .integer, .number, .color: break
      }
    }
    return values
  }

  private mutating func put(
    _ id: String,
    type: EntityTypeID,
    parent: String,
    attributes: [String: Attribute.Value]
  ) {
    forest.apply(
      .putEntity(
        EntityRow(
          id: id,
          type: type,
          parent: parent,
          name: id,
          codes: policy[type].codes(attributes)
        )
      )
    )
    naive.entities[id] = NaiveEvaluator.Entity(
      id: id,
      type: policy[type].name,
      parent: parent,
      attributes: attributes.compactMapValues {
        switch $0 {
        case .boolean(let flag): flag as NSNumber
        case .text(let text): text as NSString
        case .integer(let number): number as NSNumber
        case .number(let number): number as NSNumber
        }
      }
    )
  }

  private mutating func changeEntity() {
    guard let id = pick(Array(entityIDs.dropFirst())), let entity = naive.entities[id],
      let type = policy.type(named: entity.type)
    else { return }
    // A move, when the entity is a leaf that another parent would take.
    let isLeaf = !naive.entities.values.contains { $0.parent == id }
    let parents = entityIDs.filter {
      policy[type].parents.contains(typeID($0)) && $0 != id && depth($0) < Forest.depthMax
    }
    // What has a role of a tenant's own stays in its tenant.
    let stays =
      naive.associations.contains { $0.entity == id && $0.variant != nil }
      || naive.definitions.contains { $0.root == id }
    let parent = isLeaf && !stays ? pick(parents) ?? entity.parent : entity.parent
    put(
      id,
      type: type,
      parent: parent ?? "sys_root",
      attributes: randomAttributes(of: type)
    )
  }

  private mutating func removeEntity() {
    let leaves = entityIDs.dropFirst().filter { id in
      !naive.entities.values.contains { $0.parent == id }
    }
    guard let id = pick(Array(leaves)) else { return }
    forest.apply(.removeEntity(id))
    naive.entities[id] = nil
    naive.associations.removeAll { $0.entity == id }
    naive.links.removeAll { $0.from == id || $0.to == id }
    entityIDs.removeAll { $0 == id }
  }

  private mutating func addAssociation() {
    guard let user = pick(userIDs), let id = pick(entityIDs) else { return }
    let type = typeID(id)
    let roles = policy.roles.indices.filter { policy.roles[$0].heldOn.contains(type) }
    guard let role = pick(Array(roles)) else { return }
    var from: Int64?
    var until: Int64?
    if policy.roles[role].isWindowRequired || Int.random(in: 0..<4, using: &generator) == 0 {
      let begin = Self.start + Int64.random(in: -20...20, using: &generator) * 60_000
      from = begin
      until = begin + Int64.random(in: 1...20, using: &generator) * 60_000
    }
    nextID += 1
    let hours = Int.random(in: 0..<4, using: &generator) == 0 ? randomHours() : nil
    let variants = naive.definitions.filter {
      $0.root == root(of: id) && $0.base == policy.roles[role].name && $0.name != $0.base
    }
    let variant = Bool.random(using: &generator) ? pick(variants) : nil
    let association = NaiveEvaluator.Association(
      id: "asc_\(nextID)",
      user: user,
      role: policy.roles[role].name,
      entity: id,
      from: from,
      until: until,
      recurring: hours.map(Self.daily),
      variant: variant?.id
    )
    naive.associations.append(association)
    forest.apply(
      .putAssociation(
        AssociationRow(
          id: association.id,
          subject: user,
          role: RoleID(index: UInt8(role)),
          entity: id,
          validFrom: from ?? .min,
          validUntil: until ?? .max,
          recurring: hours,
          variant: variant?.id ?? ""
        )
      )
    )
  }

  private func root(of id: String) -> String {
    guard let parent = naive.entities[id]?.parent, parent != "sys_root" else { return id }
    return root(of: parent)
  }

  /// A new role of a tenant's own, or other actions for one: some that its base role has, some that it has
  /// not.
  private mutating func putDefinition() {
    let roots = entityIDs.filter { naive.entities[$0]?.parent == "sys_root" }
    let roles = policy.roles.filter { !$0.heldOn.contains(.system) }
    guard let root = pick(roots), let base = pick(roles),
      let role = policy.role(named: base.name)
    else { return }
    var actions: [String] = []
    for action in policy.actions {
      let isGranted = policy.types.indices.contains {
        let type = EntityTypeID(index: UInt8($0))
        return policy.grants(of: policy.action(named: action) ?? .any, on: type).contains(role)
      }
      if Int.random(in: 0..<6, using: &generator) < (isGranted ? 5 : 1) { actions.append(action) }
    }
    nextID += 1
    let replaces = Int.random(in: 0..<3, using: &generator) == 0
    var definition = NaiveEvaluator.Definition(
      id: "rol_\(nextID)",
      root: root,
      name: replaces ? base.name : "own_\(nextID % 5)",
      base: base.name,
      actions: Set(actions)
    )
    let before = naive.definitions.first { $0.root == root && $0.name == definition.name }
    if let before { (definition.id, definition.base) = (before.id, before.base) }
    naive.definitions.removeAll { $0.id == definition.id }
    naive.definitions.append(definition)
    guard let id = policy.role(named: definition.base) else { return }
    forest.apply(
      .putVariant(
        VariantRow(
          id: definition.id,
          root: root,
          name: definition.name,
          base: id,
          actions: definition.actions.compactMap { policy.action(named: $0) }
        )
      )
    )
  }

  /// Removes one that nobody has.
  private mutating func removeDefinition() {
    let unused = naive.definitions.filter { definition in
      !naive.associations.contains { $0.variant == definition.id }
        && naive.entities[definition.root] != nil
    }
    guard let definition = pick(unused) else { return }
    naive.definitions.removeAll { $0.id == definition.id }
    forest.apply(.removeVariant(definition.id))
  }

  /// A window that begins or ends not long before or after `start`, by the clocks of its zone.
  private mutating func randomHours() -> RecurringWindow? {
    let zones = [("UTC", 0), ("Europe/Berlin", 60), ("Asia/Kathmandu", 345)]
    guard let (zone, offset) = pick(zones) else { return nil }
    let local = Int(Self.start / 60_000 % 1440) + offset
    let edges = [-40...(-1), 1...40].map { local + Int.random(in: $0, using: &generator) }
    let isAround = Bool.random(using: &generator)
    let days: RecurringWindow.Weekdays =
      Int.random(in: 0..<3, using: &generator) == 0
      ? .init(rawValue: UInt8.random(in: 1...127, using: &generator)) : .all
    return RecurringWindow(
      days: days,
      from: edges[isAround ? 0 : 1] % 1440,
      until: edges[isAround ? 1 : 0] % 1440,
      timeZone: zone
    )
  }

  private static func daily(_ window: RecurringWindow) -> [String: Any] {
    [
      "from": RecurringWindow.timeOfDay(window.from),
      "until": RecurringWindow.timeOfDay(window.until),
      "days": window.days.names,
      "time_zone": window.timeZone,
    ]
  }

  private mutating func removeAssociation() {
    guard let association = pick(naive.associations) else { return }
    naive.associations.removeAll { $0.id == association.id }
    forest.apply(.removeAssociation(association.id))
  }

  private mutating func addLink() {
    guard let index = policy.links.indices.randomElement(using: &generator) else { return }
    let link = policy.links[index]
    guard let from = pick(entityIDs.filter { typeID($0) == link.from }),
      let to = pick(entityIDs.filter { typeID($0) == link.to })
    else { return }
    forest.apply(.putLink(LinkRow(link: LinkID(index: UInt8(index)), from: from, to: to)))
    if !naive.links.contains(where: { $0.name == link.name && $0.from == from && $0.to == to }) {
      naive.links.append(NaiveEvaluator.Link(name: link.name, from: from, to: to))
    }
  }

  private mutating func removeLink() {
    guard let link = pick(naive.links), let id = policy.link(named: link.name) else { return }
    naive.links.removeAll { $0.name == link.name && $0.from == link.from && $0.to == link.to }
    forest.apply(.removeLink(LinkRow(link: id, from: link.from, to: link.to)))
  }
}
