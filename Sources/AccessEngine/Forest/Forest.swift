internal import PackedTables

/// Everything that decisions depend on, in memory: entities, their links and associations.
///
/// Entities are numbers and each property of them is an array, so that a walk to the root touches a
/// few bytes a step. Entity 0 is the system, above all roots. A value without locks: see
/// `PermissionEngine` for sharing.
public struct Forest: Sendable {
  /// The identifier of the one entity above all roots.
  public static let systemIdentifier = "sys_root"
  /// Steps from an entity to its root, at most; the system is not counted.
  public static let depthMax = 16

  /// The policy in force.
  public let policy: Policy
  /// Which forest this is: another number for each one that takes the place of a former one.
  package var generation: Int64 = 0
  /// The change that the forest has followed up to.
  public package(set) var revision: Int64 = 0
  /// Another number once numbers of entities, associations and subjects may have been given again.
  package var numbering: Int64 = 0
  /// The trees in memory; nil when those are all that the store has.
  var residency: Residency?
  /// The record of what questions lacked; outside of `residency`, so that a question takes no copy of all that.
  let missing = MissingRecord()
  /// The record of what questions were about.
  let uses = UseRecord()

  var entities = IdentifierTable()
  var subjects = IdentifierTable()
  var associations: AssociationTable
  /// Roles of tenants' own.
  var variants = VariantTable()
  var suspended: Set<UInt32> = []

  /// How many trees are in memory.
  package internal(set) var treeCount = 0
  var nodes = LargeArray<Node>()
  var names: [String] = []
  /// Coded attributes, `codeCount` for each entity.
  var codes = LargeArray<UInt8>()
  let codeCount: Int
  /// Links by their target, sorted by source; and by their source.
  var linksTo: [UInt32: [LinkEdge]] = [:]
  var linksFrom: [UInt32: [LinkEdge]] = [:]
  /// Types that can lie somewhere below each type.
  let typesBelow: [EntityTypeSet]

  /// Where an entity is in the tree; together, so that a step costs one cache line.
  struct Node: Sendable, BitwiseCopyable {
    var parent = Forest.none
    var firstChild = Forest.none
    var nextSibling = Forest.none
    var previousSibling = Forest.none
    var type = EntityTypeID.system
    var isAlive = false
  }

  /// The other end of a link.
  struct LinkEdge: Hashable, Sendable {
    let entity: UInt32
    let link: LinkID
  }

  /// No entity: ends chains of children and of parents.
  static let none = UInt32.max
  /// The system.
  static let system: UInt32 = 0

  /// A forest of the system alone; recurring windows of associations find their time zones in `zones`.
  public init(policy: Policy, zones: any TimeZoneSource = UTCOnly()) {
    self.policy = policy
    associations = AssociationTable(zones: zones)
    codeCount = policy.types.map { $0.attributes.count(where: \.isCoded) }.max() ?? 0
    typesBelow = Self.typesBelow(policy)
    add(Self.systemIdentifier)
    nodes[0].isAlive = true
    nodes[0].type = .system
  }

  /// Time zones that recurring windows of associations name and that were not found; these windows are
  /// never open.
  package var missingZones: Set<String> { associations.windows.missingZones }

  /// How many entities there are, the system not counted.
  public var entityCount: Int { nodes.count(where: \.isAlive) - 1 }

  /// The number of an entity that is there.
  package func entity(_ identifier: String) -> UInt32? {
    if let entity = held(identifier) {
      uses.note(entity)
      return entity
    }
    lack(entity: identifier)
    return nil
  }

  /// The number of a subject that the forest has heard of.
  package func subject(_ identifier: String) -> UInt32? { subjects.find(identifier) }

  /// The identifier of an entity.
  package func identifier(of entity: UInt32) -> String { entities.text(entity) }

  /// The identifier of an association by its row, as decisions name it.
  package func identifier(ofAssociation row: UInt32) -> String { associations.identifier(of: row) }

  /// The name of a role: what `policy[role].name` says, without a copy of all that a role is.
  package func name(of role: RoleID) -> String { policy.roles[Int(role.index)].name }

  /// The holder and the entity of an association; nil when it is not there.
  package func parties(ofAssociation identifier: String) -> (subject: String, entity: String)? {
    associations.row(identifier: identifier).map { number in
      let row = associations.rows[Int(number)]
      return (subjects.text(row.subject), entities.text(row.entity))
    }
  }

  /// The entity above one; that of the system itself is no entity.
  package func parent(of entity: UInt32) -> UInt32 { nodes[Int(entity)].parent }

  package func type(_ entity: UInt32) -> EntityTypeID { nodes[Int(entity)].type }

  func code(_ entity: UInt32, slot: Int) -> UInt8 { codes[Int(entity) * codeCount + slot] }

  /// Whether an entity is the other one or lies below it.
  func isEntity(_ entity: UInt32, within ancestor: UInt32) -> Bool {
    var current = entity
    while current != ancestor {
      guard current != Self.system else { return false }
      current = nodes[Int(current)].parent
    }
    return true
  }

  /// Adds the arrays' elements of a new entity, not yet alive.
  @discardableResult
  mutating func add(_ identifier: String) -> UInt32 {
    let entity = entities.intern(identifier)
    guard Int(entity) == nodes.count else { return entity }
    nodes.append(Node())
    names.append("")
    codes.append(repeating: 0, count: codeCount)
    return entity
  }

  private static func typesBelow(_ policy: Policy) -> [EntityTypeSet] {
    var below = [EntityTypeSet](repeating: EntityTypeSet(), count: policy.types.count)
    for _ in policy.types.indices {
      for (child, type) in policy.types.enumerated() {
        for parent in policy.types.indices
        where type.parents.contains(EntityTypeID(index: UInt8(parent))) {
          below[parent].insert(EntityTypeID(index: UInt8(child)))
          below[parent].bits |= below[child].bits
        }
      }
    }
    return below
  }
}
