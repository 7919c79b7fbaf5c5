/// The rules of who may do what: one policy file, or several that are loaded together, checked and compiled.
///
/// Names became places in arrays and sets became bits, so that a decision touches no string. The
/// format is in docs/guides/policies.md. A class, because it is taken on every call and has a dozen members.
public final class Policy: Sendable {
  /// The files it is made of.
  public let documents: [Document]
  /// Types of entities; the first one is the system's.
  public let types: [EntityType]
  /// Roles, at most 64.
  public let roles: [Role]
  /// Every action of every type.
  public let actions: [String]
  /// Kinds of links.
  public let links: [Link]
  /// The types that users may create for themselves.
  public let selfServices: [SelfService]
  /// Step-ups that conditions ask for.
  let stepUps: [String]
  /// Features that conditions ask for.
  let features: [String]
  /// Windows of the conditions on the time.
  let windows: [ZonedWindow]
  /// The limits that entities count against.
  public let limits: [CountedLimit]
  /// The action that enters the mode which covers an action, by the place of the action; nil for none.
  let modes: [ActionID?]

  /// Roles that reach an entity of a type from above.
  package let reaching: [RoleSet]
  /// The rule of each action on each type, `type * actions.count + action`.
  let rules: [ActionRule?]

  /// Places of the actions: looked up on every check.
  let actionIDs: [String: ActionID]
  /// The names that applications have for types, roles and actions.
  public let appNames: AppNames

  init(
    documents: [Document],
    types: [EntityType],
    roles: [Role],
    actions: [String],
    links: [Link],
    selfServices: [SelfService],
    stepUps: [String],
    features: [String],
    windows: [ZonedWindow],
    modes: [ActionID?],
    reaching: [RoleSet],
    rules: [ActionRule?],
    actionIDs: [String: ActionID],
    appNames: AppNames
  ) {
    self.documents = documents
    self.types = types
    limits = Self.limits(of: types)
    self.roles = roles
    self.actions = actions
    self.links = links
    self.selfServices = selfServices
    self.stepUps = stepUps
    self.features = features
    self.windows = windows
    self.modes = modes
    self.reaching = reaching
    self.rules = rules
    self.actionIDs = actionIDs
    self.appNames = appNames
  }

  /// The name of the type of the one entity above all roots.
  package static let systemType = "system"

  /// One policy file.
  public struct Document: Hashable, Sendable {
    /// The policy's name.
    public let name: String
    /// Which edition of it this is.
    public let version: Int64
    /// How much of an object a role shows, from least to most.
    public let accessLevels: [String]
  }

  /// A type of entity.
  public struct EntityType: Sendable {
    /// The name.
    public let name: String
    /// The place of its file among `documents`.
    let document: Int
    /// The types directly below which entities of this type may be.
    package internal(set) var parents = EntityTypeSet()
    /// The attributes of each entity.
    public internal(set) var attributes: [Attribute] = []
    /// The access level of attributes that the policy does not know; nil when there can be none.
    public internal(set) var otherAttributesLevel: Int?
    /// As what features belong to entities of this type and what is below them; nil when they do not.
    public internal(set) var featureHolder: FeatureHolder.Kind?
    /// The prefix of identifiers of new entities.
    package internal(set) var prefix = standardPrefix
    /// The role of the creator of one below another entity, unless the creator may update it anyway.
    package internal(set) var creatorRole: RoleID?
    /// Which actions it takes to do something to its entities.
    package internal(set) var entityActions = EntityActions()
    /// The limit that each of its entities counts against; nil for none.
    var count: Count?
    /// The limit of people who hold roles on an entity; nil for none.
    var membersLimit: String?

    static let standardPrefix = "ent"

    /// Whether some of its attributes are what a device reports; the others are people's then.
    package var hasReports: Bool { attributes.contains(where: \.isReported) }

    init(name: String, document: Int = 0) {
      self.name = name
      self.document = document
    }
  }

  /// Which actions of a type it takes to do something to its entities; nil is nobody.
  package struct EntityActions: Sendable {
    package internal(set) var view: String?
    package internal(set) var update: String?
    package internal(set) var move: String?
    package internal(set) var delete: String?
    package internal(set) var listRoles: String?
    package internal(set) var defineRoles: String?
    /// Of the roots of trees: managing webhooks.
    package internal(set) var manageWebhooks: String?
    /// Of the roots of trees: reading the compliance report.
    package internal(set) var report: String?
    /// The feature that the reader of a report must have; nil for none.
    package internal(set) var reportFeature: String?
    /// Actions of parents, by the parent's type.
    package internal(set) var create: [String: String] = [:]
  }

