import PeerContracts
import EntitlementContracts
import RPCKit
import ServiceKit

@testable import EntitlementService

/// A child with rules, and what its family does with its points.
struct PointsFamily: Sendable {
  let fixture: ServiceFixture
  let holder: String

  static let parent = ServiceFixture.user(ServiceFixture.anna)
  static let child = ServiceFixture.user(ServiceFixture.bert)
  static let stranger = ServiceFixture.user("usr_stranger")

  /// Serves for the length of `body`, with rules for two apps.
  static func run(
    operators: SmallTenancy = SmallTenancy(),
    _ body: (PointsFamily) async throws -> Void
  ) async throws {
    try await ServiceFixture.run(operators: operators) { fixture in
      let family = PointsFamily(fixture: fixture, holder: "chd_mia")
      try await family.setRule("math", earns: 2, costs: 3)
      try await family.setRule("reading", earns: 1, costs: 1)
      try await body(family)
    }
  }

  /// Serves at two services that serve one store on a server, with the same rules.
  static func runReplicas(_ body: ([PointsFamily]) async throws -> Void) async throws {
    try await ServiceFixture.runReplicas { fixtures in
      let families = fixtures.map { PointsFamily(fixture: $0, holder: "chd_mia") }
      try await families[0].setRule("math", earns: 2, costs: 3)
      try await families[0].setRule("reading", earns: 1, costs: 1)
      try await body(families)
    }
  }

  @discardableResult
  func setRule(
    _ app: String,
    earns: UInt32,
    costs: UInt32,
    requiresApproval: Bool = false,
    by options: CallOptions = PointsFamily.parent
  ) async throws -> Entitlement_V1.PointsRule {
    try await fixture.points.setRule(
      .init(
        holderId: holder,
        rule: .init(
          app: app,
          pointsPerMinute: earns,
          pointsPerRewardMinute: costs,
          requiresApproval: requiresApproval
        )
      ),
      options: options
    )
  }

  @discardableResult
  func earn(
    _ app: String,
    minutes: UInt32,
    key: String = "",
    by options: CallOptions = PointsFamily.child
  ) async throws -> Entitlement_V1.PointsTransaction {
    try await fixture.points.earn(
      .init(holderId: holder, app: app, minutes: minutes, idempotencyKey: key),
      options: options
    )
  }

  /// Redeems so many points of each app; nil means all.
  @discardableResult
  func redeem(
    _ parts: [(app: String, points: Int64?)],
    for reward: String = "",
    key: String = "",
    by options: CallOptions = PointsFamily.child
  ) async throws -> Entitlement_V1.PointsTransaction {
    try await fixture.points.redeem(
      .init(
        holderId: holder,
        parts: parts.map { part in
          .init(app: part.app, amount: part.points.map { .points($0) } ?? .all(true))
        },
        reward: reward,
        idempotencyKey: key
      ),
      options: options
    )
  }

  @discardableResult
  func reverse(
    _ id: String,
    key: String = "",
    by options: CallOptions = PointsFamily.parent
  ) async throws -> Entitlement_V1.PointsTransaction {
    try await fixture.points.reverse(
      .init(holderId: holder, transactionId: id, idempotencyKey: key),
      options: options
    )
  }

  /// Reverses several transactions by one.
  @discardableResult
  func reverse(
    all ids: [String],
    beside id: String = "",
    by options: CallOptions = PointsFamily.parent
  ) async throws -> Entitlement_V1.PointsTransaction {
    try await fixture.points.reverse(
      .init(holderId: holder, transactionId: id, transactionIds: ids),
      options: options
    )
  }

  @discardableResult
  func approve(
    _ id: String,
    key: String = "",
    by options: CallOptions = PointsFamily.parent
  ) async throws -> Entitlement_V1.PointsTransaction {
    try await fixture.points.approve(
      .init(holderId: holder, requestId: id, idempotencyKey: key),
      options: options
    )
  }

  @discardableResult
  func decline(
    _ id: String,
    by options: CallOptions = PointsFamily.parent
  ) async throws -> Entitlement_V1.PointsRequest {
    try await fixture.points.decline(.init(holderId: holder, requestId: id), options: options)
  }

  @discardableResult
  func cancel(
    _ id: String,
    by options: CallOptions = PointsFamily.child
  ) async throws -> Entitlement_V1.PointsRequest {
    try await fixture.points.cancel(.init(holderId: holder, requestId: id), options: options)
  }

  func requests(
    _ state: Entitlement_V1.PointsRequestState = .unspecified
  ) async throws -> [Entitlement_V1.PointsRequest] {
    try await fixture.points.listRequests(
      .init(holderId: holder, state: state),
      options: Self.child
    ).requests
  }

  /// Points by app.
  func balances() async throws -> [String: Int64] {
    let answer = try await fixture.points.balances(.init(holderId: holder), options: Self.child)
    return Dictionary(uniqueKeysWithValues: answer.balances.map { ($0.app, $0.points) })
  }

  /// Seconds that are left, by reward.
  func rewards() async throws -> [String: Int64] {
    let answer = try await fixture.points.activeRewards(
      .init(holderId: holder),
      options: Self.child
    )
    return Dictionary(uniqueKeysWithValues: answer.rewards.map { ($0.reward, $0.secondsLeft) })
  }

  /// The whole history, oldest first, and without names, which answers to writes have not.
  func history() async throws -> [Entitlement_V1.PointsEntry] {
    var entries: [Entitlement_V1.PointsEntry] = []
    var token = ""
    repeat {
      let page = try await fixture.points.history(
        .init(holderId: holder, pageSize: 1000, pageToken: token),
        options: Self.child
      )
      entries += page.entries.map { entry in
        var entry = entry
        entry.actorName = ""
        return entry
      }
      token = page.nextPageToken
    } while !token.isEmpty
    return entries.reversed()
  }

  /// Gives points without the many calls that earning them takes.
  func give(_ points: Int64, of app: String) async throws {
    let ledger = PointsLedger(holder: holder)
    _ = try await fixture.service.core.database.write { tx in
      try ledger.post(
        [PointsPosting(kind: .earn, app: app, points: points, minutes: 1, pointsPerMinute: points)],
        as: "ptx_given",
        by: "usr_test",
        in: tx
      )
    }
  }

  /// What is wrong with the store, as `verify` says it.
  func findings() async throws -> [String] {
    try await Database.verify(fixture.settings.store.path, EntitlementProgram.store)
  }
}

/// How a call was refused; neither code nor reason when it was not.
struct Refused: Hashable, Sendable {
  let code: StatusCode?
  let reason: String?

  init(_ code: StatusCode?, _ reason: String?) { (self.code, self.reason) = (code, reason) }

  static func by(_ body: () async throws -> Void) async -> Refused {
    let (code, reason) = await refusal(body)
    return Refused(code, reason)
  }
}
