import Foundation
public import Observation
import Synchronization

/// Permissions, roles, features and limits of the object that the person works in.
///
/// Reads need no `await` and may come from any thread; views that read are drawn again when an answer changes.
public final class Rights: Sendable, Observable {
  private struct Known<Table: Equatable & Sendable>: Equatable, Sendable {
    var table: Table
    var freshness: Freshness
  }

  private struct State: Sendable {
    var grants: Known<GrantTable>?
    var plan: Known<PlanTable>?
    /// Whether the last attempt to ask failed because there was no server.
    var isAway = false
    var changes = 0
    /// The person and object that the answers belong to.
    var scope = 0

    mutating func take(grants known: Known<GrantTable>) {
      grants = known
      grants?.table.makeNames()
    }

    mutating func take(plan known: Known<PlanTable>) {
      plan = known
      plan?.table.makePlaces()
    }
  }

  private let core: Core
  private let offline: OfflineRules
  private let state = Mutex(State())
  private let registrar = ObservationRegistrar()
  private let fetches: FetchLine

  init(core: Core, offline: OfflineRules) {
    self.core = core
    self.offline = offline
    fetches = FetchLine()
    core.whenDenied { [weak self] in
      guard let self else { return }
      expire(grants: true, plan: true)
      Task { _ = try? await self.refresh() }
    }
    core.whenScopeEnds { [weak self] number in self?.drop(number) }
  }

  // MARK: - Reading

  /// Grows with each change; what observers look at.
  var changes: Int { state.withLock(\.changes) }

  private func read<Value>(_ read: (State, Duration) -> Value) -> Value {
    registrar.access(self, keyPath: \.changes)
    let now = core.time.uptime
    return state.withLock { state in read(state, now) }
  }

  private func verdict<Table>(
    _ known: Known<Table>?,
    _ isAway: Bool,
    _ now: Duration,
    keptFor extra: Duration,
    _ answer: (Table) -> Bool
  ) -> Verdict {
    guard let known else { return .unknown }
    let isTrue = answer(known.table)
    guard now >= known.freshness.endsAt else { return isTrue ? .allowed : .denied }
    let isKept = isAway && now < known.freshness.endsAt + extra
    return .stale(since: known.freshness.receivedAt, isShown: isTrue && isKept)
  }

  /// Whether the person may do an action: on an object, or anywhere in the one that it works in.
  public func permission(_ action: Action, on entity: String? = nil) -> Verdict {
    read { state, now in
      verdict(state.grants, state.isAway, now, keptFor: offline.rights) { table in
        table.allows(action, on: entity)
      }
    }
  }

  /// Whether the person has a role: on an object, or anywhere in the one that it works in.
  public func role(_ role: Role, on entity: String? = nil) -> Verdict {
    read { state, now in
      verdict(state.grants, state.isAway, now, keptFor: offline.rights) { table in
        table.has(role, on: entity)
      }
    }
  }

  /// Whether a field of an object may be seen; the server leaves out the others anyway.
  public func canViewField(_ field: Field, of entity: String) -> Bool {
    read { state, now in
      verdict(state.grants, state.isAway, now, keptFor: offline.rights) { table in
        table.shows(field, of: entity)
      }
    }.isAllowed
  }

  /// Whether a feature is available in the object that the person works in.
  public func feature(_ feature: Feature) -> Verdict {
    let wall = core.time.wall
    return read { state, now in
      verdict(state.plan, state.isAway, now, keptFor: offline.plan) { table in
        guard let known = table.entitlement(feature), known.available else { return false }
        return known.validUntil.map { wall < $0 } ?? true
      }
    }
  }

  /// The feature as it was answered last: its limit, its end, what would unlock it.
  public func entitlement(_ feature: Feature) -> Entitlement? {
    read { state, _ in state.plan?.table.entitlement(feature) }
  }

  /// The tier of the object that the person works in, or the person's own plan.
  public var tier: String? { read { state, _ in state.plan?.table.tier } }

  /// Whether there is room for more, where there are `count` already.
  public func isWithinLimit(_ limit: Feature, count: Int, adding: Int = 1) -> Bool {
    read { state, now in
      verdict(state.plan, state.isAway, now, keptFor: offline.plan) { table in
        guard let known = table.entitlement(limit) else { return false }
        guard let limit = known.limit else { return known.available }
        guard let number = limit.number else { return true }
        return count + adding <= number
      }
    }.isAllowed
  }

  /// How to draw something with requirements.
  public func gate(_ requirement: Requirement) -> Gate {
    switch requirement {
    case .permission(let action, let entity): Self.gate(permission(action, on: entity))
    case .role(let role, let entity): Self.gate(self.role(role, on: entity))
    case .feature(let feature):
      switch self.feature(feature) {
      case .denied: .upgrade(feature, entitlement(feature)?.unlockedBy)
      case let verdict: Self.gate(verdict)
      }
    case .any(let requirements): Self.best(requirements.map(gate))
    case .all(let requirements): Self.worst(requirements.map(gate))
    }
  }

  private static func gate(_ verdict: Verdict) -> Gate {
    verdict.isAllowed ? .show : verdict == .unknown ? .wait : .hide
  }

  private static func best(_ gates: [Gate]) -> Gate {
    if gates.contains(.show) { return .show }
    if let upgrade = gates.first(where: { $0.isUpgrade }) { return upgrade }
    return gates.contains(.wait) ? .wait : .hide
  }

  /// An upgrade is offered only to those who may do it then.
  private static func worst(_ gates: [Gate]) -> Gate {
    if gates.contains(.hide) { return .hide }
    if gates.contains(.wait) { return .wait }
    return gates.first { $0.isUpgrade } ?? .show
  }

