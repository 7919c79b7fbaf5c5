internal import PackedTables

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

  /// The feature that a refused action lacks, the first one that its rule asks for, and who would have
  /// to have it; nil when that is not known.
  package func lackedFeature(
    _ action: ActionID,
    on entity: UInt32,
    now: Int64,
    _ features: any FeatureSource
  ) -> (feature: String, holder: FeatureHolder)? {
    guard let rule = policy.rule(of: action, on: type(entity)),
      let holder = featureHolder(of: entity),
      case .known(let names, _) = features.features(of: holder, now: now)
    else { return nil }
    let known = policy.featureBits(names)
    for case .feature(let bit) in rule.conditions where known & bit == 0 {
      return (policy.features[bit.trailingZeroBitCount], holder)
    }
    return nil
  }

  /// The decision once the features are known.
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
  ) -> Decision {
    guard decision.reason == .featureNotAvailable, let entity,
      let holder = featureHolder(of: entity)
    else { return decision }
    guard case .known(let names, let until) = features.features(of: holder, now: now) else {
      var guess = decision
      guess.lacksFeatures = true
      return guess
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
    return settled
  }

  /// A decision about numbers, with features.
  package func decide(
    subject: UInt32?,
    action: ActionID,
    entity: UInt32?,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> Decision {
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
