internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// Makes events of what a user sees of changes, as it is when they are sent.
struct AppReader: Sendable {
  let core: TenancyCore
  let user: UserIdentity
  let documents: UserDocuments
  let mailbox: AppMailbox
  /// The kinds that the app wants; all, if it names none.
  let wanted: Set<Tenancy_V1.AppEventKind>
  /// The collections whose documents it wants; all, if it names none.
  let collections: Set<String>

  /// Events of changes.
  struct Told: Sendable {
    var events: [Tenancy_V1.AppEvent] = []
    /// The change of each event.
    var revisions: [Int64] = []
    /// The newest change that they reflect.
    var seen: Int64 = 0
    /// The last change that was looked at.
    var through: Int64 = 0
    /// Whether others follow it.
    var isCut = false

    mutating func append(_ event: Tenancy_V1.AppEvent, _ revision: Int64) {
      // Of several that say no more than "fetch again", the last.
      let isPlain = { (event: Tenancy_V1.AppEvent) in
        event.kind == .rights && event.objectId.isEmpty
      }
      if isPlain(event), let index = events.firstIndex(where: isPlain) {
        events.remove(at: index)
        revisions.remove(at: index)
      }
      events.append(event)
      revisions.append(revision)
    }
  }

  /// Whether a change may concern the user, as far as memory knows.
  func isConcerned(
    by change: Change,
    _ places: Forest.Places,
    invitations: String?
  ) -> Bool {
    switch AppChange(change) {
    case .ownRights(let userID): userID == user.userID
    case .document(let userID, let collection):
      userID == user.userID && isWanted(.document)
        && (collections.isEmpty || collections.contains(collection))
    case .treeRights(let root): places.roots.contains(root)
    case .entity, .gone, .link: places.roots.contains(change.scope)
    case .invitation: change.scope == invitations
    case .allRights: true
    case nil: false
    }
  }

  /// Whether the app wants events of a kind.
  func isWanted(_ kind: Tenancy_V1.AppEventKind) -> Bool {
    wanted.isEmpty || wanted.contains(kind)
  }

  /// The events of some changes, in order; of several changes of an object that of the last.
  func events(of changes: [Change], sent: SentObjects) async throws -> Told {
    var told = try await decided(changes, sent)
    for index in told.events.indices {
      guard let invitation = told.events[index].invitation else { continue }
      told.events[index].invitation = await core.namedIfPossible(invitation)
    }
    return told
  }

  private func decided(_ changes: [Change], _ sent: SentObjects) async throws -> Told {
    do {
      return try await core.read { tx in try told(changes, sent, isGuessing: false, tx) }
    } catch let error as RPCError where error.cause is FeaturesMissing {
      // What cannot be decided now is sent without saying what it is.
      return try await core.retrying {
        try await core.store.read { tx in try told(changes, sent, isGuessing: true, tx) }
      }
    }
  }

  private func told(
    _ changes: [Change],
    _ sent: SentObjects,
    isGuessing: Bool,
    _ tx: borrowing ReadTransaction
  ) throws -> Told {
    var told = Told(seen: try tx.newestRevision())
    var last: [AppChange: Int64] = [:]
    for change in changes { if let key = AppChange(change) { last[key] = change.revision } }
    var byteCount: Int64 = 0
    for change in changes {
      guard byteCount < AppWatchLimits.byteCountMax else {
        told.isCut = true
        break
      }
      told.through = change.revision
      guard let key = AppChange(change), last[key] == change.revision || key == .link,
        var event = try event(of: key, change, isGuessing: isGuessing, tx), isWanted(event.kind)
      else { continue }
      event.repeated = sent.mayHave(event, of: change.revision)
      byteCount += Int64(event.document?.json.utf8.count ?? 0)
      told.append(event, change.revision)
    }
    return told
  }

