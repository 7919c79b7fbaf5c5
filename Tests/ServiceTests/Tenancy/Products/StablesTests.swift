import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

/// What docs/guides/stables.md says of the policy.
private struct StablesPage {
  struct Row {
    let action: String
    let roles: Set<String>
    let feature: String?
  }

  let actions: [Row]
  /// Attributes and readers of each level.
  let fields: [(level: String, attributes: [String], readers: [String])]

  init() throws {
    let page = try PolicyFile.page("stables").split(separator: "\n")
    let rows = page.filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map {
          $0.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
          }
        }
    }
    actions = rows.filter { $0.count == 5 && !$0[2].isEmpty }.map { cells in
      Row(action: cells[2][0], roles: Set(cells[3]), feature: cells[4].first)
    }
    fields = rows.filter { $0.count == 3 && !$0[0].isEmpty }.map { ($0[0][0], $0[1], $0[2]) }
  }
}

@Suite("Stables, as their policy and page have them")
struct StablesTests {
  private static let roles = [
    "administrator", "stable_manager", "schedule_planner", "bookkeeper", "veterinarian", "dentist",
    "farrier", "customer", "groom", "saddle_maker", "horse_owner", "rider", "inseminator",
    "trainer", "training_admin", "support_contact",
  ]

  /// A user of the name of each role, who holds it on an organization with a stable and a horse; the owner
  /// holds its role on the horse too.
  private static func forest() throws -> Forest {
    let policy = try Policy.load(PolicyFile.bytes("equestrian"))
    var forest = Forest(policy: policy)
    for (id, type, parent) in [
      ("org", "organization", Forest.systemIdentifier), ("stb", "stable", "org"),
      ("hrs", "horse", "stb"),
    ] {
      let row = EntityRow(
        id: id,
        type: try #require(policy.type(named: type)),
        parent: parent,
        name: "",
        codes: []
      )
      forest.apply(.putEntity(row))
    }
    for (role, entity) in roles.map({ ($0, "org") }) + [("horse_owner", "hrs")] {
      let row = AssociationRow(
        id: "asc_\(role)_\(entity)",
        subject: role,
        role: try #require(policy.role(named: role)),
        entity: entity
      )
      forest.apply(.putAssociation(row))
    }
    return forest
  }

  @Test("Each of the 33 actions has the roles and the feature that the page says, and no others")
  func actions_areThoseOfThePage() throws {
    let page = try StablesPage()
    #expect(page.actions.count == 33)
    let forest = try Self.forest()
    for row in page.actions {
      let action = try #require(forest.policy.action(named: row.action), "\(row.action)")
      let type = row.action.prefix { $0 != "." }
      let entity = ["organization": "org", "stable": "stb", "horse": "hrs"][type] ?? ""
      func reason(_ role: String, _ features: [String]) -> ReasonCode {
        forest.decide(
          subject: role,
          action: action,
          entity: entity,
          context: forest.policy.context(stepUps: [], features: features),
          now: 0
        ).reason
      }
      let features = row.feature.map { [$0] } ?? []
      let allowed = Self.roles.filter { reason($0, features) == .allowed }
      #expect(Set(allowed) == row.roles, "\(row.action)")
      guard row.feature != nil else { continue }
      #expect(row.roles.allSatisfy { reason($0, []) == .featureNotAvailable }, "\(row.action)")
    }
  }

  @Test("A horse shows each role the fields that the page says, and no others")
  func fields_areThoseOfThePage() async throws {
    let page = try StablesPage()
    try await TenancyStage.run(policy: PolicyFile.bytes("equestrian")) { stage in
      let (_, _, horse) = try await stable(stage)
      var attributes: [String] = []
      for (level, names, readers) in page.fields {
        attributes += names
        for reader in readers where reader != "horse_owner" {
          try await stage.grant(
            reader,
            on: horse.organization,
            to: "usr_\(reader)",
            by: "usr_olivia"
          )
          let seen = try await stage.entities.get(
            .init(entityId: horse.id),
            options: .by("usr_\(reader)")
          )
          #expect(seen.accessLevel == level, "\(reader)")
          #expect(Set(seen.shown) == Set(attributes), "\(reader)")
          #expect(seen.visibleAttributes == attributes.sorted(), "\(reader)")
        }
      }
      let own = try await stage.entities.get(.init(entityId: horse.id), options: .by("usr_hugo"))
      #expect(own.accessLevel == "owner")
      #expect(Set(own.shown) == Set(attributes + ["insurance"]))
    }
  }

  @Test("A bookkeeper sees of each horse what everybody sees, and may do nothing to it")
  func bookkeeper_seesPublicFieldsOfHorses() async throws {
    try await TenancyStage.run(policy: PolicyFile.bytes("equestrian")) { stage in
      let (organization, _, horse) = try await stable(stage)
      try await stage.grant("bookkeeper", on: organization, to: "usr_bo", by: "usr_olivia")
      let listed = try await stage.entities.list(.init(type: "horse"), options: .by("usr_bo"))
      let seen = try #require(listed.entities.first)
      #expect(listed.entities.count == 1)
      #expect(seen.id == horse.id && seen.name == "Bella")
      #expect(seen.accessLevel == "public")
      #expect(Set(seen.shown) == ["breed", "age"])
      for action in ["horse.update", "horse.view_records", "horse.list_people", "horse.share"] {
        #expect(try await stage.reason("usr_bo", action, horse.id) == .roleLacksAction, "\(action)")
      }
    }
  }

