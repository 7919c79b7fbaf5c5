internal import PackedTables

/// A decision with names, for those outside the engine.
public struct Evidence: Hashable, Sendable {
  /// Why.
  public let reason: ReasonCode
  /// The association that grants it.
  public let associationID: String?
  /// The role that grants it.
  public let role: String?
  /// The entity on which that role is held.
  public let viaEntityID: String?
  /// Roles that would suffice; none when it is allowed.
  public let sufficientRoles: [String]
  /// Until when the answer may be kept, in milliseconds since 1970.
  public let validUntil: Int64
  /// The revision at which this was so.
  public let revision: Int64

  package init(
    reason: ReasonCode,
    associationID: String?,
    role: String?,
    viaEntityID: String?,
    sufficientRoles: [String],
    validUntil: Int64,
    revision: Int64
  ) {
    self.reason = reason
    self.associationID = associationID
    self.role = role
    self.viaEntityID = viaEntityID
    self.sufficientRoles = sufficientRoles
    self.validUntil = validUntil
    self.revision = revision
  }

  /// Whether the subject may.
  public var isAllowed: Bool { reason == .allowed }
}

extension Forest {
  /// The numbers of a decision as names.
  package func evidence(of decision: Decision) -> Evidence {
    Evidence(
      reason: decision.reason,
      associationID: decision.association.map { associations.identifier(of: $0) },
      role: decision.role.map { policy[$0].name },
      viaEntityID: decision.via.map { entities.text($0) },
      sufficientRoles: decision.isAllowed
        ? [] : decision.sufficientRoles.roles.map { policy[$0].name },
      validUntil: decision.validUntil,
      revision: decision.revision
    )
  }

  /// When the association ends that grants a decision, in milliseconds since 1970; the largest number
  /// is never, or that none does.
  package func grantEnd(of decision: Decision) -> Int64 {
    decision.association.map { associations.rows[Int($0)].validUntil } ?? .max
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
    return decide(
      subject: subjects.find(subjectKey, guess: subjectGuess, subject),
      action: action,
      entity: entities.find(entityKey, guess: entityGuess, entity),
      context: context,
      now: now
    )
  }
}
