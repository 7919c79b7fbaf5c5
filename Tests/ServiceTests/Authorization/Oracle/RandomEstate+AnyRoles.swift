import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

/// Roles of any product, of its policy and of tenants' own.
extension RandomEstate {
  /// Roles that somebody can grant on entities of a type.
  private func grantableRoles(on type: String) -> [String] {
    naive.roleOrder.filter { role in
      let rule = naive.roles[role] ?? [:]
      guard (rule["on"] as? [String])?.contains(type) == true else { return false }
      let action =
        (rule["granted_by"] as? [String: String])?[type] ?? rule["granted_by"] as? String
      return action.map { naive.actions(of: type)[$0] != nil } ?? false
    }
  }

  private func isKept(_ role: String) -> Bool { naive.roles[role]?["keep_one"] as? Bool == true }

  /// Whether somebody must keep a role, and nobody else can act by it for good on the same entity.
  private func isLast(_ held: NaiveEvaluator.Association) -> Bool {
    let now = product.clock.now
    guard isKept(held.role), (held.until ?? .max) > now else { return false }
    return !naive.associations.contains {
      $0.role == held.role && $0.entity == held.entity && $0.user != held.user
        && $0.until == nil && ($0.from ?? .min) <= now && !naive.suspended.contains($0.user)
    }
  }

  /// Roles below the system: nobody takes the administrator's.
  var heldRoles: [NaiveEvaluator.Association] {
    naive.associations.filter { $0.entity != "sys_root" }
  }

