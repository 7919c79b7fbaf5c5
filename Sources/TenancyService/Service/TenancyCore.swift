internal import RPCKit
internal import ServiceKit

/// What every handler needs: the store, the engine, and how to ask and answer.
struct TenancyCore: Sendable {
  let database: Database
  let engine: PermissionEngine
  let clock: any WallClock
  let identifiers: IdentifierFactory
  let users: any UserDirectory
  let tokens: TokenSealer
  let logger: Logger
  let instruments: TenancyInstruments

  var policy: Policy { engine.policy }

  // MARK: Decisions

  /// What the engine says about a user and an object of a type.
  func decide(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity
  ) -> (decision: Decision, evidence: Evidence) {
    guard let actionID = policy.action(named: action), let typeID = policy.type(named: type) else {
      preconditionFailure("the policy has no action \(action) on \(type)")
    }
    let context = context(of: user)
    let now = clock.now
    return engine.read { forest in
      // An object of another type is as good as none.
      let entity = forest.entity(id).flatMap { forest.type($0) == typeID ? $0 : nil }
      let decision = forest.decide(
        subject: forest.subjects.find(user.userID),
        action: actionID,
        entity: entity,
        context: context,
        now: now
      )
      return (decision, forest.evidence(of: decision))
    }
  }

  /// Throws unless a user may do something to an object: NOT_FOUND when it must not know of it.
  @discardableResult
  func require(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity
  ) throws(RPCError) -> Decision {
    let (decision, evidence) = decide(action, on: id, type: type, user)
    guard !decision.isAllowed else { return decision }
    denied(user, action, id, decision.reason)
    guard decision.isKnown || decision.reason == .subjectSuspended else {
      throw TenancyError.notFound
    }
    throw TenancyError.denied(evidence, action: action)
  }

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

  /// What the token says about how the user proved itself.
  func context(of user: UserIdentity) -> DecisionContext {
    policy.context(stepUps: [user.acr], features: [])
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

  /// Runs a change at most once per key and returns when checks see it.
  ///
  /// Authorization belongs into `body`: a repeated request gets the kept answer even when the right
  /// went with what it did. `request` must be encoded alike each time.
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
    let response = try await database.writeOnce(key, domain: TenancyError.domain, body)
    // What was committed before our answer is in the feed; a check after it must see it.
    _ = await engine.reach(database.revision)
    return response
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
      requestID: call.metadata.values("x-request-id").first ?? "",
      action: action,
      object: object,
      scope: scope,
      outcome: outcome,
      beforeDigest: before,
      afterDigest: after,
      detail: detail
    )
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
    throw TenancyError.invalidField(path, "USER_UNKNOWN", "is no user")
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
