internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PointsHandler {
  func listRequests(
    _ request: Entitlement_V1.ListPointsRequestsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.ListPointsRequestsResponse {
    let (holder, now) = (request.holderId, core.clock.now)
    try await requireView(of: holder, call)
    let state = PointsRequest.State(request.state)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let page = try await core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      of: [holder, state?.rawValue ?? ""] + (request.sortBy.isEmpty ? [] : [request.sortBy]),
      call,
      cursorCount: 1,
      cursor: { (shown: Entitlement_V1.PointsRequest) in [shown.id] }
    ) { cursor, skipped, count, tx in
      let found = try PointsRequestTable.page(
        of: holder,
        state,
        after: cursor?[0],
        direction,
        skipping: skipped,
        count: count,
        at: now,
        in: tx
      )
      return try found.map { try $0.wire(at: now, in: tx) }
    }
    return .init(
      requests: await core.names.named(Array(page.records)),
      nextPageToken: page.next
    )
  }

  func approve(
    _ request: Entitlement_V1.ApprovePointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsTransaction {
    let (holder, id) = (request.holderId, request.requestId)
    return try await post(.approve, of: holder, request.idempotencyKey, request, call) {
      draft,
      tx in
      let found = try Self.known(id, of: holder, in: tx)
      switch found.state(at: tx.now) {
      case .pending: return try draft.approve(found, in: tx)
      case .approved:
        return PointsDraft.Outcome(
          entries: try draft.ledger.entries(of: found.transactionID, in: tx),
          reward: try RewardTable.load(found.reward, of: holder, in: tx),
          madeID: nil
        )
      case let state: throw PointsError.requestDecided(id, state)
      }
    }
  }

  func decline(
    _ request: Entitlement_V1.DeclinePointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsRequest {
    let (holder, id) = (request.holderId, request.requestId)
    return try await release(id, of: holder, .decline, request.idempotencyKey, request, call)
  }

  func cancel(
    _ request: Entitlement_V1.CancelPointsRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsRequest {
    let (holder, id) = (request.holderId, request.requestId)
    return try await release(id, of: holder, .cancel, request.idempotencyKey, request, call)
  }

  // MARK: - Common

  /// Gives the points of a request back to the balance; asking again changes nothing.
  private func release<Request: Message>(
    _ id: String,
    of holder: String,
    _ deed: Deed,
    _ key: String,
    _ request: Request,
    _ call: CallContext
  ) async throws -> Entitlement_V1.PointsRequest {
    let draft = try draft(of: holder, call)
    let state: PointsRequest.State = deed == .cancel ? .cancelled : .declined
    let answer = try await write(deed.right, of: holder, key, request, call) { tx in
      let found = try Self.known(id, of: holder, in: tx)
      let now = found.state(at: tx.now)
      guard now != state else { return try found.wire(at: tx.now, in: tx) }
      guard now == .pending else { throw PointsError.requestDecided(id, now) }
      let released = try draft.release(found, as: state, in: tx)
      try tx.audit("points.\(deed.rawValue)", object: id, scope: holder)
      return try released.wire(at: tx.now, in: tx)
    }
    count(deed)
    return await core.names.named(answer)
  }

  private static func known(
    _ id: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws -> PointsRequest {
    guard let found = try PointsRequestTable.load(id, of: holder, in: tx) else {
      throw EntitlementError.notFound
    }
    return found
  }
}
