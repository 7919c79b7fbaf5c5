internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

/// Tiers, and who has which.
struct SubscriptionsHandler: Entitlement_V1.SubscriptionsService {
  let core: EntitlementCore
  let catalogue: CurrentCatalog
  let metrics: SubscriptionMetrics
  /// Counts the codes of each user that no coupon has: ten, which come back within an hour.
  let couponLimiter: SourceLimiter
  /// The holdings of a subject, from memory where possible.
  let terms: @Sendable (Subject) async throws -> SubscriptionTerms

  init(
    core: EntitlementCore,
    catalogue: CurrentCatalog,
    random: any RandomSource,
    metrics: MetricRegistry,
    terms: @escaping @Sendable (Subject) async throws -> SubscriptionTerms
  ) {
    self.core = core
    self.catalogue = catalogue
    self.metrics = SubscriptionMetrics(metrics)
    couponLimiter = SourceLimiter(
      limit: 10,
      window: 3_600_000,
      sourceCount: 16_384,
      key: random.bytes(32)
    )
    self.terms = terms
  }

  func listTiers(
    _ request: Entitlement_V1.ListTiersRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListTiersResponse {
    catalogue.value.wire
  }

  func get(
    _ request: Entitlement_V1.GetSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Subscription {
    let subject = try await core.readableSubject(request.subject, call)
    let terms = try await terms(subject)
    guard
      let subscription = terms.scheduled.applied(to: terms.subscription, at: core.clock.now)
    else { throw EntitlementError.notFound }
    return subscription.wire(of: subject, version: terms.version)
  }

  func put(
    _ request: Entitlement_V1.PutSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Subscription {
    guard let wire = request.subscription, let subject = wire.subject.flatMap(Subject.init) else {
      throw EntitlementError.subjectRequired
    }
    let subscription = try Subscription(wire)
    try subscription.validate(against: catalogue.value, kept: subscription.tier)
    return try await core.write(request.idempotencyKey, request, call) { [catalogue] tx, changes in
      // Another catalogue may have come while this waited.
      try tx.rely(on: .catalog)
      let current = try SubjectVersionTable.current(of: subject, in: tx)
      for expected in [request.expectedVersion, wire.version]
      where expected != 0 && expected != current {
        throw SubscriptionError.versionMismatch(current: current)
      }
      let before = try ScheduledChangeTable.settle(subject, in: tx, changes)
      try subscription.validate(against: catalogue.value, kept: before?.tier)
      if before == subscription { return subscription.wire(of: subject, version: current) }
      try SubscriptionTable.save(subscription, of: subject, in: tx)
      let version = try changes.raise(
        subject,
        because: call.changeCause,
        Subscription.differences(from: before, to: subscription, at: tx.now),
        in: tx
      )
      try tx.audit(
        "subscription.put",
        object: subject.id,
        scope: subject.id,
        before: before?.digest(of: subject),
        after: subscription.digest(of: subject),
        detail: "tier \(subscription.tier), version \(version)"
      )
      return subscription.wire(of: subject, version: version)
    }
  }

  func delete(
    _ request: Entitlement_V1.DeleteSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.DeleteSubscriptionResponse {
    let subject = try Subject(required: request.subject)
    return try await core.write(request.idempotencyKey, request, call) { tx, changes in
      let before = try ScheduledChangeTable.settle(subject, in: tx, changes)
      let cancelledCount = try ScheduledChangeTable.deleteAll(of: subject, in: tx)
      // Ending what has ended is a natural repetition.
      guard try SubscriptionTable.delete(of: subject, in: tx) || cancelledCount > 0 else {
        return .init(version: try SubjectVersionTable.current(of: subject, in: tx))
      }
      let version = try changes.raise(
        subject,
        because: call.changeCause,
        Subscription.differences(from: before, to: nil, at: tx.now),
        in: tx
      )
      try tx.audit(
        "subscription.delete",
        object: subject.id,
        scope: subject.id,
        before: before?.digest(of: subject),
        detail: "version \(version), \(cancelledCount) scheduled changes cancelled"
      )
      return .init(version: version)
    }
  }
}

extension CallContext {
  /// Why what operators and services do to subscriptions changes.
  var changeCause: ChangeCause { caller.user == nil ? .service : .operator }
}

extension Subscription {
  /// Tells two subscriptions apart in audit records without showing them.
  ///
  /// Of the message that callers see and not of Swift's description, so that it can be computed again
  /// with another compiler, or outside of the service.
  fileprivate func digest(of subject: Subject) -> [UInt8] {
    Digests.sha256(wire(of: subject, version: 0).protobufBytes)
  }
}
