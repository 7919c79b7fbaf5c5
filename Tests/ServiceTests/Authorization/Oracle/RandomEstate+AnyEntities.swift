import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

/// Entities of any product, by the calls that every product has.
extension RandomEstate {
  /// One random change of a product without calls of its own, by somebody who may.
  mutating func changeAny() async throws {
    switch Int.random(in: 0..<28, using: &generator) {
    case 0: try await addRoot()
    case 1...5: try await addEntity()
    case 6...10: try await grantAny()
    case 11, 12: try await revokeAny()
    case 13: try await leaveAny()
    case 14, 15: try await define()
    case 16: try await removeDefinition()
    case 17, 18: try await setAttributes()
    case 19: try await renameAny()
    case 20, 21: try await moveAny()
    case 22: try await suspendOrResume()
    case 23: try await deleteAny()
    case 24, 25: try await setOneAttribute()
    default: try await grantAny()
    }
  }

  /// The action that a policy asks for to do something to entities of a type; which one it takes to
  /// create one may depend on the parent's type.
  func lifecycle(_ deed: String, of type: String, under parent: String = "") -> String? {
    let lifecycle = naive.types[type]?["lifecycle"] as? [String: Any]
    return (lifecycle?[deed] as? [String: String])?[parent] ?? lifecycle?[deed] as? String
  }

  /// The uppermost entity above one, or itself.
  func root(of id: String) -> String {
    guard let parent = naive.entities[id]?.parent, parent != "sys_root" else { return id }
    return root(of: parent)
  }

  private func depth(_ id: String) -> Int {
    naive.entities[id]?.parent.map { 1 + depth($0) } ?? 0
  }

  /// Types of the policy in one order, so that a seed picks the same ones again.
  var types: [String] { naive.types.keys.filter { $0 != "system" }.sorted() }

  /// Entities below which one of a type can be created.
  private func parents(of type: String) -> [String] {
    let allowed = naive.types[type]?["parents"] as? [String] ?? []
    return entityIDs.filter { id in
      guard let parent = naive.entities[id]?.type, allowed.contains(parent),
        let action = lifecycle("create", of: type, under: parent)
      else { return false }
      return naive.actions(of: parent)[action] != nil && depth(id) < 4
    }
  }

  mutating func addRoot() async throws {
    let free = people.filter { [suspended = naive.suspended] in !suspended.contains($0.id) }
    guard !isFull, let owner = pick(free) else { return }
    let name = randomName()
    let id = try await product.entities.create(
      .init(entity: .init(type: kind.rootType, name: name)),
      options: try await product.call(owner)
    ).id
    put(id, kind.rootType, "sys_root", name: name)
    let given = try await product.roles.listByEntity(
      .init(entityId: id),
      options: try await asAdministrator
    ).associations
    #expect(given.map(\.userId) == [owner.id] && given.map(\.role) == [kind.creatorRole])
    naive.associations.append(
      .init(
        id: given.first?.id ?? "",
        user: owner.id,
        role: kind.creatorRole,
        entity: id,
        from: nil,
        until: nil
      )
    )
    try await subscribe(id)
  }

  /// Features are of one root: some have none, some a few, some all.
  private mutating func subscribe(_ root: String) async throws {
    guard naive.types[kind.rootType]?["holds_features_as"] as? String == "organization",
      let tier = pick(["", "pro", "enterprise"])
    else { return }
    limits[root] = try ProductSetup.limits(ofTier: tier.isEmpty ? "free" : tier)
    guard !tier.isEmpty else { return }
    _ = try await product.subscriptions.put(
      .init(subscription: .init(subject: .init(kind: .organization, id: root), tier: tier)),
      options: product.options(of: "billing", to: "entitlement")
    )
    features[root] = try ProductSetup.flags(ofTier: tier)
  }

