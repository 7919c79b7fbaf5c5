/// What may be done by whom in one product: a policy file, checked and compiled.
///
/// Names became places in arrays and sets became bits, so that a decision touches no string. The
/// format is in docs/policies.md. A class, because it is taken on every call and has a dozen members.
public final class Policy: Sendable {
  /// What the policy is called.
  public let name: String
  /// Which edition of it this is.
  public let version: Int64
  /// How much of an object a role shows, from least to most.
  public let accessLevels: [String]
  /// Types of entities; the first one is the system's.
  public let types: [EntityType]
  /// Roles, at most 64.
  public let roles: [Role]
  /// Every action of every type.
  public let actions: [String]
  /// Kinds of links.
  public let links: [Link]
  /// What users may make for themselves, if anything.
  public let selfService: SelfService?
  /// Step-ups that conditions ask for.
  let stepUps: [String]
  /// Features that conditions ask for.
  let features: [String]

  /// Roles that reach an entity of a type from above.
  package let reaching: [RoleSet]
  /// The rule of each action on each type, `type * actions.count + action`.
  let rules: [ActionRule?]

  /// Places of the actions: looked up on every check.
  let actionIDs: [String: ActionID]

  init(
    name: String,
    version: Int64,
    accessLevels: [String],
    types: [EntityType],
    roles: [Role],
    actions: [String],
    links: [Link],
    selfService: SelfService?,
    stepUps: [String],
    features: [String],
    reaching: [RoleSet],
    rules: [ActionRule?],
    actionIDs: [String: ActionID]
  ) {
    self.name = name
    self.version = version
    self.accessLevels = accessLevels
    self.types = types
    self.roles = roles
    self.actions = actions
    self.links = links
    self.selfService = selfService
    self.stepUps = stepUps
    self.features = features
    self.reaching = reaching
    self.rules = rules
    self.actionIDs = actionIDs
  }

  /// A type of entity.
  public struct EntityType: Sendable {
    /// What it is called.
    public let name: String
    /// What entities of this type may hang under.
    package let parents: EntityTypeSet
    /// What is known of each entity.
    public let attributes: [Attribute]
    /// The access level of attributes that the policy does not know; nil when there can be none.
    public let otherAttributesLevel: Int?
    /// As what features belong to entities of this type and what is below them; nil when they do not.
    public let featureHolder: FeatureHolder.Kind?
    /// What identifiers of new entities begin with.
    package var prefix = "ent"
    /// Which actions it takes to do something to its entities.
    package var entityActions = EntityActions()
  }

  /// A role.
  public struct Role: Sendable {
    /// What it is called.
    public let name: String
    /// What it is held on.
    package let heldOn: EntityTypeSet
    /// What it reaches below.
    package let inheritsTo: EntityTypeSet
    /// Whether it is only given for a time with two ends.
    public let isWindowRequired: Bool
    /// How much it shows: a place in `accessLevels`.
    public let accessLevel: Int
    /// How long such a time is at most, in milliseconds.
    public let windowMax: Int64
    /// Whether the last one who has it on an entity cannot lose it.
    public let isOneKept: Bool
    /// Links that it reaches through, by link.
    package let throughLinks: [Bool]
    /// Which actions it takes to grant and revoke it.
    package var roleActions = RoleActions()
    /// Whether it is lent: several users can each grant it for a time of their own, and it follows the
    /// right of whoever did.
    package var isLent = false
    /// Whether a lent role goes on when its lender's right ends.
    package var outlivesLender = false
  }

  /// A link from one entity to another, beside the tree.
  public struct Link: Sendable {
    /// What it is called.
    public let name: String
    /// Whose roles reach through it.
    package let from: EntityTypeID
    /// What they reach.
    package let to: EntityTypeID
  }

  /// What any user may make.
  public struct SelfService: Sendable {
    /// Whether it is allowed at all.
    public let isEnabled: Bool
    /// The type that users make.
    public let type: EntityTypeID
    /// The role of who made it.
    public let creatorRole: RoleID
    /// The role of those named as administrators.
    public let administratorRole: RoleID
  }

  /// When an action may be done on an entity of one type.
  package struct ActionRule: Sendable {
    /// Roles that grant it, on the entity or reaching it from above.
    package var grants: RoleSet
    /// Roles that grant it through a link, by link.
    package var linkGrants: [RoleSet]
    /// What must hold besides; sorted by precedence of the reason.
    package var conditions: [Condition]
    /// What forbids it whoever grants it.
    package var denies: [Deny]
    /// What doing it to a device means; nil for what is not done to devices.
    package var operation: Operation?

    /// The rule of an action that is not there.
    static let nothing = ActionRule(grants: .none, linkGrants: [], conditions: [], denies: [])

    /// Roles that grant it in any way.
    package var anyGrants: RoleSet { linkGrants.reduce(into: grants) { $0.formUnion($1) } }
  }

