import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// What is asked to be deleted.
struct Deletion: Sendable {
  let id: String
  let type: String
  let deletesDevices: Bool
  /// Where devices are to go; empty: nowhere in particular.
  var home = ""
}

/// Portfolios and what is below them, made at random through the RPCs.
struct StoredForest {
  let stage: TenancyStage
  private var generator: SeededGenerator
  private let administrator = CallOptions.by("usr_super")
  static let userIDs = (0..<8).map { "usr_person\($0)" }

  init(_ stage: TenancyStage, seed: UInt64) async throws {
    self.stage = stage
    generator = SeededGenerator(state: seed)
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: "usr_super"),
      options: .byService("auth")
    )
    for _ in 0..<60 { try await grow() }
  }

  private mutating func pick(_ type: String, _ image: StoreImage) -> String? {
    image.entities.values.filter { $0.type == type }.map(\.id)
      // By their age, so that a seed picks the same ones again: identifiers begin with the time.
      .sorted { image.ages[$0, default: 0] < image.ages[$1, default: 0] }
      .randomElement(using: &generator)
  }

  private mutating func user() -> String { Self.userIDs.randomElement(using: &generator) ?? "" }

  /// Lets go of a tree in memory, which nobody notices.
  private mutating func release() {
    let engine = stage.service.engine
    guard Bool.random(using: &generator),
      let root = engine.peek({ $0.heldRoots }).randomElement(using: &generator)
    else { return }
    engine.release(root: root)
  }

  /// Adds something somewhere.
  mutating func grow() async throws {
    release()
    let image = try await image()
    let portfolio = pick("portfolio", image)
    let (property, unit, device) = (
      pick("property", image), pick("unit", image), pick("device", image)
    )
    let user = user()
    switch (Int.random(in: 0..<16, using: &generator), portfolio, property, unit, device) {
    case (0, _, _, _, _), (_, nil, _, _, _):
      _ = try await stage.portfolios.create(
        .init(name: "p", administratorUserIds: [self.user()]),
        options: .by(user)
      )
    case (1...2, let portfolio?, _, _, _), (_, let portfolio?, nil, _, _):
      _ = try await stage.properties.create(
        .init(portfolioId: portfolio, name: "p", managerUserIds: [user]),
        options: administrator
      )
    case (3...5, _, let property?, _, _), (_, _, let property?, nil, _):
      _ = try await stage.units.create(
        .init(propertyId: property, name: "u", tenantUserIds: [user]),
        options: administrator
      )
    case (6...10, _, let property?, let unit?, _), (_, _, let property?, let unit?, nil):
      let isInside = Bool.random(using: &generator)
      _ = try await stage.devices.register(
        .init(
          propertyId: isInside ? image.entities[unit]?.parent ?? "" : property,
          unitId: isInside ? unit : "",
          name: "d",
          type: "lock"
        ),
        options: administrator
      )
    case (11, _, _, let unit?, _):
      let property = image.entities[unit]?.parent
      let near = image.entities.values.filter { $0.type == "device" && $0.parent == property }
      _ = try await stage.units.update(
        .init(unitId: unit, commonAreaDevices: .init(deviceIds: near.map(\.id).sorted())),
        options: administrator
      )
    case (12, _, _, let unit?, _):
      _ = try await stage.units.addTenant(
        .init(unitId: unit, userId: user),
        options: administrator
      )
    case (_, _, _, _, let device?):
      _ = try await stage.guests.grant(
        .init(
          userId: user,
          deviceIds: [device],
          validUntil: .init(milliseconds: TenancyStage.start + 1_000_000)
        ),
        options: administrator
      )
    }
  }

  mutating func randomDeletion() async throws -> Deletion? {
    release()
    let types = ["portfolio", "property", "property", "unit", "unit", "unit", "device"]
    let type = types.randomElement(using: &generator) ?? ""
    let image = try await image()
    guard let id = pick(type, image) else { return nil }
    var deletion = Deletion(
      id: id,
      type: type,
      deletesDevices: Bool.random(using: &generator)
    )
    let home = pick(Bool.random(using: &generator) ? "property" : "unit", image)
    if let home, type != "device", !deletion.deletesDevices, !image.subtree(of: id).contains(home) {
      deletion.home = home
    }
    return deletion
  }

  func delete(
    _ deletion: Deletion,
    cascade: Bool = true,
    isDryRun: Bool
  ) async throws -> Tenancy_V1.DeleteResponse {
    let (id, deletesDevices, home) = (deletion.id, deletion.deletesDevices, deletion.home)
    switch deletion.type {
    case "portfolio":
      return try await stage.portfolios.delete(
        .init(
          portfolioId: id,
          cascade: cascade,
          deleteDevices: deletesDevices,
          dryRun: isDryRun,
          moveDevicesTo: home
        ),
        options: administrator
      )
    case "property":
      return try await stage.properties.delete(
        .init(
          propertyId: id,
          cascade: cascade,
          deleteDevices: deletesDevices,
          dryRun: isDryRun,
          moveDevicesTo: home
        ),
        options: administrator
      )
    case "unit":
      return try await stage.units.delete(
        .init(
          unitId: id,
          cascade: cascade,
          deleteDevices: deletesDevices,
          dryRun: isDryRun,
          moveDevicesTo: home
        ),
        options: administrator
      )
    default:
      return try await stage.devices.delete(
        .init(deviceId: id, dryRun: isDryRun),
        options: administrator
      )
    }
  }

  func deleteWithoutCascade(_ deletion: Deletion) async throws -> Tenancy_V1.DeleteResponse {
    try await delete(deletion, cascade: false, isDryRun: false)
  }

  func image() async throws -> StoreImage { try await StoreImage(stage.service.database) }

  /// What is in memory is what would be loaded.
  func requireEngineFollows(_ hint: Comment) async throws {
    let (core, policy) = (stage.service.core, stage.service.engine.policy)
    let loaded = try await stage.service.database.read { tx in
      try ForestLoader.load(policy, TimeZoneFiles(), tx)
    }
    for user in Self.userIDs + ["usr_super"] {
      for (type, action) in [("unit", "unit.view"), ("device", "device.view")] {
        let query = Forest.ListQuery(
          subject: user,
          action: try #require(policy.action(named: action)),
          type: try #require(policy.type(named: type)),
          context: .plain,
          now: TenancyStage.start
        )
        let list = { (forest: borrowing Forest) -> [String] in
          forest.listAccessible(query).map { forest.entities.text($0) }.sorted()
        }
        let listed = try await core.retrying { try core.engine.read { list($0) } }
        #expect(listed == list(loaded), "\(user); \(hint)")
      }
    }
  }
}
