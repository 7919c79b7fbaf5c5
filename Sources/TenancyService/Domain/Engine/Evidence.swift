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

  /// Whether the subject may.
  public var isAllowed: Bool { reason == .allowed }
}

extension Forest {
  /// The numbers of a decision as names.
  func evidence(of decision: Decision) -> Evidence {
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
