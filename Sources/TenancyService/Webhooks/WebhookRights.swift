internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// Whether a webhook may hear of something, at the moment of the delivery.
///
/// It has the rights that its maker has at the time, and of those only what its role gives: no right, no event.
struct WebhookRights: Sendable {
  /// The answer for one event.
  enum Verdict: Hashable, Sendable {
    case allowed
    /// It may not view the object.
    case notAllowed
    /// Its maker may no longer manage webhooks of the tenant.
    case makerLostRole
  }

  let core: TenancyCore

  /// Decides on an event; waits for trees that have to be loaded.
  func verdict(_ webhook: WebhookRecord, _ event: WebhookEvent) async throws -> Verdict {
    let system = Forest.systemIdentifier
    if webhook.entityID == system {
      return try await allows(BuiltIn.administer, on: system, webhook) ? .allowed : .makerLostRole
    }
    guard let action = try await action(of: .manageWebhooks, on: webhook.entityID),
      try await allows(action, on: webhook.entityID, webhook)
    else { return .makerLostRole }
    // What is gone, and what is no entity, is the tenant's.
    let objects = [event.event.object, webhook.entityID]
    for object in objects {
      guard let view = try await self.action(of: .view, on: object) else { continue }
      let isAllowed = try await allows(view, on: object, webhook, as: webhook.role)
      return isAllowed ? .allowed : .notAllowed
    }
    return .notAllowed
  }

  /// The action that the policy names for something on an entity; nil when the entity is not there.
  private func action(of deed: EntityDeed, on id: String) async throws -> String? {
    let policy = core.policy
    let record = try await core.read { tx in try EntityTable.all([id], in: tx).first }
    return record.flatMap { policy.action(of: deed, on: $0.type) }
  }

  /// Whether the webhook's maker may do something, and a role if one is given.
  private func allows(
    _ action: String,
    on id: String,
    _ webhook: WebhookRecord,
    as role: String = ""
  ) async throws -> Bool {
    let (engine, now, userID) = (core.engine, core.clock.now, webhook.createdBy)
    return try await core.retrying {
      try engine.read { forest in
        let policy = forest.policy
        guard let actionID = policy.action(named: action), let entity = forest.entity(id) else {
          return false
        }
        if !role.isEmpty {
          let rule = policy.rule(of: actionID, on: forest.type(entity))
          guard let role = policy.role(named: role), rule?.grants.contains(role) == true else {
            return false
          }
        }
        let decision = forest.decide(
          subject: userID,
          action: actionID,
          entity: id,
          context: .assumed,
          now: now
        )
        return decision.isAllowed
      }
    }
  }
}