  // MARK: - Fetching

  /// Reads permissions, roles, features and limits anew.
  public func refresh() async throws {
    try await refreshGrants()
    try await refreshPlan()
  }

  /// One fetch at a time; a change that comes during one begins another.
  func refreshGrants() async throws {
    let scope = core.scope.withLock { $0 }
    guard let context = scope.context else { return }
    try await fetches.run("grants", scope.number) { [self] in
      try await noting {
        let (table, serverTime) = try await fetchGrants(context)
        let answer = CachedAnswer(
          table,
          validUntil: table.validUntil ?? (serverTime ?? core.time.wall),
          serverTime: serverTime,
          wall: core.time.wall
        )
        core.keep(answer, "grants", of: scope.number)
        take(answer, of: scope.number) { $0.take(grants: $1) }
      }
    }
  }

  func refreshPlan() async throws {
    let scope = core.scope.withLock { $0 }
    guard scope.userID != nil else { return }
    // Whose plan counts is known with the grants of the object.
    if scope.context != nil, holder(of: scope.number) == nil { try await refreshGrants() }
    let holder = holder(of: scope.number) ?? nil
    try await fetches.run("plan", scope.number) { [self] in
      try await noting {
        let call = Call(.get, "entitlements", query: Self.subject(holder))
        let reply = try await core.client.reply(call, of: core.keeper, as: PlanTable.self)
        let answer = CachedAnswer(
          reply.value,
          validUntil: reply.value.validUntil ?? (reply.serverTime ?? core.time.wall),
          serverTime: reply.serverTime,
          wall: core.time.wall
        )
        core.keep(answer, "plan", of: scope.number)
        take(answer, of: scope.number) { $0.take(plan: $1) }
      }
    }
  }

  /// The object whose features count; absent while the grants are unknown.
  private func holder(of number: Int) -> String?? {
    state.withLock { state in
      state.scope == number ? state.grants.map(\.table.featuresEntityId) : nil
    }
  }

  private func fetchGrants(_ context: String) async throws -> (GrantTable, Date?) {
    var table = GrantTable()
    var token = ""
    var serverTime: Date?
    repeat {
      var query = [("entityId", context), ("includeFeatures", "true")]
      if !token.isEmpty { query.append(("pageToken", token)) }
      let call = Call(.get, "permissions", query: query)
      let reply = try await core.client.reply(call, of: core.keeper, as: GrantTable.Page.self)
      serverTime = serverTime ?? reply.serverTime
      table.add(reply.value)
      token = reply.value.nextPageToken ?? ""
    } while !token.isEmpty
    return (table, serverTime)
  }

  /// The kind of a holder of features follows from its identifier.
  private static func subject(_ holder: String?) -> [(String, String)] {
    guard let holder else { return [] }
    let kinds = ["org_": "organization", "prt_": "portfolio", "fam_": "family"]
    guard let kind = kinds[String(holder.prefix(4))] else { return [] }
    return [("subject.kind", kind), ("subject.id", holder)]
  }

  /// Notes whether there is a server; only an answer moves the time of what is known.
  private func noting(_ fetch: () async throws -> Void) async throws {
    do {
      try await fetch()
      change { $0.isAway = false }
    } catch let error as KitError {
      if error.kind == .offline { change { $0.isAway = true } }
      throw error
    }
  }

  private func take<Table: Codable & Equatable & Sendable>(
    _ answer: CachedAnswer<Table>,
    of number: Int,
    _ store: (inout State, Known<Table>) -> Void
  ) {
    let freshness = answer.freshness(wall: core.time.wall, uptime: core.time.uptime)
    let known = Known(table: answer.value, freshness: freshness)
    change { state in
      if state.scope == number { store(&state, known) }
    }
  }

  /// Shows the answers that are on the device from earlier, so that the first screen does not jump.
  func restore() async {
    let number = core.scope.withLock(\.number)
    if let grants = await core.cached(GrantTable.self, "grants", of: number) {
      if state.withLock({ $0.grants == nil }) { take(grants, of: number) { $0.take(grants: $1) } }
    }
    if let plan = await core.cached(PlanTable.self, "plan", of: number) {
      if state.withLock({ $0.plan == nil }) { take(plan, of: number) { $0.take(plan: $1) } }
    }
  }

  // MARK: - Changing

  private func change(_ change: (inout State) -> Void) {
    registrar.withMutation(of: self, keyPath: \.changes) {
      state.withLock { state in
        change(&state)
        state.changes += 1
      }
    }
  }

  private func drop(_ number: Int) {
    change { state in
      if state.scope < number { state = State(changes: state.changes, scope: number) }
    }
  }

  /// Ends answers before their time, because the Watch said that they have changed.
  func expire(grants: Bool, plan: Bool) {
    let now = core.time.uptime
    change { state in
      if grants, let known = state.grants, known.freshness.endsAt > now {
        state.grants?.freshness.endsAt = now
      }
      if plan, let known = state.plan, known.freshness.endsAt > now {
        state.plan?.freshness.endsAt = now
      }
    }
  }

  /// When to fetch next, and when an answer ends that is shown now.
  func nextInstants() -> (renewAt: Duration?, endsAt: Duration?) {
    state.withLock { state in
      let all = [state.grants?.freshness, state.plan?.freshness].compactMap(\.self)
      return (all.map(\.renewAt).min(), all.map(\.endsAt).min())
    }
  }

  /// Has views drawn again because an answer has ended by itself.
  func noteTime() { change { _ in } }
}

extension Gate {
  fileprivate var isUpgrade: Bool {
    if case .upgrade = self { return true }
    return false
  }
}
