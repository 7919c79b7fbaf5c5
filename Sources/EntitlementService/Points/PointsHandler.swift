internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

/// Points that are earned in apps and redeemed for reward time.
struct PointsHandler: Entitlement_V1.PointsService {
  let core: EntitlementCore
  let expiry: PointsRequestExpiry
  private let transactions: MetricFamily<Counter>

  init(core: EntitlementCore, metrics: MetricRegistry) {
    self.core = core
    expiry = PointsRequestExpiry(identifiers: core.identifiers)
    transactions = metrics.counters(
      "gatehouse_entitlement_points_transactions_total",
      help:
        "Answered changes of the points ledger, by kind: earn, redeem, reverse, approve, decline, cancel.",
      labels: ["kind"]
    )
  }

  // MARK: - Rules

  func setRule(
    _ request: Entitlement_V1.SetPointsRuleRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsRule {
    // The contract requires it.
    guard let wire = request.rule else { throw EntitlementError.notFound }
    let holder = request.holderId
    return try await write("set_rules", of: holder, request.idempotencyKey, request, call) { tx in
      let before = try PointsRuleTable.load(wire.app, of: holder, in: tx)
      var rule = PointsRule(wire)
      rule.revision = before?.revision ?? 0
      for token in [request.expectedRevision, wire.revision] {
        guard token.isEmpty || token == rule.wire.revision else {
          throw PointsError.revisionMismatch
        }
      }
      // Setting what is set is a natural repetition.
      guard before != rule else { return rule.wire }
      rule.revision += 1
      try PointsRuleTable.save(rule, of: holder, in: tx)
      try tx.audit(
        "points.set_rule",
        object: holder,
        scope: holder,
        before: before.map { Digests.sha256($0.wire.protobufBytes) },
        after: Digests.sha256(rule.wire.protobufBytes)
      )
      return rule.wire
    }
  }

  func listRules(
    _ request: Entitlement_V1.ListPointsRulesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPointsRulesResponse {
    let holder = request.holderId
    try await requireView(of: holder, call)
    let rules = try await core.store.read { try PointsRuleTable.all(of: holder, in: $0) }
    return .init(rules: rules.map(\.wire))
  }

  // MARK: - Transactions

  func earn(
    _ request: Entitlement_V1.EarnPointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsTransaction {
    let holder = request.holderId
    return try await post(.earn, of: holder, request.idempotencyKey, request, call) { draft, tx in
      guard let rule = try PointsRuleTable.load(request.app, of: holder, in: tx) else {
        throw PointsError.ruleMissing(app: request.app)
      }
      let posting = try rule.earning(Int64(request.minutes))
      let app = posting.app
      let clock = try EarnClockTable.clock(earning: posting.minutes, in: app, of: holder, in: tx)
      let outcome = try draft.post([posting], in: tx)
      try EarnClockTable.save(clock, of: app, of: holder, in: tx)
      return outcome
    }
  }

  func redeem(
    _ request: Entitlement_V1.RedeemPointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsTransaction {
    try validate(request.parts)
    guard !request.ask else { return try await redeem(request, .asking, call) }
    do {
      return try await redeem(request, .unlessApprovalIsRequired, call)
    } catch is ApprovalRequired {
      let mayApprove = try await mayApprove(of: request.holderId, call)
      return try await redeem(request, mayApprove ? .approving : .asking, call)
    }
  }

  func reverse(
    _ request: Entitlement_V1.ReversePointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsTransaction {
    let holder = request.holderId
    let transactionIDs = try named(request)
    return try await post(.reverse, of: holder, request.idempotencyKey, request, call) {
      draft,
      tx in
      try draft.reverse(transactionIDs, in: tx)
    }
  }

  // MARK: - Reading

  func balances(
    _ request: Entitlement_V1.GetPointsBalancesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetPointsBalancesResponse {
    let holder = request.holderId
    try await requireView(of: holder, call)
    let balances = try await core.store.read { tx in try PointsBalances(of: holder, in: tx) }
    return .init(balances: balances.wire, totalPoints: balances.total)
  }

  func history(
    _ request: Entitlement_V1.ListPointsHistoryRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPointsHistoryResponse {
    let holder = request.holderId
    try await requireView(of: holder, call)
    let kind = PointsEntryKind(request.kind)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let page = try await core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      of: [holder, request.app, kind?.rawValue ?? ""]
        + (request.sortBy.isEmpty ? [] : [request.sortBy]),
      call,
      cursorCount: 1,
      cursor: { (entry: PointsEntry) in ["\(entry.number)"] }
    ) { cursor, skipped, count, tx in
      try PointsLedger(holder: holder).page(
        after: cursor.flatMap { Int64($0[0]) },
        direction,
        skipping: skipped,
        app: request.app,
        kind: kind,
        count: count,
        in: tx
      )
    }
    let entries = await core.names.named(page.records.map(\.wire))
    return .init(entries: entries, nextPageToken: page.next)
  }

  func activeRewards(
    _ request: Entitlement_V1.GetActiveRewardsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetActiveRewardsResponse {
    let holder = request.holderId
    try await requireView(of: holder, call)
    let now = core.clock.now
    let running = try await core.store.read { tx in
      try RewardTable.running(of: holder, at: now, in: tx)
    }
    return .init(rewards: running.map { $0.wire(at: now) })
  }

  // MARK: - Common

  /// An action of a call on the ledger.
  enum Deed: String {
    case earn
    case redeem
    case reverse
    case approve
    case decline
    case cancel

    /// The action of the policy that it needs.
    var right: String { self == .decline ? "approve" : self == .cancel ? "redeem" : rawValue }
  }

  /// Whether users do something with the points that they bought for themselves, which no policy knows of.
  ///
  /// They earn none, and take nothing back.
  private static func isOwn(
    _ deed: String,
    of holder: String,
    _ call: CallContext
  ) throws -> Bool {
    ["view", "redeem", "approve", "set_rules"].contains(deed) && call.caller.user?.userID == holder
  }

  /// Makes sure that the caller may see the points of a holder.
  func requireView(of holder: String, _ call: CallContext) async throws {
    guard try !Self.isOwn("view", of: holder, call) else { return }
    try await core.require(Self.permission("view", on: holder), call)
  }

  /// Whether the caller may approve redemptions of a holder.
  private func mayApprove(of holder: String, _ call: CallContext) async throws -> Bool {
    guard try !Self.isOwn("approve", of: holder, call) else { return true }
    return try await core.isAllowed(
      Self.permission("approve", on: holder),
      of: try core.userID(call),
      call
    )
  }

  private static func permission(_ deed: String, on holder: String) -> Permission {
    Permission("points.\(deed)", on: holder)
  }

  /// Changes what belongs to a holder, as long as the caller may.
  func write<Request: Message, Response: Message>(
    _ deed: String,
    of holder: String,
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let right = EntitlementCore.NeededRight(
      permission: Self.permission(deed, on: holder),
      view: Self.permission("view", on: holder)
    )
    return try await core.write(
      key,
      request,
      call,
      needing: try Self.isOwn(deed, of: holder, call) ? nil : right,
      heads: .unordered([.points(of: holder)])
    ) { tx, changes in
      try changes.requireNotErased(holder: holder, in: tx)
      let response = try body(tx)
      try changes.changePoints(of: holder, in: tx)
      return response
    }
  }

  /// Adds a transaction to the ledger, and says so.
  ///
  /// `right` is the action that it needs if that is not the deed's.
  func post<Request: Message>(
    _ deed: Deed,
    needing right: Deed? = nil,
    of holder: String,
    _ key: String,
    _ request: Request,
    _ call: CallContext,
    _ body:
      @escaping @Sendable (PointsDraft, borrowing WriteTransaction) throws ->
      PointsDraft.Outcome
  ) async throws -> Entitlement_V1.PointsTransaction {
    let draft = try draft(of: holder, call)
    let answer = try await write((right ?? deed).right, of: holder, key, request, call) { tx in
      let outcome = try body(draft, tx)
      let wire = outcome.wire(at: tx.now)
      if let id = outcome.madeID {
        try tx.audit(
          outcome.request == nil ? "points.\(deed.rawValue)" : "points.request",
          object: outcome.request?.id ?? id,
          scope: holder,
          after: Digests.sha256(wire.protobufBytes),
          detail: outcome.summary
        )
      }
      return wire
    }
    // Also one that had been done before under its key.
    count(deed)
    return await core.names.named(answer)
  }

  /// Counts an answered change.
  func count(_ deed: Deed) { transactions.series(deed.rawValue).increment() }

  /// A transaction of the caller that is to be made.
  func draft(of holder: String, _ call: CallContext) throws -> PointsDraft {
    PointsDraft(
      ledger: PointsLedger(holder: holder),
      id: core.identifiers.make(.pointsTransaction),
      actorID: try core.userID(call)
    )
  }

  /// The transactions that are to be reversed.
  private func named(
    _ request: Entitlement_V1.ReversePointsRequest
  ) throws(RPCError) -> [String] {
    let (one, several) = (request.transactionId, request.transactionIds)
    guard one.isEmpty != several.isEmpty else { throw PointsError.transactionRequired }
    var seen: Set<String> = []
    for id in several where !seen.insert(id).inserted {
      throw PointsError.duplicate(transaction: id)
    }
    return several.isEmpty ? [one] : several
  }

  private func validate(_ parts: [Entitlement_V1.PointsPart]) throws(RPCError) {
    var apps: Set<String> = []
    for (index, part) in parts.enumerated() {
      switch part.amount {
      case .points, .all(true): break
      case .all(false), nil:
        throw PointsError.amountRequired("parts[\(index)].amount")
      }
      guard apps.insert(part.app).inserted else { throw PointsError.duplicate(app: part.app) }
    }
  }
}

extension ConflictKey {
  /// All that a holder has to do with points: rules, balances, entries, reward time, requests.
  fileprivate static func points(of holder: String) -> ConflictKey {
    ConflictKey("points", holder)
  }
}
