internal import PeerContracts
internal import RPCKit

extension Resolver {
  /// Whether a flag is on.
  func checkFeature(
    _ key: String,
    for holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> Decision {
    guard let resolution = try resolve(key, for: holdings, at: now) else {
      return Decision(reason: .featureUnknown)
    }
    guard resolution.value.kind == .flag else { return Decision(reason: .typeMismatch) }
    return Decision(
      reason: resolution.reason,
      source: resolution.winner.source,
      unlockedBy: unlockedBy(resolution, holdings.subject),
      validUntil: resolution.validUntil
    )
  }

  /// Whether there may be `requested` more when there are `current`; neither may be negative.
  ///
  /// Allowed when their sum is not above the limit, so that "one more" is allowed exactly while the
  /// count is below it.
  func checkLimit(
    _ key: String,
    current: Int64,
    requested: Int64,
    for holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> Decision {
    precondition(current >= 0 && requested >= 0, "a count that is checked is negative")
    guard let resolution = try resolve(key, for: holdings, at: now) else {
      return Decision(reason: .featureUnknown)
    }
    guard case .limit(let limit) = resolution.value else { return Decision(reason: .typeMismatch) }
    let isAllowed = limit.allows(requested, above: current)
    var reason = EntitlementReason.available
    if !isAllowed { reason = resolution.value.isAvailable ? .limitExceeded : resolution.reason }
    return Decision(
      reason: reason,
      limit: limit,
      remaining: limit.remaining(above: current),
      source: resolution.winner.source,
      unlockedBy: isAllowed
        ? nil
        : offers(of: resolution, to: holdings.subject) { value in
          guard case .limit(let limit) = value else { return false }
          return limit.allows(requested, above: current)
        },
      validUntil: resolution.validUntil
    )
  }

  /// The offers that would make a feature available to a subject that lacks it; nil when there are none.
  func unlockedBy(_ resolution: Resolution, _ subject: Subject) -> UnlockedBy? {
    if resolution.value.isAvailable { return nil }
    return offers(of: resolution, to: subject) { $0.isAvailable }
  }

  private func offers(
    of resolution: Resolution,
    to subject: Subject,
    _ suffices: (FeatureValue) -> Bool
  ) -> UnlockedBy {
    // An override goes before everything that can be bought.
    if resolution.winner.source == .override { return UnlockedBy() }
    func names(_ offers: [Catalog.Offer]) -> [String] {
      offers.filter { $0.values[resolution.key].map(suffices) ?? false }.map(\.name)
    }
    return UnlockedBy(
      tier: names(catalog.tiers).first,
      addons: names(catalog.addons),
      products: names(catalog.products.filter { $0.subjectKinds.contains(subject.kind) })
    )
  }
}
