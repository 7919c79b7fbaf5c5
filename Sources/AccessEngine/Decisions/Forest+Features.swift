internal import PackedTables

/// A decision that takes features into account.
package struct Verdict: Hashable, Sendable {
  /// Without the features that are missing, if some are.
  package let decision: Decision
  /// Whose features have to be known before this is more than a guess.
  package let missing: FeatureHolder?
}

extension Forest {
  /// The nearest entity, from this one upwards, that features belong to.
  package func featureHolder(of entity: UInt32) -> FeatureHolder? {
    var current = entity
    while current != Self.system {
      if let kind = policy.types[Int(type(current).index)].featureHolder {
        return FeatureHolder(kind: kind, id: entities.text(current))
      }
      current = nodes[Int(current)].parent
    }
    return nil
  }

  /// What a decision is once it is known which features are there.
  ///
  /// Only one that was made without features and lacks one is made again: all others cost nothing.
  package func settle(
    _ decision: Decision,
    subject: UInt32?,
    action: ActionID,
    entity: UInt32?,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> Verdict {
    guard decision.reason == .featureNotAvailable, let entity,
      let holder = featureHolder(of: entity)
    else { return Verdict(decision: decision, missing: nil) }
    guard case .known(let names, let until) = features.evidence(of: holder, now: now) else {
      return Verdict(decision: decision, missing: holder)
    }
    var context = context
    context.features |= policy.featureBits(names)
    var settled = decide(
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      now: now
    )
    settled.validUntil = min(settled.validUntil, until)
    return Verdict(decision: settled, missing: nil)
  }

  /// A decision about numbers, with features.
  package func decide(
    subject: UInt32?,
    action: ActionID,
    entity: UInt32?,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> Verdict {
    let plain = decide(
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      now: now
    )
    return settle(
      plain,
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      now: now,
      features
    )
  }
}
