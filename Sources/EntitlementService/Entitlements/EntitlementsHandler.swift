internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Answers what subjects are entitled to.
struct EntitlementsHandler: Entitlement_V1.EntitlementsService {
  let core: EntitlementCore
  let catalogue: CurrentCatalog
  let reader: HoldingsReader
  let scope: PurchaseScope
  let metrics: EntitlementMetrics
  /// How long an answer may be relied on, in milliseconds; less when something ends before.
  let answerLifetime: Int64
  /// How often a watch says that it lives.
  let heartbeatInterval: Duration

  /// The rules with the catalogue of the moment.
  var resolver: Resolver { Resolver(catalog: catalogue.value, scope: scope) }

  func get(
    _ request: Entitlement_V1.GetEntitlementsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    let (subject, seesAll) = try await core.featureSubject(
      request.subject,
      call,
      seeing: core.readableSubject
    )
    // Of another replica, which may be ahead of this one.
    if request.atLeastRevision > UInt64(clamping: core.database.revision) {
      try await core.store.catchUp()
    }
    let holdings = try await reader.holdings(of: subject)
    let now = core.clock.now
    let resolver = resolver
    let resolutions = try resolver.resolveAll(for: holdings, at: now)
    let active = holdings.subscription(at: now).flatMap { $0.isActive(at: now) ? $0 : nil }
    let promotions = holdings.promotions(in: resolver.catalog, at: now)
    let addons = (active?.addons ?? []).filter { isCurrent($0.validUntil, at: now) }.map(\.name)
    let products = holdings.purchases.filter { resolver.scope.counts($0, for: subject.id) }
      .map { resolver.catalog.worth(of: $0, at: now) }
      .filter { $0.state == .active && resolver.catalog.sells($0.productID, to: subject.kind) }
      .map(\.productID)
    let plan = try resolver.plan(of: holdings, at: now)
    let planEdge = try resolver.nextPlanChange(of: holdings, after: now)
    let edge = (resolutions.map(\.validUntil) + [planEdge]).compactMap(\.self).min()
    let latest = now + answerLifetime
    let entitlements = resolutions.map { $0.wire(resolver.unlockedBy($0, subject)) }
    let flags = entitlements.filter { $0.limit == nil }.map { ($0.key, $0.available) }
    let answer = Entitlement_V1.GetEntitlementsResponse(
      subject: subject.wire,
      tier: plan.tier,
      addons: addons.sorted(),
      entitlements: entitlements,
      products: Set(products).sorted(),
      version: holdings.version,
      validUntil: .init(milliseconds: min(edge ?? latest, latest)),
      promotions: promotions.map { $0.promotion.wire(until: $0.endsAt) },
      plan: plan.wire(of: subject),
      moduleFlags: Dictionary(flags, uniquingKeysWith: { first, _ in first })
    )
    return seesAll ? answer : answer.featuresAlone
  }

