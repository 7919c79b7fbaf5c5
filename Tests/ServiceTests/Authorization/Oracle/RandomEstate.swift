import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Roots of a product and all below them at random: made and changed through the RPCs of TenancyService,
/// and in a naive evaluator alike.
struct RandomEstate {
  let product: Product
  let kind: OracleProduct
  let people: [Person]
  let actions: [String]
  let administrator: Person
  var naive: NaiveEvaluator
  var generator: SeededGenerator
  /// In the order in which they were made, so that a seed picks the same ones again.
  var entityIDs: [String] = []
  var granters: [String: String] = [:]
  var count = 0
  /// The features that roots have; those that were deleted keep theirs, for the states before.
  var features: [String: [String]] = [:]
  /// The limits that roots have, likewise; what is not there is unlimited.
  var limits: [String: [String: Int]] = [:]

  private static let entityCountMax = 240

  /// An estate of some size.
  init(
    _ product: Product,
    _ kind: OracleProduct,
    people: [Person],
    administrator: Person,
    seed: UInt64
  ) async throws {
    (self.product, self.kind, self.people) = (product, kind, people)
    self.administrator = administrator
    let policy = try Policy.load(kind.policy)
    actions = policy.actions
    naive = try NaiveEvaluator(policy: kind.policy, roleOrder: policy.roles.map(\.name))
    generator = SeededGenerator(state: seed)
    hold("super_admin", administrator.id, "sys_root")
    if kind.isSmartHome {
      try await buildHomes()
    } else {
      for _ in 0..<5 { try await addRoot() }
      for _ in 0..<50 { try await addEntity() }
    }
    for _ in 0..<120 { try await change() }
  }

  private mutating func buildHomes() async throws {
    for _ in 0..<4 { try await addPortfolio() }
    for _ in 0..<8 { try await addProperty() }
    for _ in 0..<24 { try await addUnit() }
    for _ in 0..<80 { try await addDevice() }
  }

  /// One random change, by somebody who may.
  mutating func change() async throws {
    if kind.isSmartHome {
      try await changeHomes()
    } else {
      try await changeAny()
    }
  }

  private mutating func changeHomes() async throws {
    switch Int.random(in: 0..<30, using: &generator) {
    case 0: try await addPortfolio()
    case 1: try await addProperty()
    case 2, 3: try await addUnit()
    case 4...6: try await addDevice()
    case 7: try await addAdmin()
    case 8: try await removeAdmin()
    case 9: try await addManager()
    case 10: try await removeManager()
    case 11, 12: try await addTenant()
    case 13: try await removeTenant()
    case 14...17: try await lend()
    case 18: try await takeBack()
    case 19, 20: try await changeDevice()
    case 21: try await moveDevice()
    case 22: try await setCommonAreas()
    case 23: try await suspendOrResume()
    case 24, 25: try await rename()
    case 26: try await changePass()
    case 27, 28: try await lendAtHours()
    default: try await delete()
    }
  }

  // MARK: - Picking

  mutating func pick<Element>(_ array: [Element]) -> Element? {
    array.randomElement(using: &generator)
  }

  func ids(_ type: String) -> [String] {
    entityIDs.filter { naive.entities[$0]?.type == type }
  }

  func isWithin(_ id: String, _ ancestor: String) -> Bool {
    if id == ancestor { return true }
    guard let parent = naive.entities[id]?.parent else { return false }
    return isWithin(parent, ancestor)
  }

  func property(of device: String) -> String? {
    guard let parent = naive.entities[device]?.parent.flatMap({ naive.entities[$0] }) else {
      return nil
    }
    switch parent.type {
    case "unit": return parent.parent
    case "property": return parent.id
    default: return nil
    }
  }

  var isFull: Bool { entityIDs.count >= Self.entityCountMax }
  var asAdministrator: CallOptions {
    get async throws {
      // Roles of a family take a PIN.
      guard let mode = naive.types["family"].map({ _ in "family.enter_parent_mode" }) else {
        return try await product.call(administrator)
      }
      return try await product.call(administrator, provingPINFor: mode)
    }
  }

  /// One of few, so that some have the same.
  mutating func randomName() -> String { "name \(Int.random(in: 10..<60, using: &generator))" }

  // MARK: - The model

  /// The features that an entity's root has, as things are in one state of the estate.
  func features(on id: String, _ state: NaiveEvaluator) -> [String] {
    var root = id
    while let parent = state.entities[root]?.parent, parent != "sys_root" { root = parent }
    return features[root] ?? []
  }

  mutating func put(
    _ id: String,
    _ type: String,
    _ parent: String,
    _ attributes: [String: NSObject] = [:],
    name: String
  ) {
    naive.entities[id] = .init(
      id: id,
      type: type,
      parent: parent,
      attributes: attributes,
      name: name
    )
    entityIDs.append(id)
  }

  /// Gives a role; one that is there already gets the new window.
  mutating func hold(
    _ role: String,
    _ user: String,
    _ entity: String,
    from: Int64? = nil,
    until: Int64? = nil
  ) {
    let place = naive.associations.firstIndex {
      $0.role == role && $0.user == user && $0.entity == entity
    }
    if let place {
      naive.associations[place].from = from
      naive.associations[place].until = until
      return
    }
    count += 1
    naive.associations.append(
      .init(id: "\(count)", user: user, role: role, entity: entity, from: from, until: until)
    )
  }

  mutating func holds(_ roles: [String], _ user: String, _ entity: String) -> Bool {
    naive.associations.contains {
      roles.contains($0.role) && $0.user == user && $0.entity == entity
    }
  }

  mutating func drop(_ roles: [String], _ user: String, _ entity: String) {
    naive.associations.removeAll {
      roles.contains($0.role) && $0.user == user && $0.entity == entity
    }
  }

  mutating func unlink(_ id: String) {
    naive.links.removeAll { $0.from == id || $0.to == id }
  }

  /// Under another entity a device is nobody's guest's, and common to no unit.
  mutating func move(_ device: String, under parent: String) {
    guard naive.entities[device]?.parent != parent else { return }
    naive.entities[device]?.parent = parent
    naive.associations.removeAll { $0.entity == device }
    unlink(device)
  }
}
