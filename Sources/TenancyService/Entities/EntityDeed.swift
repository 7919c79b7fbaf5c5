internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// An action of a caller on an entity of any type; the policy says which action that is.
enum EntityDeed: String, Sendable {
  case view
  case update
  case move
  case delete
  case listAssociations = "list_associations"
  case defineRoles = "define_roles"
  case report
  case manageWebhooks = "manage_webhooks"
}

/// An entity that a caller may do something to, and the decision that says so.
struct HeldEntity: Sendable {
  let record: EntityRecord
  let explanation: Explanation

  /// The entity's type, as the policy that decided has it.
  var type: Policy.EntityType {
    guard let type = explanation.policy.type(named: record.type) else {
      preconditionFailure("\(record.id) is of no type of the policy that has decided on it")
    }
    return explanation.policy[type]
  }
}

extension TenancyCore {
  /// ABORTED unless an entity still has the revision that the caller has seen; empty is any.
  func requireRevision(_ token: String, of record: EntityRecord) throws(RPCError) {
    try requireRevision(token, being: record.revision)
  }

  /// ABORTED unless `revision` is the one that the caller has seen; nil is that of an object that is not there.
  func requireRevision(_ token: String, being revision: Int64?) throws(RPCError) {
    guard !token.isEmpty else { return }
    guard try tokens.revision(token: token) == revision else {
      throw EntityError.revisionMismatch
    }
  }

  /// Throws unless a user may do something to an entity that it names by its identifier alone.
  ///
  /// NOT_FOUND when the user may not know of it; ROLE_LACKS_ACTION when it may and the policy names no
  /// action for this. Decides as `require` does.
  func require(
    _ deed: EntityDeed,
    on id: String,
    _ user: UserIdentity,
    needsFeatures: Bool = true,
    _ tx: borrowing some Queryable
  ) throws -> HeldEntity {
    let record = try EntityTable.all([id], in: tx).first
    let action = record.flatMap { policy.action(of: deed, on: $0.type) }
    return try require(
      action,
      deed.rawValue,
      on: id,
      record,
      user,
      needsFeatures: needsFeatures,
      tx
    )
  }

  /// As the other one, for an action that the policy names, or does not.
  func require(
    _ action: String?,
    _ deed: String,
    on id: String,
    _ record: EntityRecord?,
    _ user: UserIdentity,
    needsFeatures: Bool = true,
    _ tx: borrowing some Queryable
  ) throws -> HeldEntity {
    guard let record, let action else {
      let standing = try standing(on: id, type: record?.type, user, tx)
      throw refusal(of: "\(record?.type ?? "").\(deed)", on: id, standing, user)
    }
    let explanation = try require(
      action,
      on: id,
      type: record.type,
      user,
      needsFeatures: needsFeatures,
      tx
    )
    return HeldEntity(record: record, explanation: explanation)
  }

  /// How a user stands towards an entity: `isKnown`, which does not depend on an action.
  func standing(
    on id: String,
    type: String?,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Explanation {
    let type = type ?? ""
    return try decide(policy.anyAction(on: type) ?? "", on: id, type: type, user, tx)
  }

  /// Why nobody may do what the policy names no action for, as far as a user may know.
  func refusal(
    of deed: String,
    on id: String,
    _ standing: Explanation,
    _ user: UserIdentity
  ) -> RPCError {
    let reason = standing.knows ? ReasonCode.roleLacksAction : standing.reason
    var answer =
      standing.isKnown
      ? TenancyError.denied(reason, action: deed, sufficientRoles: []) : TenancyError.notFound
    if standing.knows { answer.message = EntityError.nothingNamed(for: deed) }
    return answer.denying(deed, on: id, because: reason)
  }
}

extension ChangeSet {
  /// Throws unless the caller may do something to an entity of the type that the action names first: NOT_FOUND
  /// for one of another type.
  func held(_ action: String, on id: String, _ tx: borrowing some Queryable) throws -> HeldEntity {
    let explanation = try require(action, on: id, tx)
    let record = try EntityTable.known(id, type: TenancyCore.type(of: action), in: tx)
    return HeldEntity(record: record, explanation: explanation)
  }

  /// As `held`, without the entity.
  @discardableResult
  func require(
    _ action: String,
    on id: String,
    _ tx: borrowing some Queryable
  ) throws -> Explanation {
    try core.require(action, on: id, user, tx)
  }
}

extension Explanation {
  /// Whether the subject may do nothing at all.
  var isSuspension: Bool { reason == .subjectSuspended }

  /// Whether the subject may know of the object.
  var knows: Bool { isKnown && !isSuspension }
}

extension EntityTable {
  /// An entity that the caller may know; NOT_FOUND when it has gone since that was decided.
  static func known(
    _ id: String,
    type: String,
    in tx: borrowing some Queryable
  ) throws -> EntityRecord {
    guard let record = try EntityTable.find(id, type: type, in: tx) else {
      throw TenancyError.notFound
    }
    return record
  }
}