  /// Which actions it takes to grant and revoke a role, by the type that it is held on.
  package struct RoleActions: Sendable {
    package internal(set) var grant: [String: String] = [:]
    package internal(set) var revoke: [String: String] = [:]
  }

  /// A role.
  public struct Role: Sendable {
    /// The name.
    public let name: String
    /// The types that it is held on.
    package internal(set) var heldOn = EntityTypeSet()
    /// The types that it reaches below.
    package internal(set) var inheritsTo = EntityTypeSet()
    /// Whether it is only given for a time with two ends.
    public internal(set) var isWindowRequired = false
    /// Whether it is only given with a recurring window.
    public internal(set) var isRecurringRequired = false
    /// How much it shows: a place in the access levels of its policy.
    public internal(set) var accessLevel = 0
    /// How long such a time is at most, in milliseconds.
    public internal(set) var windowMax = Int64.max
    /// Whether the last one who has it on an entity cannot lose it.
    public internal(set) var isOneKept = false
    /// Links that it reaches through, by link.
    package internal(set) var throughLinks: [Bool] = []
    /// Which actions it takes to grant and revoke it.
    package internal(set) var roleActions = RoleActions()
    /// Whether anyone who grants it lends a part of its own right, and can lend no more than that.
    public internal(set) var isLent = false
    /// Whether what was lent stays when the lender's right ends or shrinks.
    public internal(set) var outlivesLender = false

    init(name: String) { self.name = name }
  }

  /// A link from one entity to another, beside the tree.
  public struct Link: Sendable {
    /// The name.
    public let name: String
    /// The type whose roles reach through it.
    package let from: EntityTypeID
    /// The type that they reach.
    package let to: EntityTypeID
  }

  /// A type that any user may create.
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
    /// The conditions besides the role; sorted by precedence of the reason.
    package var conditions: [Condition]
    /// The rules that forbid it, no matter who grants it.
    package var denies: [Deny]
    /// The operation on a device; nil for actions that are not done to devices.
    package var operation: Operation?
    /// Roles that grant it with a step-up alone, on the entity or reaching it from above.
    package var stepUpGrants: [StepUpGrant] = []

    /// The rule of an action that is not there.
    static let nothing = ActionRule(grants: .none, linkGrants: [], conditions: [], denies: [])

    /// Roles that grant it on the entity or reaching it from above, with a step-up or without.
    var directGrants: RoleSet { stepUpGrants.reduce(into: grants) { $0.formUnion($1.roles) } }

