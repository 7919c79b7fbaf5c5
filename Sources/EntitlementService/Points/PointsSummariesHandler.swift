internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `entitlement.v1.PointsSummaries`: the points of several holders, for TenancyService, which has decided who sees them.
struct PointsSummariesHandler: Entitlement_V1.PointsSummariesService {
  let core: EntitlementCore

  func get(
    _ request: Entitlement_V1.GetPointsSummariesRequest,
    _ call: CallContext
  ) async throws -> Entitlement_V1.GetPointsSummariesResponse {
    _ = try call.requireService()
    let now = core.clock.now
    let summaries = try await core.store.read { tx in
      try request.holderIds.map { holder in
        let balances = try PointsBalances(of: holder, in: tx)
        let rewards = try RewardTable.running(of: holder, at: now, in: tx)
        let waiting = try PointsRequestTable.waiting(of: holder, at: now, in: tx)
        return Entitlement_V1.PointsSummary(
          holderId: holder,
          balances: balances.wire,
          totalPoints: balances.total,
          rewards: rewards.map { $0.wire(at: now) },
          requests: try waiting.map { try $0.wire(at: now, in: tx) }
        )
      }
    }
    return .init(summaries: await core.names.named(summaries))
  }
}
