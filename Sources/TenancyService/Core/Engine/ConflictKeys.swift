internal import AccessEngine
internal import ServiceKit

/// The keys of what decisions rest on, as writes change it.
///
/// Whatever can alter a decision has one here: writers say that they touch it, see `TenancyWriter`, and
/// decisions inside of writes that they rely on it, see `DecisionDependencies`.
extension ConflictKey {
  /// The policy.
  static let policy = ConflictKey("policy")

  /// That there is an entity, of what type, under which other one, and its attributes that conditions
  /// look at.
  static func entity(_ id: String) -> ConflictKey { ConflictKey("entity", id) }

  /// That an entity was made; for `hasTouched`, nothing relies on it.
  static func creation(of id: String) -> ConflictKey { ConflictKey("creation", id) }

  /// Which entities lie directly under one, and their attributes that conditions look at.
  static func children(of id: String) -> ConflictKey { ConflictKey("children", id) }

  /// Which entities are linked to one.
  static func links(to id: String) -> ConflictKey { ConflictKey("links", id) }

  /// The roles of a user on an entity, and their times.
  static func roles(of user: String, on entity: String) -> ConflictKey {
    ConflictKey("roles", user, entity)
  }

  /// The roles of a user anywhere.
  static func roles(of user: String) -> ConflictKey { ConflictKey("roles", user) }

  /// Whether a user may do nothing at all.
  static func suspension(of user: String) -> ConflictKey { ConflictKey("suspension", user) }
}

/// The dependencies of a decision about a user and an entity.
struct DecisionDependencies: Sendable {
  /// The entity, whether there is one or not, and all above it.
  private let path: [String]
  /// Those whose roles reach the entity through links.
  private let linked: [String]

  /// Those of a decision about an entity; call in the same hold of the lock.
  init(of id: String, _ forest: borrowing Forest) {
    path = [id] + forest.ancestors(of: id) + [Forest.systemIdentifier]
    linked = forest.linkSources(of: id)
  }

  /// Has the write run again later if an earlier one of its commit has changed anything of it.
  ///
  /// `isDenial`: why something is denied depends on what the user holds elsewhere too.
  func hold(for user: String, isDenial: Bool, _ tx: borrowing some Queryable) throws {
    try tx.rely(on: .policy)
    try tx.rely(on: .suspension(of: user))
    for id in path {
      try tx.rely(on: .entity(id))
      try tx.rely(on: .roles(of: user, on: id))
    }
    if let id = path.first { try tx.rely(on: .links(to: id)) }
    for id in linked { try tx.rely(on: .roles(of: user, on: id)) }
    if isDenial { try tx.rely(on: .roles(of: user)) }
  }
}
