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
    let (core, revision) = (core, core.engine.revision)
    var response = try await core.read { tx in
      // Where it begins is looked at after whether the asker may, so that a page token tells nobody anything.
      try list.requireListing(core, tx)
      let filter = ["ListSubjects", list.entityID, list.action]
      let asked = try core.asked(request, for: filter, call.caller)
      let page = try list.page(asked, core, tx)
      return Tenancy_V1.ListSubjectsResponse(
        subjects: page.subjects,
        nextPageToken: page.last.map { asked.token(after: ["\($0)"]) } ?? "",
        operatorsOmitted: page.omitsOperators,
        revision: core.tokens.token(revision: revision)
      )
    }
    if list.asker != nil { response.subjects = try await core.named(response.subjects) }
    return response
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
  /// Times that a page is begun anew because its entity was moved.
  private static let attemptCountMax = 16

  struct Page: Sendable {
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

  /// The entity was moved while those above it were looked at.
  private struct Moved: Error {}

  /// One page, for an asker who may list.
  ///
  /// Those who may because of where the entity was are not those who may where it is: a page of both would lack people
  /// who may before and after, and is begun anew.
  func page(
    _ asked: RequestedPage,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Page {
    for _ in 0..<Self.attemptCountMax {
      do { return try attempt(asked, core, tx) } catch is Moved { continue }
    }
    throw RPCError(.unavailable, "the entity is moved all the time; retry in 1 s")
  }

  private func attempt(
    _ asked: RequestedPage,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Page {
    let (cursor, limit) = (asked.cursor.flatMap { Int64($0[0]) } ?? 0, asked.size)
    let granting = try core.engine.read { forest in
      forest.policy.action(named: action).flatMap { forest.granting($0, on: entityID) }
    }
    guard let granting else { throw TenancyError.notFound }
    var page = Page(omitsOperators: asker != nil && granting.isForOperators)
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
    var rest = candidates.prefix(count)
    var allowed: [Allowed] = []
    while !rest.isEmpty, allowed.count < limit {
      // No more than the page has room for, so that the last one is where the page ends.
      let part = rest.prefix(min(Self.decisionCountMax, limit - allowed.count))
      allowed += try decide(part.filter { granting.roles.contains($0.role) }, granting, core)
      rest = rest.dropFirst(part.count)
      page.last = part.last?.added
    }
    if rest.isEmpty, candidates.count <= count { page.last = nil }
    page.subjects = try messages(allowed, core, tx)
    return page
  }

  /// Decides on those who were looked for where `granting` says; throws `Moved` if that is no longer so.
  private func decide(
    _ candidates: [AssociationPlace],
    _ granting: Forest.Granting,
    _ core: TenancyCore
  ) throws -> [Allowed] {
    let (now, features) = (core.clock.now, core.features)
    return try core.engine.read { forest -> [Allowed] in
      guard let action = forest.policy.action(named: action) else { return [] }
      guard forest.granting(action, on: entityID)?.places == granting.places else { throw Moved() }
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
