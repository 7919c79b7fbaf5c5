internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// A pass that was given: held by a guest, or by an address that nobody has used it with yet.
enum GuestPass: Sendable {
  case held(AssociationRecord)
  case invited(InvitationRecord)

  var id: String {
    switch self {
    case .held(let record): record.id
    case .invited(let record): record.id
    }
  }

  /// Its place among all passes: identifiers begin with what they are of, and go on with when they were made.
  static func place(of id: String) -> Substring { id.drop { $0 != "_" } }
}

/// The passes of a list.
struct GuestPassList: Sendable {
  let request: Tenancy_V1.ListGuestPassesRequest
  let user: UserIdentity
  /// The identifier of the last pass of the page before.
  let cursor: String?
  let limit: Int

  /// Invitations that are looked at for one page at most.
  private static let searchedCountMax = 10_000
  private static let batchCount = 200

  private var isDescending: Bool {
    ListDirection(request.sortBy, standard: .ascending).isDescending
  }

  /// The types on which passes of the list can be, by the narrowest filter.
  private var types: [String] {
    if !request.deviceId.isEmpty { return [SmartHome.device] }
    if !request.unitId.isEmpty { return [SmartHome.device, SmartHome.unit] }
    return [SmartHome.device, SmartHome.unit, SmartHome.property]
  }

  var filters: [String] {
    [request.deviceId, request.unitId, request.propertyId].filter { !$0.isEmpty }
  }

  private func isOrdered(_ first: String, _ second: String) -> Bool {
    let (first, second) = (GuestPass.place(of: first), GuestPass.place(of: second))
    return isDescending ? first > second : first < second
  }

  /// The first passes after the cursor, and where the search for those of addresses stopped, if it did not end.
  func passes(_ core: TenancyCore) async throws -> (passes: [GuestPass], stoppedAt: String?) {
    let ids = try await held(core)
    let (invited, stoppedAt) = try await invited(core)
    let invitations = Dictionary(invited.map { ($0.id, $0) }) { first, _ in first }
    let order = (ids + invitations.keys).sorted(by: isOrdered).prefix(limit)
    let found = order.filter { id in stoppedAt.map { !isOrdered($0, id) } ?? true }
    let rows = try await core.read { tx in
      try AssociationTable.all(found.filter { invitations[$0] == nil }, in: tx)
    }
    let held = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    let passes = found.compactMap { id in
      // One that has ended since is missing among the rows.
      invitations[id].map { GuestPass.invited($0) } ?? held[id].map { GuestPass.held($0) }
    }
    let isFull = order.count == limit && found.count == limit
    return (passes, isFull ? found.last : stoppedAt)
  }

  // MARK: Held

  /// Where a pass is among associations.
  static func associationID(at cursor: String) -> String {
    "\(IdentifierPrefix.association.text)\(GuestPass.place(of: cursor))"
  }

  /// The passes that guests hold where the caller may grant them, and the caller's own.
  private func held(_ core: TenancyCore) async throws -> [String] {
    var found: Set<String> = []
    for type in types { found.formUnion(try await held(on: type, core)) }
    return Array(found)
  }

  private func held(on type: String, _ core: TenancyCore) async throws -> [String] {
    if let all = try await everywhere(on: type, core) { return all }
    let (now, features) = (core.clock.now, core.features)
    let takesEnded = request.includeEnded && !request.inForce
    return try await core.retrying {
      let ids = try await core.engine.walk { forest in
        let policy = forest.policy
        let roles = SmartHome.guestRoles.compactMap { policy.role(named: $0) }
        guard let action = policy.granting(SmartHome.guest, on: type),
          var query = forest.query(action, on: type, user, now: now, features),
          let within = forest.deepest(filters)
        else { return nil }
        query.within = within.entity
        let selection = AssociationSelection(
          of: roles,
          endingAfter: takesEnded ? .min : now,
          beginningBy: request.inForce ? now : .max,
          after: cursor.map(Self.associationID),
          isDescending: isDescending,
          limit: limit
        )
        return AccessWalk(query, .associations(selection), forest)
      } finish: { walk, forest -> [String] in
        guard walk.missing.isEmpty else { throw TenancyError.featuresUnavailable(walk.missing) }
        guard case .associations(var selection) = walk.purpose else { return [] }
        forest.offer(associationsOf: user.userID, within: walk.query.within, to: &selection)
        return selection.identifiers
      }
      return ids ?? []
    }
  }

