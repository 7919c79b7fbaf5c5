internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The core that every handler needs: the store, the engine, and how to ask and answer.
///
/// A class, because handlers that hold it are copied with every call.
final class TenancyCore: Sendable {
  let store: ServiceStore
  let engine: PermissionEngine
  /// Has trees loaded that decisions ask for.
  let loader: any TreeLoading
  let clock: any WallClock
  let identifiers: IdentifierFactory
  let users: any UserDirectory
  let features: any FeatureSource
  let tokens: TokenSealer
  /// The local times of recurring windows.
  let zones: TimeZoneCache
  /// Where codes come from.
  let random: any RandomSource
  let codeDigests: CodeDigests
  let logger: Logger
  let metrics: MetricRegistry
  /// For denials that no error tells of; the others are logged as their calls end.
  let denials: DenialLog
  /// The budget of callers for audit records without changes.
  let auditBudget: AuditBudget
  let products: [any Product.Type]
  /// Nil where nobody mails invitations.
  let mailer: (any InvitationMailing)?
  /// Ends what deleted entities have in EntitlementService; nil where there is none.
  let endings: (any CommittedWork)?
  /// Ends what families that ended have in AuthService; nil where there is none.
  let familyEndings: (any CommittedWork)?
  /// Where points are asked for; nil where there are none.
  let points: (any PointsDirectory)?
  let newcomers = Newcomers()
  /// People who have not used a role yet that came of an invitation by itself.
  let firstUses = FirstUses()
  let operatorLooks = OperatorLooks()
  private let watchers: [String: ScopeWatchers]
  private let followers: [any CommitFollower]

  init(
    store: ServiceStore,
    engine: PermissionEngine,
    loader: any TreeLoading,
    clock: any WallClock,
    identifiers: IdentifierFactory,
    users: any UserDirectory,
    features: any FeatureSource,
    tokens: TokenSealer,
    zones: TimeZoneCache = TimeZoneCache(),
    random: any RandomSource,
    codeDigests: CodeDigests,
    logger: Logger,
    metrics: MetricRegistry,
    denials: DenialLog,
    auditBudget: AuditBudget,
    products: [any Product.Type] = [],
    watched: [ScopeWatchers.Subject] = [],
    followers: [any CommitFollower] = [],
    mailer: (any InvitationMailing)? = nil,
    endings: (any CommittedWork)? = nil,
    familyEndings: (any CommittedWork)? = nil,
    points: (any PointsDirectory)? = nil
  ) {
    (self.store, self.engine, self.clock, self.identifiers) = (store, engine, clock, identifiers)
    self.loader = loader
    (self.users, self.features, self.tokens, self.zones) = (users, features, tokens, zones)
    (self.random, self.codeDigests) = (random, codeDigests)
    (self.logger, self.metrics) = (logger, metrics)
    (self.denials, self.auditBudget, self.products) = (denials, auditBudget, products)
    (self.mailer, self.endings, self.points) = (mailer, endings, points)
    self.familyEndings = familyEndings
    watchers = Dictionary(uniqueKeysWithValues: watched.map { ($0.kind, ScopeWatchers($0)) })
    self.followers = followers
  }

  /// The watchers of changes of a kind.
  func watchers(of kind: String) -> ScopeWatchers {
    guard let watchers = watchers[kind] else {
      preconditionFailure("nobody says that changes of kind \(kind) are watched")
    }
    return watchers
  }

  /// All memory that follows commits.
  var follower: TenancyFollower {
    TenancyFollower(
      engine: engine,
      watchers: Array(watchers.values),
      newcomers: newcomers,
      others: followers
    )
  }

  /// The current policy.
  ///
  /// Another one may be loaded at any time: take it once for what belongs together, and never use
  /// numbers of it (roles, types, actions) with the forest, which may have another one already.
  var policy: Policy { engine.policy }

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  /// Whether decisions follow a revision that the caller has seen, if it names one.
  func hasReached(_ token: String) throws -> Bool {
    try token.isEmpty || tokens.revision(token: token) <= engine.revision
  }

