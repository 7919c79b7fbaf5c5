internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// What every handler needs: the store, the engine, and how to ask and answer.
///
/// A class, because handlers that hold it are copied with every call.
final class TenancyCore: Sendable {
  let database: Database
  let engine: PermissionEngine
  let clock: any WallClock
  let identifiers: IdentifierFactory
  let users: any UserDirectory
  let features: any FeatureSource
  let tokens: TokenSealer
  let logger: Logger
  let instruments: TenancyInstruments
  /// What callers may have recorded without changing anything.
  let auditBudget: AuditBudget

  init(
    database: Database,
    engine: PermissionEngine,
    clock: any WallClock,
    identifiers: IdentifierFactory,
    users: any UserDirectory,
    features: any FeatureSource,
    tokens: TokenSealer,
    logger: Logger,
    instruments: TenancyInstruments,
    auditBudget: AuditBudget
  ) {
    self.database = database
    self.engine = engine
    self.clock = clock
    self.identifiers = identifiers
    self.users = users
    self.features = features
    self.tokens = tokens
    self.logger = logger
    self.instruments = instruments
    self.auditBudget = auditBudget
  }

  /// What is allowed at the moment.
  ///
  /// Another one may be loaded at any time: take it once for what belongs together, and never use
  /// numbers of it (roles, types, actions) with the forest, which may have another one already.
  var policy: Policy { engine.policy }

  /// Logs and counts a denial.
  func denied(_ user: UserIdentity, _ action: String, _ id: String, _ reason: ReasonCode) {
    instruments.denied(reason)
    logger.info(
      "permission denied",
      [
        "user": .string(user.userID), "action": .string(action), "entity": .string(id),
        "reason": .string(reason.rawValue),
      ]
    )
  }

  /// Waits for a revision that the caller has seen, if it names one.
  func reach(atLeast token: String) async throws {
    guard !token.isEmpty else { return }
    let revision = try tokens.revision(token: token)
    // On one server a true token is never ahead of the store, so there is nothing to wait for.
    guard revision <= database.revision, await engine.reach(revision) else {
      throw TenancyError.notReached
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
    let key = IdempotencyKey(
      caller: "user:\(user.userID)",
      key: key,
      method: "\(call.method.service)/\(call.method.method)",
      request: request
    )
    let (caller, core) = (call.caller, self)
    return try await knowingFeatures {
      try await database.writeOnce(
        key,
        domain: TenancyError.domain,
        for: caller,
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
    try await write(call, user, key: key, request: request.protobufBytes, body)
  }

  /// An audit record of what a user does.
  func audit(
    _ call: CallContext,
    _ user: UserIdentity,
    _ action: String,
    object: String,
    scope: String,
    outcome: AuditRecord.Outcome = .done,
    before: [UInt8]? = nil,
    after: [UInt8]? = nil,
    detail: String = ""
  ) -> AuditRecord {
    AuditRecord(
      actor: user.actingService.map { "service:\($0)" } ?? "user:\(user.userID)",
      onBehalfOf: user.actingService == nil ? nil : "user:\(user.userID)",
      requestID: identifiers.requestID(of: call),
      action: action,
      object: object,
      scope: scope,
      outcome: outcome,
      beforeDigest: before,
      afterDigest: after,
      detail: detail
    )
  }

  /// Runs `body` on one snapshot of the store.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await knowingFeatures { try await database.read(body) }
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