  /// An action that is carried out by the thing itself.
  package struct Operation: Sendable {
    /// What the thing is to be from then on; nil when that does not change.
    package let desiredState: String?
    /// Whether it changes attributes.
    package let setsAttributes: Bool
    /// The kinds of things that can do it; nil is every kind.
    package let kinds: [String]?

    /// The attribute that says of what kind a thing is.
    package static let kindAttribute = "kind"

    /// Whether a thing of a kind can do it.
    package func isFor(_ kind: String) -> Bool { kinds?.contains(kind) ?? true }
  }

  /// What must hold besides a role.
  package enum Condition: Sendable {
    /// An attribute has one of the values.
    case attribute(AttributeTest, otherwise: ReasonCode)
    /// The time of day, UTC, in milliseconds since midnight, is in the range; over midnight if the
    /// first is later.
    case daily(from: Int64, until: Int64)
    /// The subject has proved itself in a way: a bit of `DecisionContext.stepUps`.
    case stepUp(UInt64)
    /// A feature is there: a bit of `DecisionContext.features`.
    case feature(UInt64)

    /// The reason when it does not hold.
    var reason: ReasonCode {
      switch self {
      case .attribute(_, let reason): reason
      case .daily: .deniedByRule
      case .stepUp: .stepUpRequired
      case .feature: .featureNotAvailable
      }
    }
  }

  /// One attribute of the entity, compared.
  package struct AttributeTest: Sendable {
    /// Where the entity keeps it.
    let slot: Int
    /// Values that pass, as bits of the coded value; see `Attribute.code`.
    let codes: UInt64

    func passes(_ code: UInt8) -> Bool { codes >> UInt64(code) & 1 == 1 }
  }

  /// What forbids an action.
  package struct Deny: Sendable {
    /// What it is called, for explanations.
    let name: String
    /// Only subjects with one of these roles on the entity; nil is everyone.
    let roles: RoleSet?
    /// Only while all of these pass.
    let tests: [AttributeTest]
  }

  /// The type of a name.
  public func type(named name: String) -> EntityTypeID? {
    types.firstIndex { $0.name == name }.map { EntityTypeID(index: UInt8($0)) }
  }

  /// The role of a name.
  public func role(named name: String) -> RoleID? {
    roles.firstIndex { $0.name == name }.map { RoleID(index: UInt8($0)) }
  }

  /// The link of a name.
  public func link(named name: String) -> LinkID? {
    links.firstIndex { $0.name == name }.map { LinkID(index: UInt8($0)) }
  }

  /// The action of a name.
  public func action(named name: String) -> ActionID? { actionIDs[name] }

  package func rule(of action: ActionID, on type: EntityTypeID) -> ActionRule? {
    rules[Int(type.index) * actions.count + Int(action.index)]
  }

  /// The roles that grant an action, on the entity or reaching it from above.
  func grants(of action: ActionID, on type: EntityTypeID) -> RoleSet {
    rules[Int(type.index) * actions.count + Int(action.index)]?.grants ?? .none
  }

  /// How much of an entity some roles on it show: a place in `accessLevels`.
  package func accessLevel(of roles: RoleSet) -> Int {
    roles.roles.map { self[$0].accessLevel }.max() ?? 0
  }

  /// A type by its place.
  public subscript(_ type: EntityTypeID) -> EntityType { types[Int(type.index)] }
  /// A role by its place.
  public subscript(_ role: RoleID) -> Role { roles[Int(role.index)] }
  /// The name of an action.
  public subscript(_ action: ActionID) -> String { actions[Int(action.index)] }
  /// A link by its place.
  public subscript(_ link: LinkID) -> Link { links[Int(link.index)] }

  /// Bits for the step-ups and features of a subject; those that no condition asks for have none.
  package func context(
    stepUps: [String],
    features: [String],
    isSuspended: Bool = false
  ) -> DecisionContext {
    DecisionContext(
      stepUps: Self.bits(stepUps, of: self.stepUps),
      features: Self.bits(features, of: self.features),
      isSuspended: isSuspended
    )
  }

  /// What a token says about how its user proved itself; nil is a service.
  package func context(acr: String?) -> DecisionContext {
    guard let acr, let place = stepUps.firstIndex(of: acr) else { return .plain }
    return DecisionContext(stepUps: 1 << UInt64(place))
  }

  /// Bits of features; those that no condition asks for have none.
  package func featureBits(_ names: [String]) -> UInt64 { Self.bits(names, of: features) }

  private static func bits(_ names: [String], of known: [String]) -> UInt64 {
    var bits: UInt64 = 0
    for name in names {
      if let place = known.firstIndex(of: name) { bits |= 1 << UInt64(place) }
    }
    return bits
  }
}
