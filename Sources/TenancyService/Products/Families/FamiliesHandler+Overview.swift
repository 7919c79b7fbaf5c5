internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension FamiliesHandler {
  /// Children of an overview, at most.
  private static let childCountMax: UInt32 = 50
  /// The part of an answer that may be missing.
  private static let pointsPart = "points"

  func getOverview(
    _ request: Tenancy_V1.GetFamilyOverviewRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.FamilyOverview {
    let user = try call.requireUser()
    try await core.permit(Families.viewFamily, on: request.familyId, user)
    let children = try await core.page(
      EntityList(
        action: Families.viewChild,
        type: Families.child,
        within: [request.familyId],
        pageSize: Self.childCountMax
      ),
      call,
      user
    )
    var (overview, holders) = try await core.read { [core] tx in
      try Self.overview(of: request.familyId, children, user, core, tx)
    }
    do {
      try await addPoints(of: holders, to: &overview)
    } catch let error as RPCError where request.allowPartial && error.code == .unavailable {
      overview.missing = [Self.pointsPart]
    }
    return try await core.named(overview)
  }

  /// The overview without points, and the holders whose points the user may view.
  private static func overview(
    of familyID: String,
    _ page: Page,
    _ user: UserIdentity,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> (Tenancy_V1.FamilyOverview, holders: [String]) {
    let held = try core.require(Families.viewFamily, on: familyID, user, tx)
    guard let family = try EntityTable.all([familyID], in: tx).first else {
      throw TenancyError.notFound
    }
    var overview = Tenancy_V1.FamilyOverview(family: core.message(entity: family, held))
    var holders: [String] = []
    func note(_ id: String, _ type: String) throws {
      let seen = try core.ruling(Families.viewPoints, on: id, type: type, user, tx)
      if seen.isAllowed { holders.append(id) }
    }
    try note(familyID, Families.family)
    let (items, next) = try core.fill(page, tx) { record -> Tenancy_V1.Entity? in
      let explanation = try core.ruling(Families.viewChild, on: record.id, user, tx)
      // A right that has ended since shows nothing.
      return explanation.isAllowed ? core.message(entity: record, explanation) : nil
    }
    overview.children = items.map { .init(child: $0) }
    overview.childrenCut = !next.isEmpty
    for child in items { try note(child.id, Families.child) }
    if try core.ruling(Families.listPairings, on: familyID, user, tx).isAllowed {
      overview.pairings = try PairingTable.list(
        family: familyID,
        child: nil,
        by: PairingRoles(core.policy),
        at: core.clock.now,
        after: nil,
        limit: PairingLimits.pairingsOfFamilyMax,
        in: tx
      ).map(\.message)
    }
    return (overview, holders)
  }

  /// Adds the points of some holders; an installation without EntitlementService has none.
  private func addPoints(
    of holders: [String],
    to overview: inout Tenancy_V1.FamilyOverview
  ) async throws {
    guard let points = core.points, !holders.isEmpty else { return }
    let found: [Entitlement_V1.PointsSummary]
    do {
      found = try await points.summaries(of: holders)
    } catch let error as RPCError {
      throw TenancyError.pointsUnavailable(error)
    }
    let summaries = Dictionary(found.map { ($0.holderId, $0) }) { first, _ in first }
    overview.points = summaries[overview.family?.id ?? ""]
    for index in overview.children.indices {
      overview.children[index].points = summaries[overview.children[index].child?.id ?? ""]
    }
  }
}

extension Tenancy_V1.FamilyOverview: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    // EntitlementService names those of the points.
    pairings.forEachPerson(body)
  }
}