  mutating func grantAny() async throws {
    guard let id = pick(entityIDs), let type = naive.entities[id]?.type,
      let role = pick(grantableRoles(on: type)), let person = pick(people)
    else { return }
    let root = root(of: id)
    let variants = naive.definitions.filter {
      $0.root == root && $0.base == role && $0.name != role
    }
    let variant = Bool.random(using: &generator) ? pick(variants) : nil
    let rule = naive.roles[role] ?? [:]
    let isWindowed = rule["window"] as? String == "required"
    let isLimited = !isKept(role) && Int.random(in: 0..<4, using: &generator) == 0
    let window = isWindowed || isLimited ? window() : nil
    let hours = !isKept(role) && Int.random(in: 0..<4, using: &generator) == 0 ? hours() : nil
    let options = try await asAdministrator
    let request = Tenancy_V1.GrantRoleRequest(
      role: .init(
        entityId: id,
        role: variant?.name ?? role,
        userId: person.id,
        validFrom: window.map { .init(milliseconds: $0.from) },
        validUntil: window.map { .init(milliseconds: $0.until) },
        replaceWindow: true,
        recurring: hours
      )
    )
    guard hasSeat(for: person.id, on: id) else {
      let refused = await #expect(throws: RPCError.self, "\(id) has no room for \(person.id)") {
        try await product.roles.grant(request, options: options)
      }
      #expect(refused?.reason == "LIMIT_EXCEEDED")
      return
    }
    let granted = try await product.roles.grant(request, options: options)
    let isLent = rule["lent"] as? Bool == true
    let place = naive.associations.firstIndex {
      isLent
        ? $0.id == granted.id
        : $0.role == role && $0.user == person.id && $0.entity == id && $0.variant == variant?.id
    }
    var held = NaiveEvaluator.Association(
      id: granted.id,
      user: person.id,
      role: role,
      entity: id,
      from: window?.from,
      until: window?.until,
      recurring: hours.map(Self.daily),
      variant: variant?.id
    )
    guard let place else { return naive.associations.append(held) }
    held.id = naive.associations[place].id
    #expect(held.id == granted.id, "another role was replaced")
    naive.associations[place] = held
  }

  /// Whether somebody is a member of an entity, or may become one.
  private func hasSeat(for user: String, on id: String) -> Bool {
    let rule = naive.types[naive.entities[id]?.type ?? ""]?["members"] as? [String: String]
    guard let limit = rule?["limit"], let maximum = limits[id]?[limit] else { return true }
    let now = product.clock.now
    let members = Set(
      naive.associations.filter { $0.entity == id && ($0.until ?? .max) > now }.map(\.user)
    )
    return members.contains(user) || members.count < maximum || members.isEmpty
  }

  /// All that somebody has of a role on an entity, or of one of a tenant's own alone.
  mutating func revokeAny() async throws {
    guard let held = pick(heldRoles) else { return }
    let own = naive.definitions.first { $0.id == held.variant }
    let variant = Bool.random(using: &generator) ? own : nil
    let request = Tenancy_V1.RevokeRoleRequest(
      entityId: held.entity,
      role: variant?.name ?? held.role,
      userId: held.user
    )
    let options = try await asAdministrator
    guard !isLast(held) else {
      await #expect(throws: RPCError.self, "the last \(held.role) was removed") {
        try await product.roles.revoke(request, options: options)
      }
      return
    }
    _ = try await product.roles.revoke(request, options: options)
    naive.associations.removeAll {
      $0.user == held.user && $0.entity == held.entity && $0.role == held.role
        && (variant == nil || $0.variant == variant?.id)
    }
  }

  /// Somebody gives up all that it has on an entity.
  mutating func leaveAny() async throws {
    let free = heldRoles.filter { [suspended = naive.suspended] in !suspended.contains($0.user) }
    guard let held = pick(free), let person = people.first(where: { $0.id == held.user }) else {
      return
    }
    let all = naive.associations.filter { $0.user == held.user && $0.entity == held.entity }
    let options = try await product.call(person)
    let request = Tenancy_V1.LeaveRoleRequest(entityId: held.entity)
    guard !all.contains(where: { isLast($0) }) else {
      await #expect(throws: RPCError.self, "the last one left") {
        try await product.roles.leave(request, options: options)
      }
      return
    }
    _ = try await product.roles.leave(request, options: options)
    naive.associations.removeAll { $0.user == held.user && $0.entity == held.entity }
  }

  // MARK: - Of a tenant's own

  /// Whether the administrator may define roles of a tenant's own: it may take a feature.
  private func mayDefine(in root: String) -> Bool {
    guard let action = kind.defineAction else { return false }
    return naive.decide(
      administrator.id,
      action,
      root,
      stepUps: ["pwd"],
      features: features(on: root, naive),
      now: product.clock.now
    ).reason == "ALLOWED"
  }

  /// A new role, or other actions for one that is there; some that its base role has, some that it has
  /// not.
  mutating func define() async throws {
    let bases = naive.roleOrder.filter { role in
      !isKept(role) && (naive.roles[role]?["on"] as? [String])?.contains("system") == false
    }
    let roots = entityIDs.filter { naive.entities[$0]?.parent == "sys_root" }
    guard kind.defineAction != nil, let root = pick(roots), let base = pick(bases) else { return }
    let replaces = Int.random(in: 0..<3, using: &generator) == 0
    let name = replaces ? base : "own_\(Int.random(in: 0..<4, using: &generator))"
    let before = naive.definitions.first { $0.root == root && $0.name == name }
    let actions = randomActions(of: before?.base ?? base)
    let request = Tenancy_V1.PutRoleDefinitionRequest(
      entityId: root,
      name: name,
      baseRole: before?.base ?? base,
      actions: actions
    )
    let options = try await asAdministrator
    guard mayDefine(in: root) else {
      await #expect(throws: RPCError.self, "a role was defined without the feature") {
        try await product.definitions.put(request, options: options)
      }
      return
    }
    let id = try await product.definitions.put(request, options: options).id
    naive.definitions.removeAll { $0.id == id }
    naive.definitions.append(
      .init(id: id, root: root, name: name, base: request.baseRole, actions: Set(actions))
    )
  }

  /// Of what a role reaches; mostly what it grants.
  private mutating func randomActions(of role: String) -> [String] {
    let rule = naive.roles[role] ?? [:]
    let reached = (rule["on"] as? [String] ?? []) + (rule["inherits_to"] as? [String] ?? [])
    var actions: Set<String> = []
    for type in Set(reached).sorted() {
      for (action, asked) in naive.actions(of: type).sorted(by: { $0.key < $1.key }) {
        let isGranted = (asked["roles"] as? [String])?.contains(role) == true
        if Int.random(in: 0..<6, using: &generator) < (isGranted ? 5 : 2) { actions.insert(action) }
      }
    }
    return actions.sorted()
  }

  mutating func removeDefinition() async throws {
    guard let definition = pick(naive.definitions) else { return }
    let request = Tenancy_V1.DeleteRoleDefinitionRequest(
      entityId: definition.root,
      name: definition.name
    )
    let options = try await asAdministrator
    let isHeld = naive.associations.contains { $0.variant == definition.id }
    guard mayDefine(in: definition.root), !isHeld else {
      await #expect(throws: RPCError.self, "a role that somebody has was removed") {
        try await product.definitions.delete(request, options: options)
      }
      return
    }
    _ = try await product.definitions.delete(request, options: options)
    naive.definitions.removeAll { $0.id == definition.id }
  }
}
