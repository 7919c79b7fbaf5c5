internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Changes, moves and deletions of entities of any type.
extension ChangeSet {
  func insert(
    _ type: String,
    _ prefix: IdentifierPrefix,
    id given: String? = nil,
    under parent: EntityRecord,
    name: String,
    attributes: [String: JSONValue] = [:],
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    try countNew(type, under: parent.id, tx)
    let id = given ?? core.identifiers.make(prefix)
    let record = try EntityTable.put(
      EntityRecord(
        id: id,
        type: type,
        parentID: parent.id,
        rootID: parent.id == Forest.systemIdentifier ? id : parent.rootID,
        name: name,
        attributes: attributes,
        now: tx.now
      ),
      insteadOf: nil,
      policy,
      in: tx
    )
    try tx.audit("\(type).create", to: record)
    try touch(parents: [parent.id], of: record, tx)
    return record
  }

  /// Gives the parents of an entity that came, went or moved the revision of that, if they list it.
  func touch(
    parents ids: Set<String>,
    of record: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    try EntityTable.touch(
      parents: ids,
      of: record.type,
      revision: tx.revision,
      core.products,
      in: tx
    )
  }

  /// An entity with the revision of what the same change has done to its lists.
  func current(_ record: EntityRecord, _ tx: borrowing WriteTransaction) throws -> EntityRecord {
    guard let touched = try EntityTable.touched(record.id, in: tx) else {
      throw TenancyError.notFound
    }
    var record = record
    (record.revision, record.updatedAt) = touched
    return record
  }

  /// Stores a changed entity; unchanged ones cost nothing.
  func update(
    from before: EntityRecord,
    to after: EntityRecord,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    guard before != after else { return before }
    let record = try EntityTable.put(after, insteadOf: before, policy, in: tx)
    try tx.audit(action, from: before, to: record)
    return record
  }

  /// The decision by which the caller is shown an entity that it may update; the one about the update for a type
  /// that the policy names no view of.
  func viewing(_ held: HeldEntity, _ tx: borrowing WriteTransaction) throws -> Explanation {
    let record = held.record
    guard let action = policy.action(of: .view, on: record.type) else { return held.explanation }
    return try core.ruling(action, on: record.id, type: record.type, user, tx)
  }

  /// Changes the name and attributes of an entity that the caller may update; what is nil stays, and so do attributes
  /// that are as the caller is shown them.
  ///
  /// `reserved` is an attribute that a product keeps to itself.
  func update(
    _ held: HeldEntity,
    name: String?,
    attributes: Google_Protobuf.Struct?,
    expectedRevision: String,
    reserved: String? = nil,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    var changed = Google_Protobuf.Struct()
    if let attributes {
      let shown = AttributeMapping.visible(
        held.record,
        type: held.type,
        accessLevel: try viewing(held, tx).accessLevel,
        reserved: reserved
      )
      changed.fields = attributes.fields.filter { shown.fields[$0.key] != $0.value }
    }
    let given = try AttributeMapping.changes(changed, type: held.type, reserved: reserved)
    let level = held.explanation.accessLevel
    try requireLevel(level, for: given.keys, of: held.record.type)
    let written = try AttributeMapping.written(
      given,
      insteadOf: held.record.attributes,
      type: held.type
    )
    return try update(held, expectedRevision: expectedRevision, tx) { record in
      if let name { record.name = name }
      record.attributes = try AttributeMapping.merged(record.attributes, written)
    }
  }

  /// Changes an entity that the caller may update; ABORTED when it is not as the caller has seen it.
  func update(
    _ held: HeldEntity,
    expectedRevision: String,
    _ tx: borrowing WriteTransaction,
    _ change: (inout EntityRecord) throws -> Void
  ) throws -> EntityRecord {
    try core.requireRevision(expectedRevision, of: held.record)
    var after = held.record
    try change(&after)
    return try update(from: held.record, to: after, action: "\(after.type).update", tx)
  }

  /// Moves an entity, with all that is below it, under another one, if the policy lets the caller.
  ///
  /// Links between what moves and what stays end, and so do lent roles that their lenders may no
  /// longer lend: what was lent must not stay lent when the lender's right does not come along.
  func move(
    _ held: HeldEntity,
    under parentID: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    let before = held.record
    guard before.parentID != parentID else { return before }
    let right = try requireCreation(of: before.type, under: parentID, tx)
    if parentID == Forest.systemIdentifier, let role = right.creatorRole {
      // Who moves it out of its tree becomes its owner for good, and must have been that long its master.
      try requireLastingGiver(
        of: role,
        nil,
        by: policy.action(of: .move, on: before.type),
        on: before,
        during: .unlimited,
        tx
      )
    }
    _ = try requireCascade(from: before, tx)
    try countMove(of: before.counted, under: parentID, tx)
    var after = before
    after.parentID = right.parent.id
    after.rootID =
      right.parent.id == Forest.systemIdentifier ? before.id : right.parent.rootID
    let crossing = try LinkTable.links(crossing: before.id, in: tx)
    for link in crossing { try LinkTable.remove(link, scope: before.rootID, policy, in: tx) }
    if after.rootID != before.rootID {
      try EntityTable.setRoot(after.rootID, below: before.id, in: tx)
    }
    var record = try update(from: before, to: after, action: "\(before.type).move", tx)
    try touch(parents: [before.parentID, after.parentID], of: record, tx)
    if right.parent.id == Forest.systemIdentifier, let role = right.creatorRole {
      _ = try grant(role, to: user.userID, on: record, asCreator: true, tx)
      record = try current(record, tx)
    }
    let roles = policy.followingRoles
    try giveBackTaken(within: record.id, roles: roles, tx)
    for lent in try AssociationTable.all(within: record.id, roles: roles, in: tx) {
      _ = try limitLending(by: lent.grantedBy, on: lent.entityID, tx)
    }
    try limitLending(ofUnlinked: crossing.map(\.to), tx)
    return record
  }

  /// Hangs a device under another entity.
  ///
  /// Guest passes end when a device leaves a unit or the reach of those who gave them, and when it stops
  /// being a common area: what was lent must not stay lent when the lender goes.
  func move(
    _ device: EntityRecord,
    under parent: EntityRecord,
    action: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    guard device.parentID != parent.id else { return device }
    try countMove(of: device.counted, under: parent.id, tx)
    try LinkTable.removeAll(of: device.id, scope: device.rootID, policy, in: tx)
    let passes = try AssociationTable.all(on: device.id, in: tx).filter { !policy.isKept($0.role) }
    try end(passes, action: "guest.end", tx)
    let roles = policy.roles.filter { !$0.isOneKept }.map(\.name)
    try giveBackTaken(within: device.id, roles: roles, tx)
    var moved = device
    moved.parentID = parent.id
    moved.rootID = parent.id == Forest.systemIdentifier ? device.id : parent.rootID
    let record = try update(from: device, to: moved, action: action, tx)
    try touch(parents: [device.parentID, parent.id], of: record, tx)
    return record
  }
}

extension EntityRecord {
  /// The entity as limits see it.
  var counted: CountedEntity { CountedEntity(id: id, type: type, parentID: parentID) }
}
