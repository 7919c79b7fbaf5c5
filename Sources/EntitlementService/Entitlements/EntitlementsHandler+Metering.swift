internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A metered limit of a subject.
struct MeteredUse: Hashable, Sendable {
  let key: String
  let subject: Subject
}

extension EntitlementsHandler {
  func consume(
    _ request: Entitlement_V1.ConsumeRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ConsumeResponse {
    // Users use up what is theirs; what is shared, services count for them.
    let subject = try await core.ownSubject(request.subject, call)
    let amount = request.amount ?? 1
    let answer = try await core.write(
      request.idempotencyKey,
      request,
      call,
      heads: .unordered([ConflictKey("use", subject.kind.rawValue, subject.id)])
    ) { tx, changes in
      try changes.requireNotErased(subject, in: tx)
      // Another catalogue may have come while this waited.
      try tx.rely(on: .catalog)
      return try Self.consume(amount, of: request.limit, by: subject, resolver, in: tx)
    }
    metrics.used(answer)
    return answer
  }

  /// Decides and counts in one transaction, so that nobody comes between.
  private static func consume(
    _ amount: Int64,
    of key: String,
    by subject: Subject,
    _ resolver: Resolver,
    in tx: borrowing WriteTransaction
  ) throws -> Entitlement_V1.ConsumeResponse {
    let now = tx.now
    guard let feature = resolver.catalog.features[key] else {
      return .init(reason: .featureUnknown)
    }
    guard let meter = feature.meter else {
      guard feature.kind == .limit else { return .init(reason: .typeMismatch) }
      throw CheckError.notMetered(key)
    }
    let window = UsageWindow(meter.period, at: now)
    var used = try UsageTable.used(key, by: subject, in: window, in: tx)
    let holdings = try Holdings(stored: subject, in: tx)
    let decision = try resolver.checkUse(
      key,
      meter,
      used: used,
      amount: amount,
      for: holdings,
      at: now
    )
    if decision.isAllowed {
      let (before, (sum, isOver)) = (used, used.addingReportingOverflow(amount))
      used = isOver ? .max : sum
      if case .atMost(let maximum) = decision.limit,
        let percent = LimitSteps.reached(from: before, to: used, of: maximum)
      {
        try tx.event(
          "limit.reached",
          object: subject.id,
          scope: subject.id,
          userID: subject.kind == .user ? subject.id : "",
          EventData(["limit": key, "percent": "\(percent)", "maximum": "\(maximum)"])
        )
      }
      try UsageTable.set(used, of: key, by: subject, in: window, in: tx)
      try tx.audit(
        "limit.consume",
        object: subject.id,
        scope: subject.id,
        detail: "\(key), \(amount) more, \(used) in this \(meter.period.rawValue)"
      )
    }
    return .init(
      allowed: decision.isAllowed,
      reason: decision.reason,
      limit: decision.limit?.wire,
      used: used,
      remaining: decision.limit?.remaining(above: used),
      overLimit: decision.limit.map { $0 < .atMost(used) } ?? false,
      windowEndsAt: .init(milliseconds: window.endsAt),
      unlockedBy: decision.unlockedBy?.wire
    )
  }

  /// The current use of those limits that are metered.
  func meteredUses(
    _ limits: [(key: String, subject: Subject)],
    at now: Int64
  ) async throws -> [MeteredUse: Int64] {
    let features = catalogue.value.features
    var windows: [MeteredUse: UsageWindow] = [:]
    for (key, subject) in limits {
      guard let meter = features[key]?.meter else { continue }
      windows[MeteredUse(key: key, subject: subject)] = UsageWindow(meter.period, at: now)
    }
    guard !windows.isEmpty else { return [:] }
    let asked = windows
    return try await core.store.read { tx in
      var uses: [MeteredUse: Int64] = [:]
      for (use, window) in asked {
        uses[use] = try UsageTable.used(use.key, by: use.subject, in: window, in: tx)
      }
      return uses
    }
  }
}
