import GatehouseKit
import Observation
import SampleSupport

/// The names that this app knows. One that it does not know never breaks it.
extension Action {
  static let manageMembers: Action = "manageMembers"
  static let manageInvoices: Action = "manageInvoices"
  static let createStables: Action = "createStables"
  static let viewHorses: Action = "viewHorses"
}

/// As source 002 has it, with `@ObservationIgnored` in front of the wrappers.
@Observable
final class OrganizationModel {
  @ObservationIgnored @Permission(.manageMembers) var canManageMembers
  @ObservationIgnored @Permission(.manageInvoices) var canManageInvoices
  @ObservationIgnored @FeatureFlag("analytics") var hasAnalytics
  @ObservationIgnored @FeatureFlag("invoicing") var hasInvoicing
  @ObservationIgnored @HasRole("administrator") var isAdministrator
}

@main
enum Stables {
  struct Entity: Encodable {
    var type: String
    var name: String
    var parentId: String?
  }

  struct NewEntity: Encodable { var entity: Entity }

  static func main() async {
    await Sample.run {
      let gatehouse = Sample.gatehouse("stables")
      try await Sample.enter(gatehouse, email: "stables@example.com", name: "Ada")
      let organization = try await make(gatehouse, "organization", "Hillside", nil)
      try await gatehouse.account.select(organization)
      show(gatehouse)
      let stable = try await make(gatehouse, "stable", "North stable", organization)
      let horse = try await make(gatehouse, "horse", "Bella", stable)
      try await gatehouse.rights.refresh()
      let rights = gatehouse.rights
      print("chip number:", rights.canViewField("chipNumber", of: horse))
      print("view horse:", rights.permission(.viewHorses, on: horse))
      print("room for a second stable:", rights.isWithinLimit("maxStables", count: 1))
      do {
        _ = try await make(gatehouse, "stable", "South stable", organization)
      } catch let error as KitError {
        print(error.sentence(), error.sentence(in: .german))
      }
      try await gatehouse.account.signOut()
      print("after signing out:", OrganizationModel().canManageMembers)
    }
  }

  static func show(_ gatehouse: Gatehouse) {
    let model = OrganizationModel()
    print("tier:", gatehouse.rights.tier ?? "unknown")
    print("members:", model.canManageMembers, "administrator:", model.isAdministrator)
    print("analytics:", model.hasAnalytics, "invoicing:", model.hasInvoicing)
    print("invoices:", model.canManageInvoices)
    switch gatehouse.rights.gate(.feature("invoicing")) {
    case .upgrade(let feature, let offers):
      print("\(feature.rawValue) comes with:", offers?.addons ?? [], offers?.tier ?? "")
    case let gate: print("gate:", gate)
    }
  }

  static func make(
    _ gatehouse: Gatehouse,
    _ type: String,
    _ name: String,
    _ parent: String?
  ) async throws -> String {
    let body = NewEntity(entity: Entity(type: type, name: name, parentId: parent))
    let call = try Call(.post, "entities", body: body).once()
    return try await gatehouse.call(call, as: Made.self).id
  }
}
