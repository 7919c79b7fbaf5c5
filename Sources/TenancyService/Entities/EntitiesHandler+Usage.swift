internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension EntitiesHandler {
  func getUsage(
    _ request: Tenancy_V1.GetEntityUsageRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.EntityUsage {
    let (user, core) = (try call.requireUser(), core)
    return try await core.read { tx in
      let held = try core.requireListing(on: request.entityId, user, tx)
      return .init(limits: try core.usage(of: held.record, tx))
    }
  }
}

extension TenancyCore {
  /// How much is used of each limit that entities of this type have.
  fileprivate func usage(
    of record: EntityRecord,
    _ tx: borrowing ReadTransaction
  ) throws -> [Tenancy_V1.LimitUsage] {
    var found: [Tenancy_V1.LimitUsage] = []
    if let limit = policy.limit(ofMembersOf: record.type) {
      let count = try MemberTable.count(of: record.id, at: clock.now, in: tx)
      found.append(.init(limit: limit.name, used: UInt64(clamping: count)))
    }
    for limit in policy.limits where limit.holderType == record.type {
      // What is unlimited may not have been counted.
      let count =
        try LimitTable.used(limit, of: record.id, in: tx)
        ?? LimitTable.count(limit, of: record.id, in: tx)
      found.append(.init(limit: limit.name, used: UInt64(clamping: count), types: limit.types))
    }
    return found
  }
}
