internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// What every handler needs: the store, the engine, and how to ask and answer.
///
/// A class, because handlers that hold it are copied with every call.
final class TenancyCore: Sendable {
  let store: ServiceStore
  let engine: PermissionEngine
  /// Who watches which collection of documents.
  let watchers: ScopeWatchers
  /// Who watches what products have, by the kind of its changes.
  let productWatchers: [String: ScopeWatchers]
  let clock: any WallClock
  let identifiers: IdentifierFactory
  let users: any UserDirectory
  let features: any FeatureSource
  let tokens: TokenSealer
  /// What the clocks of recurring windows show.
  let zones: TimeZoneCache
  /// What was allowed in the past.
  let pastPolicies: PastPolicies
  /// Where codes come from.
  let random: any RandomSource
  let codeDigests: CodeDigests
  let invitationAttempts: CodeAttempts
  /// Mails invitations; nil where that is for others to do.
  let mailer: InvitationMailer?
  /// Tells EntitlementService of deleted entities; nil where there is none.
  let endings: HolderEndings?
  let logger: Logger
  let instruments: TenancyInstruments
  /// For denials that no error tells of; the others are logged as their calls end.
  let denials: DenialLog
  /// What callers may have recorded without changing anything.
  let auditBudget: AuditBudget
  /// Refused calls that wait to be stored for reports.
  let refusals: RefusalTally
  /// How many documents users have had sorted by fields lately.
  let sorts = SpendingLimit(
    amount: DocumentLimits.sortedAtOnceMax,
    window: DocumentLimits.sortWindow
  )

  init(
    store: ServiceStore,
    engine: PermissionEngine,
    clock: any WallClock,
    identifiers: IdentifierFactory,
    users: any UserDirectory,
    features: any FeatureSource,
    tokens: TokenSealer,
    zones: TimeZoneCache = TimeZoneCache(),
    random: any RandomSource,
    codeDigests: CodeDigests,
    logger: Logger,
    instruments: TenancyInstruments,
    denials: DenialLog,
    auditBudget: AuditBudget,
    refusals: RefusalTally,
    mailer: InvitationMailer? = nil,
    endings: HolderEndings? = nil
  ) {
    self.store = store
    self.engine = engine
    watchers = ScopeWatchers(
      .init(
        kind: "\(UserDocuments.changeKind)",
        missedCountMax: DocumentLimits.missedCountMax,
        tooSlow: TenancyError.watchTooSlow,
        count: { instruments.refused(.watch) }
      )
    )
    productWatchers = Products.watchers(instruments)
    self.clock = clock
    self.identifiers = identifiers
    self.users = users
    self.features = features
    self.tokens = tokens
    self.zones = zones
    pastPolicies = PastPolicies(zones: zones)
    self.random = random
    self.codeDigests = codeDigests
    invitationAttempts = CodeAttempts(
      .invitation,
      InvitationLimits.attempts,
      clock: clock,
      random: random,
      instruments: instruments
    )
    self.logger = logger
    self.instruments = instruments
    self.denials = denials
    self.auditBudget = auditBudget
    self.refusals = refusals
    self.mailer = mailer
    self.endings = endings
  }

  /// Who watches what a product has.
  func watchers(of kind: String) -> ScopeWatchers {
    guard let watchers = productWatchers[kind] else {
      preconditionFailure("no product says that changes of kind \(kind) are watched")
    }
    return watchers
  }

  /// What is allowed at the moment.
  ///
  /// Another one may be loaded at any time: take it once for what belongs together, and never use
  /// numbers of it (roles, types, actions) with the forest, which may have another one already.
  var policy: Policy { engine.policy }

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  /// Waits for a revision that the caller has seen, if it names one.
  func reach(atLeast token: String) async throws {
    guard !token.isEmpty else { return }
    let revision = try tokens.revision(token: token)
    // On one server a true token is never ahead of the store, so there is nothing to wait for.
    guard revision <= database.revision, await engine.reach(revision) else {
      throw TenancyError.notReached
    }
  }

  /// Logs a line for each zone that roles name and that this machine does not have: what they are for is
  /// closed until it has.
  func warn(ofZonesMissingIn forest: Forest) {
    for zone in forest.missingZones.sorted() {
      logger.warning(
        "unknown time zone; roles with a recurring window in it do not count until tzdata has it",
        ["time_zone": .string(zone)]
      )
    }
  }

  // MARK: Writes

  /// Runs a change at most once per key; checks see it before this returns.
  ///
  /// Authorization belongs into `body`, by `require` and `decide` with its transaction: they see every
  /// change before this one. A repeated request gets the kept answer, unless its user is suspended or
  /// signed out by now (docs/decisions/0045). `request` must be encoded alike each time.
  func write<Response: Message>(
    _ call: CallContext,
    _ user: UserIdentity,
    key: String,
    request: [UInt8],
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let core = self
    return try await retryingWithFeatures {
      try await store.write(
        call,
        once: key,
        request,
        onReplay: { tx in try core.requireNotSuspended(user, tx) },
        body
      )
    }
  }

  /// As the other `write`, for requests without maps.
  func write<Request: Message, Response: Message>(
    _ call: CallContext,
    _ user: UserIdentity,
    key: String,
    request: Request,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    // What tells it from others under its key.
    let bytes = key.isEmpty ? [] : request.protobufBytes
    return try await write(call, user, key: key, request: bytes, body)
  }

  /// Runs `body` on one snapshot of the store.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await retryingWithFeatures { try await store.read(body) }
  }

  // MARK: Users

  /// Throws unless all users exist.
  ///
  /// Only asked for callers who may do what they ask for, so that nobody finds out who has an
  /// account.
  func requireUsers(_ ids: [String], field: String) async throws {
    guard !ids.isEmpty else { return }
    let names = try await displayNames(of: ids)
    guard let missing = ids.firstIndex(where: { names[$0] == nil }) else { return }
    let path = ids.count == 1 ? field : "\(field)[\(missing)]"
    throw TenancyError.invalidField(path, "USER_UNKNOWN", "is not a known user")
  }

  /// Display names of users; UNAVAILABLE when they cannot be told.
  func displayNames(of ids: [String]) async throws -> [String: String] {
    do {
      return try await users.displayNames(of: ids)
    } catch let error as CancellationError {
      throw error
    } catch {
      var unavailable = TenancyError.usersUnavailable
      unavailable.cause = error
      throw unavailable
    }
  }
}