  // MARK: Of addresses

  /// The pending passes of addresses where the caller may grant them, and those that came to the caller.
  ///
  /// They are few in a tree, so they are looked up by tree and role, and decided on one by one.
  private func invited(
    _ core: TenancyCore
  ) async throws -> (records: [InvitationRecord], stoppedAt: String?) {
    var (found, searchedCount): ([InvitationRecord], Int) = ([], 0)
    var last = cursor.map { "\(IdentifierPrefix.invitation.text)\(GuestPass.place(of: $0))" }
    while searchedCount < Self.searchedCountMax {
      let (start, now) = (last, core.clock.now)
      let page = try await core.read { tx in
        let records = try InvitationTable.lent(
          SmartHome.guestRoles,
          knownTo: user.userID,
          within: filters,
          pendingAt: now,
          after: start,
          ListDirection(request.sortBy, standard: .ascending),
          limit: Self.batchCount,
          in: tx
        )
        let shown = try records.filter { try shows($0, now: now, core, tx) }
        return (shown: shown, last: records.last?.id, isEnd: records.count < Self.batchCount)
      }
      found += page.shown
      if page.isEnd || found.count >= limit { return (Array(found.prefix(limit)), nil) }
      last = page.last
      searchedCount += Self.batchCount
    }
    return (found, last)
  }

  private func shows(
    _ record: InvitationRecord,
    now: Int64,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Bool {
    if record.taken?.userID == user.userID {
      return !request.inForce || record.validFrom ?? .min <= now
    }
    // To all others nobody has it yet.
    guard !request.inForce, types.contains(record.entityType),
      let action = core.policy.granting(record.role, on: record.entityType)
    else { return false }
    let explanation = try core.ruling(
      action,
      on: record.entityID,
      type: record.entityType,
      user,
      tx
    )
    return explanation.isAllowed
  }
}

extension InvitationTable {
  /// Pending invitations for addresses to some roles, as far as a user made or took them or has a role in their tree.
  static func lent(
    _ roles: [String],
    knownTo userID: String,
    within filters: [String],
    pendingAt now: Int64,
    after id: String?,
    _ direction: ListDirection,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    let marks = Placeholders.list(roles.count)
    let roles = roles.map { SQLValue.text($0) }
    var values: [SQLValue] = [.integer(now), .text(id ?? direction.firstText)]
    var condition = """
      WHERE i.state = 'pending' AND i.email_key <> '' AND i.expires_at > ?
        AND (i.id || '') \(direction.comparison) ?
      """
    if try tx.exists(
      "SELECT 1 FROM association WHERE user_id = ? AND entity_id = 'sys_root'",
      .text(userID)
    ) {
      condition += " AND i.role IN (\(marks))"
      values += roles
    } else {
      // Those of the user's own trees alone are looked at, whatever there is in others.
      condition += """
         AND (i.role || '') IN (\(marks)) AND i.id IN (
          SELECT id FROM invitation WHERE state = 'pending' AND role IN (\(marks))
            AND root_id IN (SELECT t.root_id FROM association a JOIN entity t ON t.id = a.entity_id
              WHERE a.user_id = ?)
          UNION SELECT id FROM invitation WHERE state = 'pending' AND invited_by = ?
          UNION SELECT id FROM invitation WHERE taken_by <> '' AND taken_by = ?)
        """
      values += roles + roles + Array(repeating: .text(userID), count: 3)
    }
    for filter in filters {
      condition += """
         AND i.entity_id IN (WITH RECURSIVE below (id) AS (
          SELECT id FROM entity WHERE id = ? UNION ALL
          SELECT c.id FROM entity c JOIN below ON c.parent_id = below.id) SELECT id FROM below)
        """
      values.append(.text(filter))
    }
    condition += " ORDER BY i.id \(direction.keyword) LIMIT ?"
    return try tx.query(InvitationRecord.columns, condition, values: values + [.integer(limit)])
  }
}
