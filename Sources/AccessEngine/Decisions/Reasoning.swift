/// Everything that a decision looked at, in names: what its one word, the reason, follows from.
package struct Reasoning: Sendable {
  /// The decision, made as if the subject were not suspended.
  package let explanation: Explanation
  /// Whether the subject may do nothing at the moment, whatever is said here.
  package let isSuspended: Bool
  /// Whether any association of the subject's reaches the entity, at whatever time.
  package let isReached: Bool
  /// The subject's roles that reach the entity, nearest first.
  package var roles: [Role]
  /// How many more there are: those that ended long ago can be many.
  package let omittedRoleCount: Int
  /// Rules that forbid the action, whether they apply or not.
  package let denies: [Deny]
  /// Conditions of the action, in order of precedence, whether they hold or not.
  package let conditions: [Condition]
  /// The holder whose features must be known before this is more than a guess.
  package let missing: FeatureHolder?

  /// Roles that are listed, at most.
  package static let roleCountMax = 100

  /// How a role relates to the entity that was asked about.
  package enum Reach: Hashable, Sendable {
    /// It is held on the entity.
    case own
    /// It is held where a link of this name to the entity begins.
    case link(String)
    /// It is held this many steps above the entity.
    case above(Int)
    /// It is held on something else, and does not count.
    case elsewhere
  }

  /// Where an instant is with regard to the windows of an association; `closed` is inside of the absolute
  /// one and outside of the recurring one.
  package enum Window: Hashable, Sendable { case open, notYet, over, closed }

  /// An association that was looked at.
  package struct Role: Sendable {
    package let associationID: String
    package let role: String
    /// The name of the tenant-defined role, if it is a variant of that name.
    package let customRole: String?
    package let entityID: String
    package let entityType: String
    package let reach: Reach
    /// Milliseconds since 1970; nil is without a beginning, or an end.
    package let validFrom: Int64?
    package let validUntil: Int64?
    /// When it counts inside of that; nil is always.
    package let recurring: RecurringWindow?
    package let window: Window
    /// Whether the role grants the action from there.
    package let isGranting: Bool
    /// Whether it is the one that the decision names.
    package let isDecisive: Bool
  }

  /// A rule that forbids the action.
  package struct Deny: Sendable {
    package let name: String
    /// The roles that it is meant for; none is everybody.
    package let roles: [String]
    package let applies: Bool
    /// The access level that shows all attributes that it looks at.
    package let accessLevel: Int
  }

  /// A condition besides a role.
  package struct Condition: Sendable {
    package let kind: Kind
    package let holds: Bool
    /// The reason when it does not hold.
    package let otherwise: ReasonCode
    /// Whether the decision is what it is because this does not hold.
    package let isDecisive: Bool
    /// The access level that shows the attribute that it looks at.
    package let accessLevel: Int

    /// The kind of a condition.
    package enum Kind: Hashable, Sendable {
      case attribute(String, values: [String])
      case daily(RecurringWindow)
      case stepUp(String)
      case feature(String)
    }
  }
}