    /// Roles that grant it in any way.
    package var anyGrants: RoleSet { linkGrants.reduce(into: directGrants) { $0.formUnion($1) } }
  }

  /// Roles that grant an action to a subject who has done a step-up, and to nobody else.
  package struct StepUpGrant: Sendable {
    /// A bit of `DecisionContext.stepUps`.
    let stepUp: UInt64
    /// The roles, with those that include them.
    var roles: RoleSet
  }

  /// An action that is carried out by the thing itself.
  package struct Operation: Sendable {
    /// The state requested from then on; nil when that does not change.
    package let desiredState: String?
    /// Whether it sets attributes: its parameters are those that are settings.
    package let setsAttributes: Bool
    /// The values it takes, in the order of the policy.
    package let parameters: [Parameter]
    /// The kinds of devices that have it; empty for all.
    package let kinds: [String]

    /// Whether it leaves the device something to do.
    package var isCommand: Bool { desiredState != nil || !parameters.isEmpty || setsAttributes }
  }

  /// A value that an operation takes.
  package struct Parameter: Sendable {
    /// The name.
    package let name: String
    /// The kind of its values.
    package let kind: Attribute.Kind
    /// The unit of its numbers, for people; empty for none.
    package let unit: String
    /// Whether the operation needs it.
    package let isRequired: Bool
    /// The value if none is given; nil for none.
    package let defaultValue: Attribute.Value?
    /// The name of the desired value that it sets.
    package let sets: String
  }

  /// A condition besides a role.
  package enum Condition: Sendable {
    /// An attribute has one of the values.
    case attribute(AttributeTest, otherwise: ReasonCode)
    /// The clocks of a time zone show a time inside a window: a place in `Policy.windows`.
    case daily(Int)
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

  /// A rule that forbids an action.
  package struct Deny: Sendable {
    /// The name, for explanations.
    let name: String
    /// Only subjects with one of these roles on the entity; nil is everyone.
    let roles: RoleSet?
    /// Only while all of these pass.
    let tests: [AttributeTest]
  }

  /// Whether a condition asks for a feature.
  package var hasFeatures: Bool { !features.isEmpty }

  /// The names of the files, with their versions.
  package var summary: String {
    documents.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
  }

  /// How much of an entity roles show, from least to most; as the policy of its type has it.
  package func accessLevels(of type: EntityTypeID) -> [String] {
    documents.indices.contains(self[type].document)
      ? documents[self[type].document].accessLevels : []
  }

  /// The name of an access level for entities of a type.
  ///
  /// An operator of a policy with more levels has a higher one than there are.
  package func accessLevelName(_ level: Int, of type: EntityTypeID) -> String {
    let names = accessLevels(of: type)
    return names.isEmpty ? "" : names[min(level, names.count - 1)]
  }

  /// How much of an entity some roles on it show.
  package func accessLevel(of roles: RoleSet) -> Int {
    var (level, rest) = (0, roles.bits)
    while rest != 0 {
      level = max(level, self.roles[rest.trailingZeroBitCount].accessLevel)
      rest &= rest - 1
    }
    return level
  }

  /// The self-service of a type for users; nil when the policy has none.
  package func selfService(of type: String) -> SelfService? {
    selfServices.first { self[$0.type].name == type }
  }

  /// The role of operators, which every policy has: held on the system alone, for everything.
  package static let operatorRole = "super_admin"
  /// The role of support people, which every policy has that does not give the name to a role of its own: held on the
  /// system alone, for nothing but reading what operators read.
  package static let supportRole = "support"
  /// The roles that policies have without declaring them.
  package static let builtInRoles: Set = [operatorRole, supportRole]

  /// The action that the operators' own calls need, on the system.
  package static let administration = "system.administer"
  /// The action that reading about any account or tenant needs, on the system.
  package static let inspection = "system.inspect"

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

  /// Whether entities of a type know an action.
  package func hasRule(of action: ActionID, on type: EntityTypeID) -> Bool {
    rules[Int(type.index) * actions.count + Int(action.index)] != nil
  }

  /// The operations on entities of a type, by the part of the action's name after the type; sorted.
  package func operations(on type: EntityTypeID) -> [String] {
    let prefix = "\(self[type].name)."
    return actions.filter { name in
      guard name.hasPrefix(prefix), let action = action(named: name) else { return false }
      return rule(of: action, on: type)?.operation != nil
    }.map { String($0.dropFirst(prefix.count)) }.sorted()
  }

  /// The roles that grant an action, on the entity or reaching it from above.
  func grants(of action: ActionID, on type: EntityTypeID) -> RoleSet {
    rules[Int(type.index) * actions.count + Int(action.index)]?.grants ?? .none
  }

  /// The roles that grant an action in a context, on the entity or reaching it from above.
  ///
  /// Without a step-up it looks at nothing more than the other one.
  func grants(
    of action: ActionID,
    on type: EntityTypeID,
    for context: DecisionContext
  ) -> RoleSet {
    let grants = grants(of: action, on: type)
    guard context.hasStepUps else { return grants }
    return (rule(of: action, on: type)?.stepUpGrants ?? []).reduce(into: grants) { roles, grant in
      if context.hasStepUp(grant.stepUp, for: action, self) { roles.formUnion(grant.roles) }
    }
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

  /// The step-ups that a subject has proved: those of the policy that `satisfies` says, for all
  /// actions or for the one that is their purpose.
  ///
  /// A purpose that is no action of the policy is worth nothing here.
  package func context(purpose: String?, satisfies: (String) -> Bool) -> DecisionContext {
    var bits: UInt64 = 0
    for (place, stepUp) in stepUps.enumerated() where satisfies(stepUp) {
      bits |= 1 << UInt64(place)
    }
    guard bits != 0 else { return .plain }
    guard let purpose else { return DecisionContext(stepUps: bits) }
    guard let action = action(named: purpose) else { return .plain }
    return DecisionContext(purposeStepUps: bits, purpose: action)
  }

  /// The step-ups that an action on entities of a type needs, by their names.
  ///
  /// With some roles on the entity: those that it takes there, which is one alone where no role grants the
  /// action without it.
  package func stepUps(
    of action: ActionID,
    on type: EntityTypeID,
    held: RoleSet? = nil
  ) -> [String] {
    guard let rule = rule(of: action, on: type) else { return [] }
    let grants = rule.stepUpGrants.filter { held?.intersection($0.roles).isEmpty != true }
    let granting = grants.map { name(ofStepUp: $0.stepUp) }
    if let held, held.intersection(rule.grants).isEmpty, let one = granting.first { return [one] }
    let needed = rule.conditions.compactMap { condition -> String? in
      guard case .stepUp(let bit) = condition else { return nil }
      return name(ofStepUp: bit)
    }
    return held == nil ? needed + granting.filter { !needed.contains($0) } : needed
  }

  func name(ofStepUp bit: UInt64) -> String { stepUps[bit.trailingZeroBitCount] }

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
