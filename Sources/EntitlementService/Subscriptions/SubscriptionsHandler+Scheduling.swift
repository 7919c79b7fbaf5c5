internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

extension SubscriptionsHandler {
  func scheduleChange(
    _ request: Entitlement_V1.ScheduleChangeRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ScheduleChangeResponse {
    let subject = try Subject(required: request.subject)
    let change = ScheduledChange(
      id: core.identifiers.make(.scheduledChange),
      // The contract requires it.
      effectiveAt: request.effectiveAt?.milliseconds ?? .min,
      tier: request.tier,
      paidUntil: request.paidUntil?.milliseconds
    )
    return try await core.write(request.idempotencyKey, request, call) { [catalogue] tx, changes in
      // Another catalogue may have come while this waited.
      try tx.rely(on: .catalog)
      let kept = try SubscriptionTable.load(subject, in: tx)?.tier
      try catalogue.value.requireTier(change.tier, kept: kept, in: "tier")
      guard change.effectiveAt > tx.now else { throw SubscriptionError.scheduleInPast }
      if let end = change.paidUntil, end <= change.effectiveAt {
        throw SubscriptionError.emptyWindow
      }
      _ = try ScheduledChangeTable.settle(subject, in: tx, changes)
      let known = try ScheduledChangeTable.all(of: subject, in: tx)
      guard known.count < ScheduledChange.countMax else {
        throw SubscriptionError.scheduleLimit
      }
      try ScheduledChangeTable.insert(change, of: subject, in: tx)
      let version = try Self.note("schedule", change, of: subject, in: tx, changes)
      return .init(change: change.wire(of: subject), version: version)
    }
  }

  func listScheduledChanges(
    _ request: Entitlement_V1.ListScheduledChangesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListScheduledChangesResponse {
    let subject = try await core.readableSubject(request.subject, call)
    let now = core.clock.now
    let scheduled = try await terms(subject).scheduled.filter { $0.effectiveAt > now }
    return .init(changes: scheduled.map { $0.wire(of: subject) })
  }

  func cancelScheduledChange(
    _ request: Entitlement_V1.CancelScheduledChangeRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.CancelScheduledChangeResponse {
    let subject = try Subject(required: request.subject)
    return try await core.write(request.idempotencyKey, request, call) { tx, changes in
      // One that has taken effect is part of the subscription and no longer there.
      _ = try ScheduledChangeTable.settle(subject, in: tx, changes)
      let known = try ScheduledChangeTable.all(of: subject, in: tx)
      // Cancelling what was cancelled is a natural repetition.
      guard let change = known.first(where: { $0.id == request.id }) else {
        return .init(version: try SubjectVersionTable.current(of: subject, in: tx))
      }
      try ScheduledChangeTable.delete(change.id, of: subject, in: tx)
      let version = try Self.note("cancel_scheduled", change, of: subject, in: tx, changes)
      return .init(version: version, cancelled: true)
    }
  }

  /// Raises the version, because what is known of the future is another.
  private static func note(
    _ action: String,
    _ change: ScheduledChange,
    of subject: Subject,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> UInt64 {
    let version = try changes.raise(
      subject,
      because: .scheduling,
      [PartChange(.init(.tier, change.tier), .changed, endsAt: change.paidUntil)],
      in: tx
    )
    try tx.audit(
      "subscription.\(action)",
      object: change.id,
      scope: subject.id,
      detail: "tier \(change.tier) from \(change.effectiveAt), version \(version)"
    )
    return version
  }
}
