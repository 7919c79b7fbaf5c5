import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

/// An organization with a stable, whose limits a test sets.
struct LimitedFarm {
  static let owner = "usr_olivia"

  let stage: TenancyStage
  let entitlement: SmallEntitlementService
  let id: String
  let stable: String

  /// Runs `body` with the policy for stables, or another text of it.
  static func run(
    policy: [UInt8]? = nil,
    horses: Int64? = 5,
    stables: Int64? = 1,
    members: Int64? = 5,
    users: SmallUsersService = SmallUsersService(),
    webhooks: WebhookFixture? = nil,
    _ body: (LimitedFarm) async throws -> Void
  ) async throws {
    let entitlement = SmallEntitlementService()
    let policy = try policy ?? PolicyFile.bytes("equestrian")
    try await TenancyStage.run(
      policy: policy,
      users: users,
      entitlement: entitlement,
      webhooks: webhooks
    ) { stage in
      try await body(
        farm(stage, entitlement, horses: horses, stables: stables, members: members)
      )
    }
  }

  /// Another organization in the same service.
  func another(horses: Int64? = 5, stables: Int64? = 1) async throws -> LimitedFarm {
    try await Self.farm(stage, entitlement, horses: horses, stables: stables)
  }

  private static func farm(
    _ stage: TenancyStage,
    _ entitlement: SmallEntitlementService,
    horses: Int64?,
    stables: Int64?,
    members: Int64? = 5
  ) async throws -> LimitedFarm {
    let id = try await stage.create("organization", by: owner).id
    entitlement.set(
      limits: ["maxHorses": horses, "maxStables": stables, "maxMembers": members],
      of: id
    )
    let stable = try await stage.create("stable", under: id, by: owner).id
    return LimitedFarm(stage: stage, entitlement: entitlement, id: id, stable: stable)
  }

  @discardableResult
  func addHorse(to stable: String? = nil, by user: String = owner) async throws -> String {
    try await stage.create("horse", under: stable ?? self.stable, by: user).id
  }

  /// The refusal of another horse; nil if there is room for one.
  func refusal(by user: String = owner) async -> RPCError? {
    do {
      try await addHorse(by: user)
      return nil
    } catch {
      return error as? RPCError
    }
  }

  func move(_ id: String, under parent: String) async throws {
    _ = try await stage.entities.move(
      .init(entityId: id, parentId: parent),
      options: .by(Self.owner)
    )
  }

  func delete(_ id: String) async throws {
    _ = try await stage.entities.delete(
      .init(entityId: id, cascade: true),
      options: .by(Self.owner)
    )
  }

  /// The rows of counters; each is compared with what a count finds.
  @discardableResult
  func counters() async throws -> [String: Int64] {
    let limits = stage.service.core.policy.limits
    let rows = try await stage.service.database.read { tx in
      try tx.query("SELECT holder_id, limit_name, used FROM limit_count") {
        (holder: $0.text(0), name: $0.text(1), used: $0.integer(2))
      }.map { row in
        let limit = limits.first { $0.name == row.name }
        let found = try limit.map { try LimitTable.count($0, of: row.holder, in: tx) }
        return (row: row, found: found)
      }
    }
    for (row, found) in rows { #expect(row.used == found, "\(row.name) of \(row.holder)") }
    return Dictionary(rows.map { ("\($0.row.name) \($0.row.holder)", $0.row.used) }) { first, _ in
      first
    }
  }
}

extension RPCError {
  /// The metadata of a refusal for a limit.
  var limit: [String: String]? {
    guard code == .permissionDenied, reason == "LIMIT_EXCEEDED" else { return nil }
    return errorInfo?.metadata
  }
}