  func getPlans(
    _ request: Entitlement_V1.GetPlansRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetPlansResponse {
    var plans: [Entitlement_V1.Plan] = []
    for wire in request.subjects {
      let subject = try await core.subject(wire, call)
      let plan = try resolver.plan(of: try await reader.holdings(of: subject), at: core.clock.now)
      plans.append(plan.wire(of: subject))
    }
    return .init(plans: plans)
  }

  private func featureSubject(
    _ wire: Entitlement_V1.Subject?,
    _ call: CallContext
  ) async throws -> Subject {
    try await core.featureSubject(wire, call, seeing: core.subject).subject
  }

  func checkFeature(
    _ request: Entitlement_V1.CheckFeatureRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.CheckResponse {
    let subject = try await featureSubject(request.subject, call)
    return try check(request, try await reader.holdings(of: subject), at: core.clock.now)
  }

  func checkLimit(
    _ request: Entitlement_V1.CheckLimitRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.CheckResponse {
    let subject = try await featureSubject(request.subject, call)
    let holdings = try await reader.holdings(of: subject)
    let now = core.clock.now
    var uses: [MeteredUse: Int64] = [:]
    if catalogue.value.features[request.limit]?.meter != nil {
      uses = try await meteredUses([(request.limit, subject)], at: now)
    }
    return try check(request, holdings, uses, at: now)
  }

  func batchCheck(
    _ request: Entitlement_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.BatchCheckResponse {
    var known: [Subject: Holdings] = [:]
    var questions: [(Entitlement_V1.EntitlementCheck.CheckOneOf, Subject)] = []
    for (index, check) in request.checks.enumerated() {
      guard let question = check.check else {
        throw CheckError.empty("checks[\(index)]")
      }
      let wire =
        switch question {
        case .feature(let feature): feature.subject
        case .limit(let limit): limit.subject
        }
      if let subject = try core.plainSubject(wire, call), known[subject] != nil {
        questions.append((question, subject))
        continue
      }
      let subject = try await featureSubject(wire, call)
      known[subject] = try await reader.holdings(of: subject)
      questions.append((question, subject))
    }
    // One instant for all.
    let now = core.clock.now
    let uses = try await meteredUses(
      questions.compactMap { question, subject in
        if case .limit(let limit) = question { (key: limit.limit, subject: subject) } else { nil }
      },
      at: now
    )
    let results = try questions.map { question, subject in
      let holdings = known[subject] ?? Holdings(subject: subject)
      return switch question {
      case .feature(let feature): try check(feature, holdings, at: now)
      case .limit(let limit): try check(limit, holdings, uses, at: now)
      }
    }
    return .init(results: results)
  }

  func watch(
    _ request: Entitlement_V1.WatchRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Entitlement_V1.Change>
  ) async throws {
    let watch = EntitlementWatch(core: core)
    var position = EntitlementWatch.Position(
      revision: request.afterRevision == 0
        ? core.database.revision : Int64(clamping: request.afterRevision)
    )
    if request.points {
      position.points = request.afterPoints == 0 ? core.pointsNews.end : request.afterPoints
    }
    try await writer.write(watch.heartbeat(at: position))
    try await watch.tell(
      after: position,
      heartbeatInterval: heartbeatInterval,
      on: call,
      to: writer
    )
  }

  private func check(
    _ request: Entitlement_V1.CheckFeatureRequest,
    _ holdings: Holdings,
    at now: Int64
  ) throws -> Entitlement_V1.CheckResponse {
    let decision = try resolver.checkFeature(request.feature, for: holdings, at: now)
    return answer(decision, request.feature, holdings, at: now)
  }

  private func check(
    _ request: Entitlement_V1.CheckLimitRequest,
    _ holdings: Holdings,
    _ uses: [MeteredUse: Int64],
    at now: Int64
  ) throws -> Entitlement_V1.CheckResponse {
    let use = MeteredUse(key: request.limit, subject: holdings.subject)
    if let used = uses[use], let meter = catalogue.value.features[request.limit]?.meter {
      var decision = try resolver.checkUse(
        request.limit,
        meter,
        used: used,
        amount: max(0, request.requested ?? 1),
        for: holdings,
        at: now
      )
      // The next use changes it, and watchers are not notified.
      decision.validUntil = now
      return answer(decision, request.limit, holdings, at: now)
    }
    let decision = try resolver.checkLimit(
      request.limit,
      // Negative counts are refused before a handler runs; see the contract.
      current: max(0, request.currentCount),
      requested: max(0, request.requested ?? 1),
      for: holdings,
      at: now
    )
    return answer(decision, request.limit, holdings, at: now)
  }

  private func answer(
    _ decision: Decision,
    _ key: String,
    _ holdings: Holdings,
    at now: Int64
  ) -> Entitlement_V1.CheckResponse {
    metrics.decided(decision.isAllowed)
    return decision.wire(version: holdings.version, latest: now + answerLifetime)
  }
}
