internal import RPCKit
internal import ServiceKit

extension PointsDraft {
  /// Holds points instead of redeeming them, until the request is decided.
  ///
  /// Throws `PointsError.requestLimit` when too many wait.
  func hold(
    _ postings: [PointsPosting],
    for reward: String,
    as requestID: String,
    in tx: borrowing WriteTransaction
  ) throws -> Outcome {
    let waiting = try PointsRequestTable.waiting(of: ledger.holder, at: tx.now, in: tx)
    guard waiting.count < PointsRequest.pendingCountMax else { throw PointsError.requestLimit }
    var outcome = try post(postings.map { $0.being(.hold) }, in: tx)
    let request = PointsRequest(
      id: requestID,
      holder: ledger.holder,
      reward: reward,
      state: .pending,
      holdID: id,
      requestedBy: actorID,
      requestedAt: tx.now,
      expiresAt: tx.now + PointsRequest.lifetime
    )
    try PointsRequestTable.insert(request, in: tx)
    outcome.request = request
    return outcome
  }

  /// Redeems the points of a request that waits, at the rates of its time.
  func approve(_ request: PointsRequest, in tx: borrowing WriteTransaction) throws -> Outcome {
    let held = try ledger.entries(of: request.holdID, in: tx).map(\.posting)
    let outcome = try redeem(
      held.map { $0.being(.release) } + held.map { $0.being(.redeem) },
      for: request.reward,
      in: tx
    )
    try settle(request, as: .approved, in: tx)
    return outcome
  }

  /// Gives the points of a request that waits back to the balance.
  @discardableResult
  func release(
    _ request: PointsRequest,
    as state: PointsRequest.State,
    in tx: borrowing WriteTransaction
  ) throws -> PointsRequest {
    let held = try ledger.entries(of: request.holdID, in: tx).map(\.posting)
    _ = try post(held.map { $0.being(.release) }, in: tx)
    return try settle(request, as: state, in: tx)
  }

  @discardableResult
  private func settle(
    _ request: PointsRequest,
    as state: PointsRequest.State,
    in tx: borrowing WriteTransaction
  ) throws -> PointsRequest {
    var settled = request
    settled.state = state
    if state != .expired { (settled.decidedBy, settled.decidedAt) = (actorID, tx.now) }
    if state == .approved { settled.transactionID = id }
    try PointsRequestTable.settle(settled, in: tx)
    return settled
  }
}

extension PointsPosting {
  /// The same points moved between other accounts.
  fileprivate func being(_ kind: PointsEntryKind) -> PointsPosting {
    var posting = self
    posting.kind = kind
    return posting
  }
}

/// Gives the points of requests back that nobody has decided in time.
struct PointsRequestExpiry: Sendable {
  let identifiers: IdentifierFactory

  /// Requests that one write expires, at most.
  static let countMax = 100

  /// Those of one holder, before anything is redeemed.
  func run(of holder: String, in tx: borrowing WriteTransaction) throws {
    for request in try PointsRequestTable.overdue(of: holder, at: tx.now, in: tx) {
      try expire(request, in: tx)
    }
  }

  /// Those of all holders, a part of them at a time; how many there were.
  func run(_ core: EntitlementCore) async throws -> Int {
    let due = { @Sendable (tx: borrowing ReadTransaction) in
      try PointsRequestTable.overdue(at: core.clock.now, limit: 1, in: tx).count
    }
    // Without holding other writes up for nothing.
    guard try await core.store.read(due) > 0 else { return 0 }
    let count = Lock(0)
    try await core.changeOwn { tx, changes in
      let requests = try PointsRequestTable.overdue(at: tx.now, limit: Self.countMax, in: tx)
      for request in requests {
        try expire(request, in: tx)
        try changes.changePoints(of: request.holder, in: tx)
      }
      count.withLock { $0 = requests.count }
    }
    return count.withLock { $0 }
  }

  private func expire(_ request: PointsRequest, in tx: borrowing WriteTransaction) throws {
    let draft = PointsDraft(
      ledger: PointsLedger(holder: request.holder),
      id: identifiers.make(.pointsTransaction),
      actorID: ""
    )
    try draft.release(request, as: .expired, in: tx)
    try tx.audit("points.expire", object: request.id, scope: request.holder)
  }
}
