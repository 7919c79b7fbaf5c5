internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The apps that watch, by who they are and where they have roles, so that a change wakes those alone whom it may
/// concern.
///
/// Follows commits, after decisions do, and holds no changes: those who are woken read them from the store. With
/// nobody watching, a commit costs a look at an empty table.
final class AppWatchers: CommitFollower {
  /// A user with open watches.
  private struct Reader {
    var watchers: [AppWatcher] = []
    var places = Forest.Places()
    /// The scope of invitations for its address; nil for none.
    var invitations: String?
  }

  private struct State {
    var readers: [String: Reader] = [:]
    /// Readers with a role on an entity.
    var ofEntity: [String: Set<String>] = [:]
    /// Readers with a role in a tree.
    var ofRoot: [String: Set<String>] = [:]
    /// Readers by the scope of invitations for their addresses.
    var ofInvitations: [String: Set<String>] = [:]
  }

  /// Changes of other services.
  let relayed: RelayedNews
  private let engine: PermissionEngine
  private let meter: AppWatchMeter
  private let state = Lock(State())

  init(_ engine: PermissionEngine, _ relayed: RelayedNews, _ meter: AppWatchMeter) {
    (self.engine, self.relayed, self.meter) = (engine, relayed, meter)
  }

  /// A call begins to watch; `end` it.
  func begin(_ call: CallContext, _ user: UserIdentity) throws(RPCError) -> AppWatcher {
    let watcher = AppWatcher(call, user)
    let exceeded = state.withLock { state -> AppWatchLimit? in
      let open = state.readers[user.userID]?.watchers ?? []
      if open.count >= AppWatchLimits.userCountMax { return .user }
      let ofSession = open.count { $0.sessionID == user.sessionID }
      if ofSession >= AppWatchLimits.sessionCountMax { return .session }
      state.readers[user.userID, default: Reader()].watchers.append(watcher)
      return nil
    }
    if let exceeded {
      meter.refusals.increment(exceeded)
      throw AppWatchError.tooMany(exceeded)
    }
    meter.open.add(1)
    return watcher
  }

  /// A call watches no longer.
  func end(_ watcher: AppWatcher) {
    let isOpen = state.withLock { [engine] state in
      guard var reader = state.readers[watcher.userID],
        let index = reader.watchers.firstIndex(where: { $0 === watcher })
      else { return false }
      reader.watchers.remove(at: index)
      if reader.watchers.isEmpty {
        engine.unpin(Array(reader.places.roots))
        Self.move(watcher.userID, from: reader.places, to: Forest.Places(), &state)
        Self.invite(watcher.userID, from: reader.invitations, to: nil, &state)
        state.readers[watcher.userID] = nil
      } else {
        state.readers[watcher.userID] = reader
      }
      return true
    }
    if isOpen { meter.open.add(-1) }
  }

  /// Finds where a watcher's user has roles now; changes there wake it from then on, and the trees stay in memory, since
  /// whom a change concerns is found there.
  ///
  /// UNAVAILABLE, because of `TreesMissing`, when the trees are not in memory; see `PermissionEngine.read`.
  func locate(_ watcher: AppWatcher) throws -> Forest.Places {
    // One after another: places that are older must not replace newer ones.
    let (places, revision) = try state.withLock { state in
      let (places, revision) = try engine.pinnedPlaces(of: watcher.userID)
      guard var reader = state.readers[watcher.userID] else {
        engine.unpin(Array(places.roots))
        return (places, revision)
      }
      engine.unpin(Array(reader.places.roots))
      if reader.places != places {
        Self.move(watcher.userID, from: reader.places, to: places, &state)
        reader.places = places
        state.readers[watcher.userID] = reader
      }
      return (places, revision)
    }
    // Changes up to here may have been there before the watcher was among those whom they wake.
    watcher.mayHaveMissed(through: revision)
    return places
  }

  /// Sets the scope of invitations that wake a watcher from then on; nil for none.
  func locate(_ watcher: AppWatcher, invitations: String?) {
    state.withLock { state in
      guard let reader = state.readers[watcher.userID] else { return }
      Self.invite(watcher.userID, from: reader.invitations, to: invitations, &state)
      state.readers[watcher.userID]?.invitations = invitations
    }
    watcher.mayHaveMissed(through: engine.revision)
  }