  @Test("Who brings a horse owns it; who may manage horses anyway does not become its owner")
  func create_horse_makesOwner() async throws {
    try await TenancyStage.run(policy: PolicyFile.bytes("equestrian")) { stage in
      let (organization, stable, horse) = try await stable(stage)
      #expect(try await stage.reason("usr_hugo", "horse.update", horse.id) == .allowed)
      // Another owner of the same stable sees nothing of it.
      try await stage.grant("horse_owner", on: organization, to: "usr_iris", by: "usr_olivia")
      let foreign = try await refusal {
        try await stage.entities.get(.init(entityId: horse.id), options: .by("usr_iris"))
      }
      #expect(foreign?.code == .notFound)
      let managed = try await stage.create("horse", under: stable, by: "usr_olivia")
      #expect(managed.accessLevel == "management")
      let held = try await stage.roles.listByUser(.init(), options: .by("usr_olivia"))
      #expect(held.associations.map(\.role) == ["organization_owner"])
      // The owner shares the horse with a veterinarian, who then sees this one alone.
      try await stage.grant("veterinarian", on: horse.id, to: "usr_vera", by: "usr_hugo")
      #expect(try await stage.reason("usr_vera", "horse.view", horse.id) == .allowed)
      #expect(try await stage.reason("usr_vera", "horse.view", managed.id) != .allowed)
    }
  }

  @Test("An organization is deleted by its owner, and by no administrator")
  func delete_organization_isTheOwners() async throws {
    try await TenancyStage.run(policy: PolicyFile.bytes("equestrian")) { stage in
      let organization = try await stage.create("organization", by: "usr_olivia").id
      try await stage.grant("administrator", on: organization, to: "usr_adam", by: "usr_olivia")
      let request = Tenancy_V1.DeleteEntityRequest(entityId: organization, cascade: true)
      let refused = try await refusal {
        try await stage.entities.delete(request, options: .by("usr_adam"))
      }
      #expect(refused == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      // Nor does an administrator become an owner by itself.
      let raised = try await refusal {
        try await stage.grant(
          "organization_owner",
          on: organization,
          to: "usr_adam",
          by: "usr_adam"
        )
      }
      #expect(raised == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      let deleted = try await stage.entities.delete(request, options: .by("usr_olivia"))
      #expect(deleted.deleted.map(\.type) == ["organization"])
    }
  }

  @Test("All policies of the repository hold together, in any order")
  func load_allProducts_holdTogether() throws {
    let sources = try ["smart-home", "equestrian", "family"].map {
      PolicySource(name: "\($0).json", text: try PolicyFile.bytes($0))
    }
    for order in [sources, sources.reversed(), [sources[1], sources[0], sources[2]]] {
      let policy = try Policy.load(order)
      #expect(Set(policy.documents.map(\.name)) == ["smart-home", "equestrian", "family"])
      #expect(policy.roles.count { $0.name == "super_admin" } == 1)
    }
    let products = try Policy.load(Array(sources.dropFirst()))
    let operators = try #require(products.role(named: "super_admin"))
    for action in ["system.administer", "horse.delete", "child.delete"] {
      let id = try #require(products.action(named: action))
      let type = try #require(products.type(named: String(action.prefix { $0 != "." })))
      #expect(try #require(products.rule(of: id, on: type)).grants.contains(operators))
    }
  }

  /// An organization of Olivia's with a stable and a horse of Hugo's in it.
  private func stable(
    _ stage: TenancyStage
  ) async throws -> (
    organization: String, stable: String, horse: (id: String, organization: String)
  ) {
    let organization = try await stage.create("organization", by: "usr_olivia").id
    let stable = try await stage.create("stable", under: organization, by: "usr_olivia").id
    try await stage.grant("horse_owner", on: stable, to: "usr_hugo", by: "usr_olivia")
    let horse = try await stage.create(
      "horse",
      under: stable,
      name: "Bella",
      [
        "breed": .stringValue("Haflinger"), "age": .numberValue(7),
        "notes": .stringValue("shy"), "special_instructions": .stringValue("hay first"),
        "equipment": .stringValue("blue saddle"), "ueln": .stringValue("276098100012345"),
        "chip_number": .stringValue("276098"), "medical_notes": .stringValue("none"),
        "owner_name": .stringValue("Hugo"), "owner_email": .stringValue("hugo@example.org"),
        "insurance": .stringValue("A-17"),
      ],
      by: "usr_hugo"
    )
    #expect(horse.accessLevel == "owner")
    return (organization, stable, (horse.id, organization))
  }
}

extension Tenancy_V1.Entity {
  /// Names of the attributes that came with it.
  fileprivate var shown: [String] { (attributes?.fields).map { Array($0.keys) } ?? [] }
}
