internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Tiers, and who has which.
struct SubscriptionsHandler: Entitlement_V1.SubscriptionsService {
  let core: EntitlementCore

  func listTiers(
    _ request: Entitlement_V1.ListTiersRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListTiersResponse {
    core.resolver.catalog.wire
  }

  func get(
    _ request: Entitlement_V1.GetSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Subscription {
    let subject = try await core.readableSubject(request.subject, call)
    let holdings = try await core.holdings(of: subject)
    guard let subscription = holdings.subscription(at: core.clock.now) else {
      throw ServiceFault.notFound
    }
    return subscription.wire(of: subject, version: holdings.version)
  }

  func put(
    _ request: Entitlement_V1.PutSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.Subscription {
    guard let wire = request.subscription, let subject = wire.subject.flatMap(Subject.init) else {
      throw ServiceFault.subjectRequired
    }
    let subscription = try Subscription(wire)
    try validate(subscription, kept: subscription.tier)
    return try await core.write(request.idempotencyKey, request, call) { tx, changes in
      // Another catalogue may have come while this waited.
      try tx.rely(on: .catalog)
      let current = try SubjectVersions.current(of: subject, in: tx)
      guard request.expectedVersion == 0 || request.expectedVersion == current else {
        throw EntitlementError.versionMismatch(current: current).rpcError
      }
      let before = try ScheduledChangeTable.settle(subject, in: tx, changes)
      try validate(subscription, kept: before?.tier)
      if before == subscription { return subscription.wire(of: subject, version: current) }
      try SubscriptionTable.save(subscription, of: subject, in: tx)
      let version = try SubjectVersions.raise(
        subject,
        because: call.changeCause,
        Subscription.differences(from: before, to: subscription, at: tx.now),
        in: tx,
        changes
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

  private func validate(_ subscription: Subscription, kept: String?) throws(RPCError) {
    let catalog = core.resolver.catalog
    do throws(EntitlementError) {
      try subscription.validate(against: catalog, kept: kept)
    } catch {
      throw error.rpcError(of: subscription, catalog)
    }
  }

  func delete(
    _ request: Entitlement_V1.DeleteSubscriptionRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.DeleteSubscriptionResponse {
    guard let subject = request.subject.flatMap(Subject.init) else {
      throw ServiceFault.subjectRequired
    }
    return try await core.write(request.idempotencyKey, request, call) { tx, changes in
      let before = try ScheduledChangeTable.settle(subject, in: tx, changes)
      let cancelledCount = try ScheduledChangeTable.deleteAll(of: subject, in: tx)
      // Ending what has ended is a natural repetition.
      guard try SubscriptionTable.delete(of: subject, in: tx) || cancelledCount > 0 else {
        return .init(version: try SubjectVersions.current(of: subject, in: tx))
      }
      let version = try SubjectVersions.raise(
        subject,
        because: call.changeCause,
        Subscription.differences(from: before, to: nil, at: tx.now),
        in: tx,
        changes
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

extension EntitlementError {
  /// The error with the field of the subscription that names what the catalogue does not know, and the names
  /// that it knows.
  fileprivate func rpcError(of subscription: Subscription, _ catalog: Catalog) -> RPCError {
    switch self {
    case .tierUnknown: rpcError(in: "subscription.tier", catalog)
    case .addonUnknown(let name):
      rpcError(
        in: subscription.addons.firstIndex { $0.name == name }
          .map { "subscription.addons[\($0)].name" },
        catalog
      )
    case .featureUnknown(let name), .typeMismatch(let name):
      rpcError(
        in: subscription.overrides.firstIndex { $0.feature == name }
          .map { "subscription.overrides[\($0)].feature" },
        catalog
      )
    default: rpcError
    }
  }

  /// The error with the field of the request that is wrong.
  func rpcError(in field: String?, _ catalog: Catalog) -> RPCError {
    let known: [String] =
      switch self {
      case .tierUnknown: catalog.tiers.map(\.name)
      case .addonUnknown: catalog.addons.map(\.name)
      case .featureUnknown: catalog.features.keys.sorted()
      default: []
      }
    var error = rpcError
    guard let field else { return error }
    if !known.isEmpty {
      let names = known.prefix(Self.namedCountMax).joined(separator: ", ")
      error.message += "; the catalogue has \(names)"
      if known.count > Self.namedCountMax { error.message += " and others" }
    }
    error.details.append(.badRequest([FieldViolation(field: field, description: error.message)]))
    return error
  }

  /// Names that a message lists, at most.
  private static var namedCountMax: Int { 16 }
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
