internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PermissionsHandler {
  func fetch(
    _ request: Tenancy_V1.FetchPermissionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.FetchPermissionsResponse {
    let subject = try call.caller.subject(request.subjectId)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: ["Fetch", subject, request.entityId, "\(request.includeFeatures)"]
    )
    let asked = try core.tokens.page(
      .init(
        size: request.pageSize,
        token: request.pageToken,
        sizeStandard: PermissionFetch.limitMax
      ),
      cursorCount: 3,
      binding
    )
    let fetch = PermissionFetch(
      subject: subject,
      entityID: request.entityId,
      includesFeatures: request.includeFeatures,
      context: CheckContext(call.caller, core),
      limit: asked.size
    )
    try await core.reach(atLeast: request.atLeastRevision)
    return try await core.retrying {
      let page = try await fetch.page(after: asked.cursor, core)
      var response = page.response
      response.nextPageToken = page.next.map { asked.token(after: $0) } ?? ""
      return response
    }
  }
}

/// One page of all that a subject may do at or below an entity.
///
/// Many entities differ in nothing but their names, so what a subject may do is said once for all of them.
struct PermissionFetch: Sendable {
  let subject: String
  let entityID: String
  let includesFeatures: Bool
  let context: CheckContext
  let limit: Int

  static let limitMax = 1000
  /// Entities that are found, and that are looked at, in one hold of the engine's lock.
  private static let countMax = 32
  static let stepCountMax = 500
  /// Entities that are looked at for one page, unless it is larger: roles reach down to a few through many
  /// that they do not reach.
  private static let pageStepCountMax = 20_000

  /// A page, and where the next one begins.
  struct Page: Sendable {
    var response = Tenancy_V1.FetchPermissionsResponse()
    var next: [String]?
    /// The places of the sets in the response.
    fileprivate var places: [Tenancy_V1.PermissionSet: UInt32] = [:]
    fileprivate(set) var stepCount = 0
    fileprivate(set) var missing: FeatureHolder?
    /// Whether what the subject has in each tree follows.
    fileprivate var reachesTrees = false
  }

  /// Gathers a page, letting other work of the thread run in between.
  ///
  /// Throws UNAVAILABLE when it takes features that have to be asked for first.
  func page(after cursor: [String]?, _ core: TenancyCore) async throws -> Page {
    let (now, revision) = (core.clock.now, core.engine.revision)
    var page = Page(next: cursor)
    page.response.revision = core.tokens.token(revision: revision)
    page.response.validUntil = .init(milliseconds: now + Decision.lifetimeMax)
    try core.engine.read { forest in
      if includesFeatures { addFeatures(to: &page, now: now, forest) }
      if cursor == nil { addBelow(to: &page, now: now, forest) }
    }
    if let place = cursor.flatMap(TreePlace.init(texts:)) {
      try await addTrees(to: &page, after: place, now: now, core)
      return page
    }
    repeat {
      let start = page.next
      try core.engine.read { add(to: &page, below: entityID, after: start, now: now, $0) }
      try page.requireFeatures()
      try Task.checkCancellation()
      await Task.yield()
    } while page.next != nil && isOpen(page)
    if page.next == nil, page.reachesTrees {
      try await addTrees(to: &page, after: .beginning, now: now, core)
    }
    return page
  }

  /// Whether a page has room for more.
  func isOpen(_ page: Page) -> Bool {
    page.response.entities.count < limit && page.stepCount < Self.pageStepCountMax
  }

  /// Adds the next entities at or below one; `next` of the page is nil when these are all.
  func add(
    to page: inout Page,
    below top: String,
    after cursor: [String]?,
    now: Int64,
    _ forest: borrowing Forest
  ) {
    let part = forest.permissions(
      of: subject,
      below: top,
      context: forest.context(context.assurance),
      now: now,
      context.features,
      after: cursor.map { Forest.PermissionsCursor(texts: $0) },
      countMax: min(Self.countMax, limit - page.response.entities.count),
      stepCountMax: Self.stepCountMax
    )
    page.next = part.cursor?.texts
    page.stepCount += part.stepCount
    page.reachesTrees = part.reachesTrees
    page.missing = page.missing ?? part.missing
    page.end(at: part.validUntil)
    var known: [SetKey: UInt32] = [:]
    for permissions in part.permissions {
      let type = forest.type(permissions.entity)
      let key = SetKey(type: type, roles: permissions.roles, actions: permissions.actions)
      let place =
        known[key]
        ?? page.place(of: Self.message(permissions.roles, permissions.actions, type, forest))
      known[key] = place
      page.response.entities.append(
        Tenancy_V1.EntityPermissions(
          entityId: forest.identifier(of: permissions.entity),
          set: place,
          validUntil: .init(milliseconds: permissions.validUntil)
        )
      )
    }
  }

