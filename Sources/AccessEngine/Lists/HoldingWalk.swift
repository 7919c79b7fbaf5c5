internal import PackedTables

/// A walk over everything at or below an entity on which a subject has a role now, in an order in which it
/// can be taken up again.
///
/// Begins where the subject's own roles are held, so it costs what there is to see. An entity that several
/// of them reach belongs to the uppermost. From the system down it goes no further than that: see `reachesTrees`.
struct HoldingWalk {
  /// A place from which roles reach down.
  private struct Start {
    let entity: UInt32
    /// Whether a role reaches the entity itself.
    var isHeld = false
    /// The types below it that roles reach.
    var types = EntityTypeSet()
  }

  /// Where a walk has got to, for one that goes on later.
  struct Cursor: Hashable {
    /// The identifiers of the start and of the last entity that was looked at.
    let start: String
    let entity: String
    /// The path between the two, as a number: it changes once anything on it has moved.
    let path: UInt64
  }

  /// The next instant at which a window of the subject's begins or ends.
  private(set) var edge = Int64.max
  /// Whether roles on the system reach into all trees, which memory need not have: what the subject has there is for a
  /// walk of each, and this one has the system alone.
  private(set) var reachesTrees = false
  private var starts: [Start] = []
  /// The types that roles reach below each start.
  private var typesBelow: [UInt32: EntityTypeSet] = [:]
  private var number = 0
  /// The types reached from above the current start, and still to be looked for below it.
  private var reached = EntityTypeSet()
  private var wanted = EntityTypeSet()
  private var current: UInt32?

  /// A walk over all that a subject has at or below an entity; over nothing below one that is not there.
  init(subject: UInt32, below top: UInt32?, now: Int64, _ forest: borrowing Forest) {
    guard !forest.isSuspended(subject) else { return }
    if top == Forest.system { forest.lack(rolesOf: forest.subjects.text(subject)) }
    var found: [UInt32: Start] = [:]
    var next = forest.associations.head(subject: subject)
    while next != 0 {
      let row = forest.associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      let (isOpen, until) = forest.associations.state(of: row, at: now)
      edge = min(edge, until)
      guard isOpen else { continue }
      if let top { Self.add(row, below: top, to: &found, forest) }
    }
    starts = found.values.sorted { forest.entities.isOrdered($0.entity, before: $1.entity) }
    typesBelow = found.mapValues(\.types)
    guard top == Forest.system, typesBelow[Forest.system, default: .init()].bits != 0 else {
      return
    }
    reachesTrees = true
    starts.removeAll { $0.entity != Forest.system }
  }

  private static func add(
    _ row: AssociationTable.Row,
    below top: UInt32,
    to found: inout [UInt32: Start],
    _ forest: borrowing Forest
  ) {
    let types = forest.policy.roles[Int(row.role.index)].inheritsTo
    if forest.isEntity(row.entity, within: top) {
      found[row.entity, default: Start(entity: row.entity)].isHeld = true
      found[row.entity]?.types.formUnion(types)
    } else if forest.isEntity(top, within: row.entity) {
      var start = found[top] ?? Start(entity: top)
      if types.contains(forest.type(top)) { start.isHeld = true }
      start.types.formUnion(types)
      found[top] = start
    }
    for edge in forest.linksFrom[row.entity] ?? []
    where forest.policy.roles[Int(row.role.index)].throughLinks[Int(edge.link.index)]
      && forest.isEntity(edge.entity, within: top)
    {
      found[edge.entity, default: Start(entity: edge.entity)].isHeld = true
    }
  }

  // MARK: Places

  /// Goes on after a cursor; where something has moved since, from the beginning of its start.
  mutating func resume(after cursor: Cursor, _ forest: borrowing Forest) {
    // As the table of identifiers sorts them, also when the cursor's is no longer in it.
    let place = starts.firstIndex { start in
      !forest.entities.text(start.entity).utf8.lexicographicallyPrecedes(cursor.start.utf8)
    }
    number = place ?? starts.count
    guard let place, forest.entities.text(starts[place].entity) == cursor.start,
      let entity = forest.entity(cursor.entity),
      Self.path(from: starts[place].entity, to: entity, forest) == cursor.path
    else { return }
    begin(forest)
    current = entity
    advance(forest)
  }

  /// The place of the last entity that was looked at.
  func cursor(after entity: UInt32, _ forest: borrowing Forest) -> Cursor {
    let start = starts[number].entity
    return Cursor(
      start: forest.entities.text(start),
      entity: forest.entities.text(entity),
      path: Self.path(from: start, to: entity, forest) ?? 0
    )
  }

  /// All entities from one down to another as one number, the same wherever their tree is loaded; nil when the other
  /// does not lie there.
  private static func path(
    from start: UInt32,
    to entity: UInt32,
    _ forest: borrowing Forest
  ) -> UInt64? {
    var path: UInt64 = 0
    var current = entity
    while current != start {
      path = Mixing.mixed(path &+ forest.entities.fingerprint(current))
      guard current != Forest.system else { return nil }
      current = forest.nodes[Int(current)].parent
    }
    return path
  }

  // MARK: Steps

  /// The entity that comes next, and whether the subject has a role on it; nil at the end.
  ///
  /// Leaves the walk at that entity: `advance` goes on to the one after it.
  mutating func look(_ forest: borrowing Forest) -> (entity: UInt32, isHeld: Bool)? {
    if current == nil {
      guard number < starts.count else { return nil }
      begin(forest)
    }
    guard let entity = current else { return nil }
    let (start, type) = (starts[number], forest.type(entity))
    let isReached = entity == start.entity ? start.isHeld : start.types.contains(type)
    return (entity, isReached && !reached.contains(type))
  }

  /// Goes on to the next entity.
  mutating func advance(_ forest: borrowing Forest) {
    step(forest)
    if current == nil { number += 1 }
  }

  private mutating func begin(_ forest: borrowing Forest) {
    let start = starts[number]
    reached = EntityTypeSet()
    var above = start.entity
    while above != Forest.system {
      above = forest.nodes[Int(above)].parent
      if let types = typesBelow[above] { reached.formUnion(types) }
    }
    wanted = start.types
    wanted.subtract(reached)
    current = start.entity
  }

  /// Down, to the side, or up and to the side; nil at the end of the start.
  private mutating func step(_ forest: borrowing Forest) {
    guard var entity = current else { return }
    let below = forest.typesBelow[Int(forest.type(entity).index)]
    let child = forest.nodes[Int(entity)].firstChild
    if !reachesTrees, child != Forest.none, below.bits & wanted.bits != 0 {
      current = child
      return
    }
    let start = starts[number].entity
    while entity != start {
      let sibling = forest.nodes[Int(entity)].nextSibling
      if sibling != Forest.none {
        current = sibling
        return
      }
      entity = forest.nodes[Int(entity)].parent
    }
    current = nil
  }
}
