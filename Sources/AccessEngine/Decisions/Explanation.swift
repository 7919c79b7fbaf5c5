internal import PackedTables

/// A decision with all that its numbers refer to, for those who have let go of the forest.
public struct Explanation: Sendable {
  /// The decision.
  public let decision: Decision
  /// The policy that decided.
  package let policy: Policy
  /// The association that grants it.
  public let associationID: String?
  /// The role that grants it.
  public let role: String?
  /// The name of the tenant-defined role, if the role is a variant of that name.
  package let customRole: String?
  /// The entity on which that role is held.
  public let viaEntityID: String?
  /// Roles that would suffice; none when it is allowed.
  public let sufficientRoles: [String]
  /// When the association ends that grants it, in milliseconds since 1970; the largest number is never.
  package let grantedUntil: Int64
  /// When the association counts that grants it; nil is always.
  package let grantedDuring: RecurringWindow?
  /// The holder whose features must be known before this is more than a guess.
  package let missing: FeatureHolder?

  /// Whether the subject may.
  public var isAllowed: Bool { decision.isAllowed }
  /// Why.
  public var reason: ReasonCode { decision.reason }
  /// Until when the answer may be kept, in milliseconds since 1970.
  public var validUntil: Int64 { decision.validUntil }

  /// Whether a role of the subject's grants the action, if its conditions hold.
  package var isGranted: Bool { decision.association != nil }

  /// Whether the subject may know of the entity, or that it may do nothing at all.
  package var isKnown: Bool { decision.isShown }

  /// How much of the entity its roles show: a place in the policy's access levels.
  package var accessLevel: Int { policy.accessLevel(of: decision.heldRoles) }

  /// The explanation for a subject that may not know of the entity: the same as if there were none.
  package var hidden: Explanation {
    Explanation(
      decision: decision.hidden,
      policy: policy,
      associationID: nil,
      role: nil,
      customRole: nil,
      viaEntityID: nil,
      sufficientRoles: [],
      grantedUntil: .max,
      grantedDuring: nil,
      missing: missing
    )
  }
}

extension Forest {
  /// A decision about an entity in names.
  package func explanation(of decision: Decision, on entity: UInt32?) -> Explanation {
    let row = decision.association.map { associations.rows[Int($0)] }
    return Explanation(
      decision: decision,
      policy: policy,
      associationID: decision.association.map { associations.identifier(of: $0) },
      role: decision.role.map { policy[$0].name },
      customRole: decision.association.flatMap { variantName(ofAssociation: $0) },
      viaEntityID: decision.via.map { entities.text($0) },
      sufficientRoles: decision.isAllowed
        ? [] : decision.sufficientRoles.roles.map { policy[$0].name },
      grantedUntil: row?.validUntil ?? .max,
      grantedDuring: row.flatMap { associations.window(of: $0) },
      missing: decision.lacksFeatures ? entity.flatMap { featureHolder(of: $0) } : nil
    )
  }

  /// A decision about identifiers.
  public func decide(
    subject: String,
    action: ActionID,
    entity: String,
    context: DecisionContext,
    now: Int64
  ) -> Decision {
    // Both are on their way from memory before either is needed.
    let (subjectKey, entityKey) = (subjects.key(subject), entities.key(entity))
    let (subjectGuess, entityGuess) = (subjects.guess(subjectKey), entities.guess(entityKey))
    let number = entities.find(entityKey, guess: entityGuess, entity)
    if let number { uses.note(number) }
    let decision = decide(
      subject: subjects.find(subjectKey, guess: subjectGuess, subject),
      action: action,
      entity: number,
      context: context,
      now: now
    )
    lack(for: decision, subject: subject, entity: entity)
    return decision
  }
}