  /// Waits for a revision that the caller has seen, if it names one.
  func reach(atLeast token: String) async throws {
    guard !token.isEmpty else { return }
    let revision = try tokens.revision(token: token)
    // A token that another program gave may be ahead of memory; none is ahead of the store.
    if revision > database.revision { try await store.catchUp() }
    guard revision <= database.revision, await engine.reach(revision) else {
      throw TenancyError.notReached
    }
  }

  // MARK: Writes

  /// Runs a change of a user at most once per key; checks see it before this returns.
  ///
  /// Authorization belongs in `body`, by `require` and `decide` with its transaction: they see every
  /// change before this one. A repeated request gets the kept answer, unless its user is suspended or
  /// signed out by now (docs/decisions/0045). `request` must be encoded alike each time.
  ///
  /// The path of a write, from a handler inwards:
  ///
  /// 1. `write(… naming:)` looks users up first, for requests that name them.
  /// 2. This: `retrying` asks for features that `body` lacks, loads trees, and runs the rest again.
  /// 3. `ServiceStore.write` refuses erased users and those who have left too much log, and gives errors of
  ///    the store the form that callers get.
  /// 4. `writeOnce` of the database refuses proofs that have ended, and repeats or keeps the answer of the key.
  /// 5. `Database.performWrite` names the author of audit records and has the call wait in the queue, where
  ///    callers take turns.
  /// 6. `GroupCommitter` runs writes in one transaction. A write that relies on what one before it has
  ///    touched (`ConflictKey`) runs again after the commit, and one that fails late is undone alone.
  /// 7. `body`.
  /// 8. After the commit `TenancyFollower` applies its changes to the forest, wakes watchers, and this returns
  ///    with the names of those whom the answer shows; see `ShowsPeople`.
  func write<Response: Message>(
    _ call: CallContext,
    key: String,
    request: [UInt8],
    heads: WriteHeads = .unknown,
    _ body: @escaping @Sendable (ChangeSet, borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let user = try call.requireUser()
    let changes = ChangeSet(core: self, call: call, user: user)
    let response = try await retrying {
      try await store.write(
        call,
        once: key,
        request,
        heads: heads,
        onReplay: { tx in try changes.core.requireNotSuspended(user, tx) },
        { tx in try body(changes, tx) }
      )
    }
    return await namedIfPossible(response)
  }

  /// As the other `write`, for requests without maps.
  func write<Request: Message, Response: Message>(
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String = { _ in "" },
    heads: WriteHeads = .unknown,
    _ body: @escaping @Sendable (ChangeSet, borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let key = key(request)
    // What tells it from others under its key.
    let bytes = key.isEmpty ? [] : request.protobufBytes
    return try await write(call, key: key, request: bytes, heads: heads, body)
  }

  /// Runs `body` on one snapshot of the store.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await retrying { try await store.read(body) }
  }

  // MARK: Users

  /// Throws unless all users exist.
  ///
  /// Only asked for callers who may do what they ask for, so that nobody finds out who has an
  /// account. `known` are sure to exist.
  func requireUsers(_ ids: [String], field: String, known: Set<String> = []) async throws {
    let asked = ids.filter { !known.contains($0) }
    guard !asked.isEmpty else { return }
    let names = try await displayNames(of: asked)
    guard let missing = ids.firstIndex(where: { names[$0] == nil && !known.contains($0) }) else {
      return
    }
    let path = ids.count == 1 ? field : "\(field)[\(missing)]"
    throw TenancyError.unknownUser(path)
  }

  /// Throws unless all users exist, if a caller may do what it names them for.
  func requireUsers(
    _ ids: [String],
    field: String,
    ifMay action: String,
    on id: String,
    _ user: UserIdentity
  ) async throws {
    guard !ids.isEmpty, try await explanation(action, on: id, user).isAllowed else { return }
    try await requireUsers(ids, field: field)
  }

  /// Display names of users; UNAVAILABLE when they cannot be determined.
  func displayNames(of ids: [String]) async throws -> [String: PersonName] {
    do {
      return try await users.displayNames(of: ids)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw TenancyError.usersUnavailable(error)
    }
  }
}
