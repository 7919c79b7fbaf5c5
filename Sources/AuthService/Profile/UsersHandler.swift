internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Users.
struct UsersHandler: Auth_V1.UsersService {
  let core: AuthCore

  func getMe(_ request: Auth_V1.GetMeRequest, _ call: CallContext) async throws -> Auth_V1.User {
    let identity = try call.requireUser()
    return try await answer(
      try await find(identity.userID),
      allowsPartial: request.allowPartialContext,
      call
    )
  }

  func listAccess(
    _ request: Auth_V1.ListAccessRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.ListAccessResponse {
    try await AccountAccess.page(request, core, call)
  }

  func updateProfile(
    _ request: Auth_V1.UpdateProfileRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.User {
    let identity = try call.requireUser()
    try check(request)
    let user = try await change(
      request.idempotencyKey,
      request,
      call,
      "user.update",
      expectedRevision: request.expectedRevision,
      current: request.current
    ) { user in
      user.displayName = request.displayName ?? user.displayName
      user.firstName = request.firstName ?? user.firstName
      user.lastName = request.lastName ?? user.lastName
      user.language = request.language ?? user.language
      user.profile.photoURL = request.photoUrl ?? user.profile.photoURL
      user.profile.timeZone = request.timeZone ?? user.profile.timeZone
    }
    let context = try await core.contexts.context(of: identity.userID, allowsPartial: true)
    return user.with(context, now: core.clock.now)
  }

  func setDefaults(
    _ request: Auth_V1.SetDefaultsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.User {
    let identity = try call.requireUser()
    let wanted = [
      ("portfolio", request.portfolioId), ("property", request.propertyId),
      ("unit", request.unitId),
    ]
    let context = try await core.contexts.context(of: identity.userID, allowsPartial: false)
    try await check(wanted, of: identity.userID, context)
    let user = try await change(
      request.idempotencyKey,
      request,
      call,
      "user.set_defaults",
      expectedRevision: request.expectedRevision
    ) { user in
      for ((_, path), (_, id)) in zip(AuthCore.defaultTypes, wanted) {
        guard let id else { continue }
        user.defaults[keyPath: path] = id.isEmpty ? .cleared : .chosen(id)
      }
    }
    return user.with(context, now: core.clock.now)
  }

  /// Throws unless the user has a role on each of these, or on what it is in.
  private func check(
    _ wanted: [(type: String, id: String?)],
    of userID: String,
    _ context: UserContext
  ) async throws {
    let now = core.clock.now
    let unknown = wanted.compactMap { entry -> (type: String, id: String)? in
      guard let id = entry.id, !id.isEmpty else { return nil }
      return context.entities(entry.type, now: now).contains(id) ? nil : (entry.type, id)
    }
    let seen = try await core.contexts.seen(unknown, by: userID)
    guard let refused = unknown.first(where: { !seen.contains($0.id) }) else { return }
    throw ProfileError.defaultNotFound(refused.type)
  }

  func batchGet(
    _ request: Auth_V1.BatchGetUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.BatchGetUsersResponse {
    let names = try await core.store.read { tx in try UserNames.all(request.userIds, in: tx) }
    return .init(
      users: names.map {
        .init(id: $0.userID, displayName: $0.text, version: UInt64(clamping: $0.version))
      }
    )
  }

  func find(_ userID: String) async throws -> UserRecord {
    let user = try await core.store.read { tx in try UserTable.find(userID, in: tx) }
    guard let user else { throw AuthError.userNotFound }
    return user
  }

  private func answer(
    _ user: UserRecord,
    allowsPartial: Bool,
    _ call: CallContext
  ) async throws -> Auth_V1.User {
    let context = try await core.contexts.context(of: user.id, allowsPartial: allowsPartial)
    let (settled, _) = try await core.settled(user, context, call)
    return .init(settled, context, now: core.clock.now)
  }

  /// Changes the calling user in one transaction; the user afterwards, without context.
  ///
  /// Throws UNAUTHENTICATED when the caller's session has ended by then.
  private func change(
    _ key: String,
    _ request: some Message,
    _ call: CallContext,
    _ action: String,
    expectedRevision: String,
    current: Auth_V1.User? = nil,
    _ change: @escaping @Sendable (inout UserRecord) -> Void
  ) async throws -> Auth_V1.User {
    try await changeProfile(key, request, call) { before, tx in
      try before.requireRevision(expectedRevision)
      try before.requireKept(current, now: tx.now)
      var user = before
      change(&user)
      guard user != before else { return .init(before, UserContext(), now: tx.now) }
      user.updated = tx.now
      try UserTable.update(&user, in: tx)
      if user.displayName == before.displayName {
        try tx.appendChange(kind: "\(UserNews.profileKind)", subject: user.id, scope: "")
      } else {
        try UserNames.changed(of: user.id, in: tx)
      }
      try tx.audit(action, object: user.id, before: before.digest, after: user.digest)
      return .init(user, UserContext(), now: tx.now)
    }
  }
}

extension UserRecord {
  /// The revision as clients carry it.
  var revisionToken: String { "\(revision)" }

  /// ABORTED unless the user still has the revision that the caller has seen; empty is any.
  func requireRevision(_ token: String) throws(RPCError) {
    guard token.isEmpty || token == revisionToken else { throw ProfileError.revisionMismatch }
  }

  /// For the audit log: tells whether two states are the same, and nothing else.
  var digest: [UInt8] {
    let fields = [
      displayName, firstName, lastName, defaults.portfolio.stored ?? "-",
      defaults.property.stored ?? "-", defaults.unit.stored ?? "-", language, profile.photoURL,
      profile.timeZone, "\(updated)",
    ]
    return Digests.sha256(fields.map { "\($0.utf8.count):\($0)" }.joined())
  }
}
