internal import AccessEngine
internal import ServiceKit

/// Roles that somebody must have (`keep_one`), and who may give them for how long.
///
/// A holder with an end who could make another one without an end, or itself, could then remove all the
/// others: so nobody gives such a role, nor one by which such a role can be given, for longer than their
/// own right to give it lasts (docs/decisions/0184).
extension ChangeSet {
  /// Throws WINDOW_EXCEEDS_OWN when the caller would give such a role beyond the end of its own right.
  ///
  /// By what the store has, this transaction's own changes included. `action` is what the caller does it
  /// by, if that is not the one that the policy names for the role.
  func requireLastingGiver(
    of role: String,
    _ definition: RoleDefinitionRecord?,
    by action: String?,
    on entity: EntityRecord,
    during window: RoleWindow,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard policy.isKept(role) || policy.givesKept(role, definition),
      let rule = GivingRule(of: role, on: entity.type, by: action, policy)
    else { return }
    let reach = try EntityTable.reach(of: entity.id, in: tx)
    var lasts = false
    for right in try AssociationTable.all(ofUser: user.userID, in: tx)
    where right.isGiving(until: window.until, now: tx.now) {
      let own = try RoleDefinitionTable.all(of: right.rootID, in: tx)
      lasts = lasts || rule.isMet(by: right, on: entity.id, reach, own: own)
    }
    guard lasts else { throw RoleError.outlastsOwn(role) }
  }
}

extension AssociationRecord {
  /// Whether it counts now, at all hours, and not for less long than a role that is given by it.
  fileprivate func isGiving(until: Int64?, now: Int64) -> Bool {
    isInForce(at: now) && recurring == nil && !hasUnreadableWindow
      && until ?? .max <= validUntil ?? .max
  }
}

extension Policy {
  /// The actions that grant a role that somebody must have.
  var keptGrantingActions: Set<String> {
    Set(roles.filter(\.isOneKept).flatMap(\.roleActions.grant.values))
  }

  /// Whether the holders of a role, or of a tenant's own one, may give one that somebody must have.
  func givesKept(_ name: String, _ definition: RoleDefinitionRecord?) -> Bool {
    guard let role = role(named: name) else { return false }
    let actions = keptGrantingActions
    if let definition { return !actions.isDisjoint(with: definition.actions) }
    return actions.contains { name in
      guard let action = action(named: name) else { return false }
      return types(knowing: action, reachedBy: role).contains {
        rule(of: action, on: $0)?.grants.contains(role) == true
      }
    }
  }
}