  private static func invite(
    _ userID: String,
    from old: String?,
    to new: String?,
    _ state: inout State
  ) {
    guard old != new else { return }
    if let old {
      state.ofInvitations[old]?.remove(userID)
      if state.ofInvitations[old]?.isEmpty == true { state.ofInvitations[old] = nil }
    }
    if let new { state.ofInvitations[new, default: []].insert(userID) }
  }

  private static func move(
    _ userID: String,
    from old: Forest.Places,
    to new: Forest.Places,
    _ state: inout State
  ) {
    func move(_ old: Set<String>, _ new: Set<String>, _ table: inout [String: Set<String>]) {
      for place in old.subtracting(new) {
        table[place]?.remove(userID)
        if table[place]?.isEmpty == true { table[place] = nil }
      }
      for place in new.subtracting(old) { table[place, default: []].insert(userID) }
    }
    move(old.entities, new.entities, &state.ofEntity)
    move(old.roots, new.roots, &state.ofRoot)
  }

  func follow(_ changes: [Change]) {
    guard let last = changes.last?.revision, !state.withLock({ $0.readers.isEmpty }) else { return }
    let audiences = engine.peek { forest in
      Set(changes.compactMap { AppAudience($0, forest) })
    }
    guard !audiences.isEmpty else { return }
    for watcher in watchers(of: audiences) { endIfSlow(watcher, missed: watcher.changed(last)) }
  }

  /// Takes over a change of another service.
  func relay(_ item: RelayedNews.Item) {
    // Before anyone is woken who looks for it.
    relayed.append(item)
    guard !state.withLock({ $0.readers.isEmpty }) else { return }
    let audiences = engine.peek { AppAudience.of(item, $0) }
    for watcher in watchers(of: audiences) { endIfSlow(watcher, missed: watcher.changed()) }
  }

  private func endIfSlow(_ watcher: AppWatcher, missed count: Int) {
    guard count > AppWatchLimits.missedCountMax else { return }
    end(watcher)
    meter.refusals.increment(.slow)
    watcher.call.end(AppWatchError.tooSlow)
  }

  private func watchers(of audiences: Set<AppAudience>) -> [AppWatcher] {
    state.withLock { state in
      var readers: Set<String> = []
      for audience in audiences {
        switch audience {
        case .user(let id): readers.insert(id)
        case .below(let places): for id in places { readers.formUnion(state.ofEntity[id] ?? []) }
        case .tree(let root): readers.formUnion(state.ofRoot[root] ?? [])
        case .invitations(let scope): readers.formUnion(state.ofInvitations[scope] ?? [])
        case .everybody: readers.formUnion(state.readers.keys)
        }
      }
      return readers.flatMap { state.readers[$0]?.watchers ?? [] }
    }
  }
}

/// One call that watches.
final class AppWatcher: Sendable {
  let call: CallContext
  let userID: String
  let sessionID: String
  /// The news that it waits for.
  private let news: ScopeWatcher
  /// The newest change that may concern it.
  private let newest = Lock<Int64>(0)

  init(_ call: CallContext, _ user: UserIdentity) {
    (self.call, userID, sessionID) = (call, user.userID, user.sessionID)
    news = ScopeWatcher(call, scope: user.userID)
  }

  /// Whether a change after this one may concern it.
  func isConcerned(after revision: Int64) -> Bool { newest.withLock { $0 > revision } }

  /// It is about to read; what it waits past then.
  func look() -> UInt64 { news.look() }

  /// Something that may concern it was changed, in the store by a commit up to a revision; how often without its
  /// looking.
  func changed(_ revision: Int64 = 0) -> Int {
    mayHaveMissed(through: revision)
    return news.changed(1)
  }

  func mayHaveMissed(through revision: Int64) { newest.withLock { $0 = max($0, revision) } }

  /// Returns after the next change past `version` that may concern it, or when the task is cancelled.
  func wait(past version: UInt64) async { await news.wait(past: version) }
}