  mutating func addEntity() async throws {
    let places = types.map { (type: $0, parents: parents(of: $0)) }.filter { !$0.parents.isEmpty }
    guard !isFull, let place = pick(places), let parent = pick(place.parents) else { return }
    let (name, values) = (randomName(), randomValues(of: place.type))
    let options = try await asAdministrator
    let request = Tenancy_V1.CreateEntityRequest(
      entity: .init(
        type: place.type,
        parentId: parent,
        name: name,
        attributes: .init(fields: values.mapValues(\.wire))
      )
    )
    guard hasRoom(for: place.type, in: root(of: parent)) else {
      let refused = await #expect(throws: RPCError.self, "\(parent) has no room") {
        try await product.entities.create(request, options: options)
      }
      #expect(refused?.reason == "LIMIT_EXCEEDED")
      return
    }
    let id = try await product.entities.create(request, options: options).id
    put(id, place.type, parent, values.mapValues(\.naive), name: name)
  }

  /// Whether there are fewer entities of a type in a tree than its tier has room for.
  private func hasRoom(for type: String, in root: String) -> Bool {
    let counts = naive.types[type]?["counts"] as? [String: String]
    guard let limit = counts?["limit"], let maximum = limits[root]?[limit] else { return true }
    let count = entityIDs.count {
      naive.entities[$0]?.type == type && self.root(of: $0) == root
    }
    return count < maximum
  }

  private struct RandomValue {
    let naive: NSObject
    let wire: Google_Protobuf.Value
  }

  /// Values for some of the attributes of a type.
  private mutating func randomValues(of type: String) -> [String: RandomValue] {
    let declared = naive.types[type]?["attributes"] as? [String: [String: Any]] ?? [:]
    var values: [String: RandomValue] = [:]
    for name in declared.keys.sorted() where Bool.random(using: &generator) {
      switch declared[name]?["kind"] as? String {
      case "boolean":
        let flag = Bool.random(using: &generator)
        values[name] = .init(naive: flag as NSNumber, wire: .init(kind: .boolValue(flag)))
      case "choice":
        let choice = pick(declared[name]?["choices"] as? [String] ?? []) ?? ""
        values[name] = .init(naive: choice as NSString, wire: .init(kind: .stringValue(choice)))
      case "integer":
        let number = declared[name]?["min"] as? Int ?? 0
        values[name] = .init(
          naive: number as NSNumber,
          wire: .init(kind: .numberValue(Double(number)))
        )
      default:
        let text = randomName()
        values[name] = .init(naive: text as NSString, wire: .init(kind: .stringValue(text)))
      }
    }
    return values
  }

  mutating func setAttributes() async throws {
    guard let id = pick(entityIDs), let type = naive.entities[id]?.type,
      lifecycle("update", of: type) != nil
    else { return }
    let values = randomValues(of: type)
    _ = try await product.entities.update(
      .init(entityId: id, attributes: .init(fields: values.mapValues(\.wire))),
      options: try await asAdministrator
    )
    naive.entities[id]?.attributes.merge(values.mapValues(\.naive)) { $1 }
  }

  /// Somebody sets an attribute: of what it may change, those that its access level shows.
  mutating func setOneAttribute() async throws {
    guard let held = pick(heldRoles), let person = people.first(where: { $0.id == held.user }),
      let id = pick(entityIDs.filter { isWithin($0, held.entity) }),
      let type = naive.entities[id]?.type, let action = lifecycle("update", of: type)
    else { return }
    let values = randomValues(of: type)
    guard let name = pick(values.keys.sorted()), let value = values[name] else { return }
    let reason = naive.decide(
      person.id,
      action,
      id,
      stepUps: ["pwd"],
      features: features(on: id, naive),
      now: product.clock.now
    ).reason
    let visible = naive.visibleAttributes(of: person.id, on: id, now: product.clock.now)
    let options = try await product.call(person)
    let request = Tenancy_V1.UpdateEntityRequest(
      entityId: id,
      attributes: .init(fields: [name: value.wire])
    )
    guard reason == "ALLOWED", visible.contains(name) else {
      let refused = await #expect(throws: RPCError.self, "\(person.id) set \(name) of \(id)") {
        try await product.entities.update(request, options: options)
      }
      if reason == "ALLOWED" { #expect(refused?.reason == "ATTRIBUTE_NOT_VISIBLE") }
      return
    }
    _ = try await product.entities.update(request, options: options)
    naive.entities[id]?.attributes[name] = value.naive
  }

  mutating func renameAny() async throws {
    guard let id = pick(entityIDs), let type = naive.entities[id]?.type,
      lifecycle("update", of: type) != nil
    else { return }
    let name = randomName()
    _ = try await product.entities.update(
      .init(entityId: id, name: name),
      options: try await asAdministrator
    )
    naive.entities[id]?.name = name
  }

  /// What has a role of a tenant's own stays in its tenant.
  mutating func moveAny() async throws {
    let movable = entityIDs.filter { id in
      naive.entities[id].map { lifecycle("move", of: $0.type) != nil } ?? false
    }
    guard let id = pick(movable), let entity = naive.entities[id] else { return }
    let inside = Set(entityIDs.filter { isWithin($0, id) })
    let height = (inside.map { depth($0) }.max() ?? 0) - depth(id)
    let places = parents(of: entity.type).filter {
      !inside.contains($0) && $0 != entity.parent && depth($0) + height < 8
    }
    guard let parent = pick(places) else { return }
    let (options, request) = (
      try await asAdministrator, Tenancy_V1.MoveEntityRequest(entityId: id, parentId: parent)
    )
    let hasOwnRoles =
      naive.definitions.contains { $0.root == id }
      || naive.associations.contains { $0.variant != nil && inside.contains($0.entity) }
    guard root(of: parent) == root(of: id) || !hasOwnRoles else {
      await #expect(throws: RPCError.self, "a role of a tenant's own left its tenant") {
        try await product.entities.move(request, options: options)
      }
      return
    }
    guard root(of: parent) == root(of: id) || hasRoom(for: entity.type, in: root(of: parent)) else {
      let refused = await #expect(throws: RPCError.self, "\(parent) has no room") {
        try await product.entities.move(request, options: options)
      }
      #expect(refused?.reason == "LIMIT_EXCEEDED")
      return
    }
    _ = try await product.entities.move(request, options: options)
    naive.entities[id]?.parent = parent
  }

  /// Mostly what has nothing below it, or little would be left.
  mutating func deleteAny() async throws {
    let parents = Set(naive.entities.values.compactMap(\.parent))
    let leaves = entityIDs.filter { !parents.contains($0) }
    let isAny = Int.random(in: 0..<8, using: &generator) == 0
    guard let id = pick(isAny ? entityIDs : leaves), let type = naive.entities[id]?.type,
      lifecycle("delete", of: type) != nil
    else { return }
    _ = try await product.entities.delete(
      .init(entityId: id, cascade: true),
      options: try await asAdministrator
    )
    forget(id, devicesGoTo: nil)
    naive.definitions.removeAll { [left = naive.entities] in left[$0.root] == nil }
  }
}
