internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension PoliciesHandler {
  func decide(
    _ request: Tenancy_V1.DecidePolicyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DecidePolicyResponse {
    let review = PolicyReview(try await sources(request.files, call), zones: TimeZoneFiles())
    guard let policy = review.policy else {
      return .init(problems: review.problems.map { .init($0) })
    }
    let (core, current) = (core, core.policy)
    let isKnown = [current, policy].contains { $0.action(named: request.action) != nil }
    guard isKnown else { throw PermissionError.actionUnknown() }
    let stored = try await core.store.read { tx in
      try TreeReader.records(around: request.entityId, of: request.userId, in: tx)
    }
    guard let stored else { throw TenancyError.notFound }
    let look = OperatorLooks.Look(entityID: request.entityId, rootID: stored.root)
    try await core.recordExplanation(of: request.userId, look, call)
    return .init(
      problems: problems(of: review).map { .init($0) },
      inForce: explanation(request, stored, under: current),
      proposed: explanation(request, stored, under: policy)
    )
  }

  /// Nil for an action that the policy does not have.
  private func explanation(
    _ request: Tenancy_V1.DecidePolicyRequest,
    _ stored: StoredTree,
    under policy: Policy
  ) -> Tenancy_V1.Explanation? {
    guard let action = policy.action(named: request.action) else { return nil }
    let reasoning = ComparedTree.forest(of: stored, under: policy, zones: core.zones).reasoning(
      subject: request.userId,
      action: action,
      entity: request.entityId,
      context: .assumed,
      now: core.clock.now,
      NoFeatures()
    )
    // A policy without the entity's type knows nothing of it.
    guard let reasoning else { return .init(decision: .init(reason: .entityUnknown)) }
    var decision = Tenancy_V1.Decision()
    decision.assume(reasoning.conditions)
    decision.take(reasoning.explanation)
    return ReasoningMapping(accessLevel: .max).message(reasoning, decision)
  }
}
