internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PermissionsHandler {
  func listSubjects(
    _ request: Tenancy_V1.ListSubjectsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListSubjectsResponse {
    guard core.policy.action(named: request.action) != nil else {
      throw PermissionError.actionUnknown()
    }
    guard call.caller != .anonymous else { throw IdentityError.unauthenticated }
    try await core.reach(atLeast: request.atLeastRevision)
    let list = SubjectList(
      action: request.action,
      entityID: request.entityId,
      asker: call.caller.user
    )
    var response = try await answer(list, request, call.caller)
    if list.asker != nil { response.subjects = try await core.named(response.subjects) }
    return response
  }

  /// Times that a page is begun anew because what it rests on was changed.
  private static let attemptCountMax = 16

  private func answer(
    _ list: SubjectList,
    _ request: Tenancy_V1.ListSubjectsRequest,
    _ caller: Caller
  ) async throws -> Tenancy_V1.ListSubjectsResponse {
    for _ in 0..<Self.attemptCountMax {
      do { return try await attempt(list, request, caller) } catch is ForestChanged {}
    }
    throw RPCError(.unavailable, "what is listed changes all the time; retry in 1 s")
  }

  private func attempt(
    _ list: SubjectList,
    _ request: Tenancy_V1.ListSubjectsRequest,
    _ caller: Caller
  ) async throws -> Tenancy_V1.ListSubjectsResponse {
    let core = core
    return try await core.read { tx in
      // Where it begins is looked at after whether the asker may, so that a page token tells nobody anything.
      try list.requireListing(core, tx)
      let filter = ["ListSubjects", list.entityID, list.action]
      let asked = try core.asked(request, for: filter, caller)
      let page = try list.page(asked, core, tx)
      return Tenancy_V1.ListSubjectsResponse(
        subjects: page.subjects,
        nextPageToken: page.last.map { asked.token(after: ["\($0)"]) } ?? "",
        operatorsOmitted: page.omitsOperators,
        revision: core.tokens.token(revision: page.revision)
      )
    }
  }
}

/// The subjects who may do an action to an entity.
///
/// Everybody who may has an association on the entity, above it or at the source of a link to it, so only
/// those are looked at. Each is decided on like any other check, and counts if it is the one that the
/// decision names: so everybody is found once, however many associations they have. In the order in which
/// the associations were given, which changes by others leave alone.
struct SubjectList: Sendable {
  let action: String
  let entityID: String
  /// The user who asks; nil is a service, which sees everything.
  let asker: UserIdentity?

  /// Associations that are looked at for one page, at most, unless the page itself has more.
  static let examinedCount = 1000
  /// Decisions in one hold of the engine's lock.
  private static let decisionCountMax = 200

  struct Page: Sendable {
    /// It is as of this revision, neither older nor newer.
    var revision: Int64
    var subjects: [Tenancy_V1.AllowedSubject] = []
    /// The order of the last association that was looked at; nil when there are no more.
    var last: Int64?
    var omitsOperators = false
  }

  /// A user who may, by the association that the decision names.
  private struct Allowed {
    let place: AssociationPlace
    let validUntil: Int64
  }

  /// NOT_FOUND for an entity that the asker may not know of.
  func requireListing(_ core: TenancyCore, _ tx: borrowing ReadTransaction) throws {
    if let asker { try core.requireListing(on: entityID, asker, tx) }
  }

  /// One page, for an asker who may list.
  ///
  /// Throws `ForestChanged` when a role, a place or a policy that it rests on is another one by now. A page of both would
  /// lack people who may before and after, and have a revision of which it is not: anyone who shows that would be
  /// answered from before what they have seen.
  func page(
    _ asked: RequestedPage,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Page {
    let (cursor, limit) = (asked.cursor.flatMap { Int64($0[0]) } ?? 0, asked.size)
    let (granting, revision) = try core.engine.read { forest in
      let action = forest.policy.action(named: action)
      return (action.flatMap { forest.granting($0, on: entityID) }, forest.revision)
    }
    guard let granting else { throw TenancyError.notFound }
    var page = Page(
      revision: revision,
      omitsOperators: asker != nil && granting.isForOperators
    )
    guard !granting.roles.isEmpty else { return page }
    let places =
      asker == nil
      ? granting.places : granting.places.filter { $0 != Forest.systemIdentifier }
    let count = max(limit, Self.examinedCount)
    let candidates = try AssociationTable.places(
      on: places,
      after: cursor,
      limit: count + 1,
      in: tx
    )
    try requireUnchanged(since: revision, granting, tx)
    var rest = candidates.prefix(count)
    var allowed: [Allowed] = []
    while !rest.isEmpty, allowed.count < limit {
      // No more than the page has room for, so that the last one is where the page ends.
      let part = rest.prefix(min(Self.decisionCountMax, limit - allowed.count))
      allowed += try decide(
        part.filter { granting.roles.contains($0.role) },
        granting,
        revision,
        core
      )
      rest = rest.dropFirst(part.count)
      page.last = part.last?.added
    }
    if rest.isEmpty, candidates.count <= count { page.last = nil }
    page.subjects = try messages(allowed, core, tx)
    return page
  }

  /// Throws `ForestChanged` if the snapshot has changes after a revision that matter where `granting` says.
  private func requireUnchanged(
    since revision: Int64,
    _ granting: Forest.Granting,
    _ tx: borrowing ReadTransaction
  ) throws {
    let places = Set(granting.places)
    let isKnown = try tx.forEachChange(after: revision) { changes in
      guard !changes.contains(where: { $0.mayMatter(at: places) }) else { throw ForestChanged() }
    }
    guard isKnown else { throw ForestChanged() }
  }

  /// Decides on those who were looked for where `granting` says; throws `ForestChanged` if something has changed there
  /// since a revision.
  private func decide(
    _ candidates: [AssociationPlace],
    _ granting: Forest.Granting,
    _ revision: Int64,
    _ core: TenancyCore
  ) throws -> [Allowed] {
    let (now, features) = (core.clock.now, core.features)
    return try core.engine.read(unchangedSince: revision, at: Set(granting.places)) {
      forest -> [Allowed] in
      guard let action = forest.policy.action(named: action) else { return [] }
      let entity = forest.entity(entityID)
      var allowed: [Allowed] = []
      for place in candidates {
        let decision = forest.decide(
          subject: forest.subject(place.userID),
          action: action,
          entity: entity,
          context: .proven,
          now: now,
          features
        )
        if decision.lacksFeatures, let holder = entity.flatMap({ forest.featureHolder(of: $0) }) {
          throw TenancyError.featuresUnavailable([holder])
        }
        guard decision.isAllowed, let association = decision.association,
          forest.identifier(ofAssociation: association) == place.id
        else { continue }
        allowed.append(Allowed(place: place, validUntil: decision.validUntil))
      }
      return allowed
    }
  }

  private func messages(
    _ allowed: [Allowed],
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> [Tenancy_V1.AllowedSubject] {
    let records = try AssociationTable.all(allowed.map(\.place.id), in: tx)
    let byID = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
    var isListed: [String: Bool] = [:]
    var subjects: [Tenancy_V1.AllowedSubject] = []
    for one in allowed {
      var subject = Tenancy_V1.AllowedSubject(
        userId: one.place.userID,
        role: one.place.role,
        validUntil: .init(milliseconds: one.validUntil)
      )
      if let record = byID[one.place.id] {
        let mayList =
          try isListed[record.entityID]
          ?? asker.map { try core.mayList(on: record.entityID, type: record.entityType, $0, tx) }
          ?? true
        isListed[record.entityID] = mayList
        if mayList { subject.association = core.message(association: record) }
      }
      subjects.append(subject)
    }
    return subjects
  }
}

extension Change {
  /// Whether it may matter to decisions on an entity, by the places above it.
  fileprivate func mayMatter(at places: Set<String>) -> Bool {
    kind == ForestChange.policyKind || kind == ForestChange.suspendedKind
      || places.contains(subject) || places.contains(scope)
  }
}