  /// Nil for what the user does not get.
  private func event(
    of key: AppChange,
    _ change: Change,
    isGuessing: Bool,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.AppEvent? {
    switch key {
    case .ownRights, .treeRights, .allRights: return Tenancy_V1.AppEvent(kind: .rights)
    case .entity(let id): return try entity(id, isGuessing: isGuessing, tx)
    case .gone(let id, let parent): return try gone(id, from: parent, isGuessing: isGuessing, tx)
    case .link:
      guard let link = change.link(core.policy) else { return nil }
      let target = try entity(link.to, isGuessing: isGuessing, tx)
      // Who sees where it leads from may have seen the target through it.
      return try target?.objectId.isEmpty == false
        ? target : entity(link.from, isGuessing: isGuessing, tx)
    case .invitation(let id): return try invitation(id, tx)
    case .document(_, let collection): return try document(change.subject, in: collection, tx)
    }
  }

  private func entity(
    _ id: String,
    isGuessing: Bool,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.AppEvent? {
    // One that was deleted since has a change that says so.
    guard let type = try type(of: id) else { return nil }
    let held = try decide("\(type).view", on: id, type, isGuessing: isGuessing, tx)
    guard held.isAllowed, held.missing == nil else {
      // Nothing of it, and still: what the user may do or see may have become less.
      return held.isKnown ? Tenancy_V1.AppEvent(kind: .rights) : nil
    }
    var event = Tenancy_V1.AppEvent(kind: .rights, objectId: id, objectType: type)
    if let product = core.products.first(where: { $0.isDevice(type) }) {
      guard let device = try product.device(id, held, core, tx) else { return nil }
      event.kind = .device
      event.device = device
      event.revision = device.revision
    } else {
      guard let record = try EntityTable.find(id, type: type, in: tx) else { return nil }
      event.revision = core.tokens.token(revision: record.revision)
    }
    return event
  }

  /// An entity that is no longer below another one, for those who see that other one, or what is left above it, by
  /// a role that would show them the entity there.
  private func gone(
    _ id: String,
    from parent: String,
    isGuessing: Bool,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.AppEvent? {
    guard let type = try type(of: id) ?? TombstoneTable.type(of: id, in: tx) else { return nil }
    let isThere = try self.type(of: id) != nil
    if isThere {
      let held = try decide("\(type).view", on: id, type, isGuessing: isGuessing, tx)
      guard !held.isAllowed else { return nil }
    }
    guard let place = try survivor(from: parent, tx) else { return nil }
    let held = try decide("\(place.type).view", on: place.id, place.type, isGuessing: true, tx)
    guard held.isShowing(type) else { return nil }
    return Tenancy_V1.AppEvent(
      kind: core.products.contains { $0.isDevice(type) } ? .device : .rights,
      objectId: id,
      objectType: type,
      gone: true
    )
  }

  /// An entity, or the nearest one above it if it was deleted.
  private func survivor(
    from id: String,
    _ tx: borrowing ReadTransaction
  ) throws -> (id: String, type: String)? {
    if let type = try type(of: id) { return (id, type) }
    guard let type = try TombstoneTable.type(of: id, in: tx) else { return nil }
    return try TombstoneTable.survivor(above: id, type: type, in: tx)
  }

  private func invitation(
    _ id: String,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.AppEvent? {
    // The address may be another one than that of the change by now.
    guard let address = mailbox.address else { return nil }
    var event = Tenancy_V1.AppEvent(kind: .invitation, objectId: id)
    let now = core.clock.now
    guard let record = try InvitationTable.find(id, in: tx),
      EmailAddress(record.email).key == address.key, record.isOpen(at: now),
      try !InvitationTable.isOvertaken(id, for: user.userID, in: tx)
    else {
      event.gone = true
      return event
    }
    event.invitation = core.message(invitation: record, toInvited: true, now: now)
    return event
  }

  private func document(
    _ id: String,
    in collection: String,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.AppEvent {
    var event = Tenancy_V1.AppEvent(kind: .document, objectId: id, collection: collection)
    guard let record = try documents.document(id, in: collection, tx) else {
      event.gone = true
      return event
    }
    event.document = core.message(document: record)
    event.revision = event.document?.revision ?? ""
    return event
  }

  /// The type of an entity that is there.
  func type(of id: String) throws -> String? {
    try core.engine.read { forest in
      guard id != Forest.systemIdentifier, let entity = forest.entity(id) else { return nil }
      return forest.policy[forest.type(entity)].name
    }
  }

  private func decide(
    _ action: String,
    on id: String,
    _ type: String,
    isGuessing: Bool,
    _ tx: borrowing ReadTransaction
  ) throws -> Explanation {
    try isGuessing
      ? core.decide(action, on: id, type: type, user, tx)
      : core.ruling(action, on: id, type: type, user, tx)
  }
}

extension Explanation {
  /// Whether a role that the subject has on the entity shows it what is below it of a type.
  fileprivate func isShowing(_ type: String) -> Bool {
    guard let id = policy.type(named: type), let action = policy.action(named: "\(type).view"),
      let rule = policy.rule(of: action, on: id)
    else { return false }
    return decision.heldRoles.roles.contains { role in
      rule.grants.contains(role) && policy[role].inheritsTo.contains(id)
    }
  }
}