  /// The key by which two sets of one policy are the same.
  private struct SetKey: Hashable {
    let type: EntityTypeID
    let roles: RoleSet
    let actions: [ActionID]
  }

  private static func message(
    _ held: RoleSet,
    _ allowed: [ActionID],
    _ type: EntityTypeID,
    _ forest: borrowing Forest
  ) -> Tenancy_V1.PermissionSet {
    let policy = forest.policy
    let level = policy.accessLevel(of: held)
    let roles = held.roles.map { policy[$0].name }
    let actions = allowed.map { policy[$0] }
    return Tenancy_V1.PermissionSet(
      entityType: policy[type].name,
      roles: roles,
      actions: actions.sorted(),
      accessLevel: policy.accessLevelName(level, of: type),
      visibleAttributes: policy[type].attributes.filter { $0.accessLevel <= level }.map(\.name)
        .sorted(),
      appActions: actions.compactMap { policy.appNames.actions[$0] }.sorted(),
      appRoles: distinct(roles.compactMap { policy.appNames.roles[$0] })
    )
  }

  /// Names in their order, each once: several roles may be one to applications.
  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// The features of the entity's holder, if the subject may know of that.
  private func addFeatures(to page: inout Page, now: Int64, _ forest: borrowing Forest) {
    guard let entity = forest.entity(entityID), let holder = forest.featureHolder(of: entity) else {
      return
    }
    let known = forest.decide(
      subject: subject,
      action: .any,
      entity: holder.id,
      context: .plain,
      now: now
    )
    // Conditions on features count for those whose roles begin below the holder as well.
    guard known.isKnown || holdsBelow(holder, now: now, forest) else { return }
    page.end(at: known.validUntil)
    switch context.features.features(of: holder, now: now) {
    case .known(let names, let until):
      page.response.featuresEntityId = holder.id
      page.response.features = names.sorted()
      page.end(at: until)
    case .missing: page.missing = holder
    }
  }

  private func holdsBelow(_ holder: FeatureHolder, now: Int64, _ forest: borrowing Forest) -> Bool {
    guard let entity = forest.entity(holder.id) else { return false }
    // Guests need not know what their host pays for.
    return forest.hasRole(subject, below: entity, lent: false, now: now)
  }

  /// Adds the actions that the subject would have on entities that are not there yet.
  private func addBelow(to page: inout Page, now: Int64, _ forest: borrowing Forest) {
    let potentials = forest.potentials(
      of: subject,
      below: entityID,
      context: forest.context(context.assurance),
      now: now,
      context.features
    )
    page.missing = page.missing ?? potentials.missing
    page.end(at: potentials.validUntil)
    page.response.below = potentials.types.map { potential in
      Self.message(potential.roles, potential.actions, potential.type, forest)
    }
  }
}

extension PermissionFetch.Page {
  /// Throws UNAVAILABLE, for `TenancyCore.retrying`, when features have to be asked for first.
  func requireFeatures() throws(RPCError) {
    if let missing { throw TenancyError.featuresUnavailable([missing]) }
  }

  /// Makes the answer end no later than an instant.
  fileprivate mutating func end(at instant: Int64) {
    let end = min(response.validUntil?.milliseconds ?? .max, instant)
    response.validUntil = .init(milliseconds: end)
  }

  /// The place of a set in the response, which it is added to if it is new.
  fileprivate mutating func place(of set: Tenancy_V1.PermissionSet) -> UInt32 {
    if let place = places[set] { return place }
    let place = UInt32(response.sets.count)
    response.sets.append(set)
    places[set] = place
    return place
  }
}
