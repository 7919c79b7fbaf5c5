internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Linking identities to an account and taking them off again.
extension IdentitiesHandler {
  func link(
    _ request: Auth_V1.LinkIdentityRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.LinkedIdentity {
    let caller = try call.requireUser()
    let verified = try await core.verifyIdentity(
      request.identityToken,
      rawNonce: request.rawNonce,
      code: request.authorizationCode,
      for: .link(provider: request.provider, session: caller.sessionID),
      of: request.provider,
      CallSource(call, core.settings.sourceLimits)
    )
    let claims = verified.claims
    let written = try await core.writeInSession(call) { caller, now, tx -> Linked in
      let user = try UserTable.require(caller.userID, in: tx)
      guard try UsedNonceTable.use(verified.nonce, in: tx) else {
        throw ProviderError.tokenInvalid
      }
      let found = try IdentityTable.find(of: claims, in: tx)
      if var identity = found {
        guard identity.userID == user.id else { throw LinkError.inUse }
        guard identity.accepts(claims) else { throw ProviderError.tokenInvalid }
        identity.take(claims)
        try IdentityTable.update(identity, in: tx)
        try core.keepCode(request.authorizationCode, of: verified, in: tx)
        return Linked(identity: identity)
      }
      try core.requireNewerThanDeletion(claims, in: tx)
      guard try IdentityTable.list(of: user.id, in: tx).count < LinkedIdentity.countMax else {
        throw LinkError.tooMany
      }
      let identity = verified.linked(
        to: user.id,
        id: core.identifiers.make(.identity),
        now: now
      )
      try IdentityTable.insert(identity, in: tx)
      try core.keepCode(request.authorizationCode, of: verified, in: tx)
      let ended = try changed(.identityLinked, identity, of: user, caller, now: now, in: tx)
      return Linked(identity: identity, ended: ended)
    }
    core.countRevoked(written.ended)
    core.outbox.wake()
    return .init(written.identity)
  }

  /// An identity that is linked, and the sessions that ended because of that.
  private struct Linked: Sendable {
    let identity: LinkedIdentity
    var ended: [Revocation] = []
  }

  func unlink(
    _ request: Auth_V1.UnlinkIdentityRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UnlinkIdentityResponse {
    let ended = try await core.writeInSession(call) { caller, now, tx -> [Revocation] in
      let user = try UserTable.require(caller.userID, in: tx)
      let identity = try IdentityTable.list(of: user.id, in: tx)
        .first { $0.id == request.identityId }
      // One that is not there, or no longer, is what the caller wants.
      guard let identity else { return [] }
      guard try ways.exist(besides: identity.id, of: user.id, in: tx) else {
        throw PasskeyError.lastWayIn
      }
      try IdentityTable.delete(identity.id, in: tx)
      return try changed(.identityUnlinked, identity, of: user, caller, now: now, in: tx)
    }
    core.countRevoked(ended)
    core.outbox.wake()
    return .init()
  }

  /// Audits another way into an account, or one less; ends its other sessions, which somebody may have begun
  /// who should not be there, and tells its owner.
  private func changed(
    _ kind: MailKind,
    _ identity: LinkedIdentity,
    of user: UserRecord,
    _ caller: UserIdentity,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let ended = try core.endAllSessions(of: user.id, except: caller.sessionID, now: now, in: tx)
    try core.outbox.queue(
      .notice(kind, to: user, now: now, values: ["provider": identity.provider]),
      in: tx
    )
    try tx.audit(
      kind == .identityLinked ? "identity.link" : "identity.unlink",
      object: identity.id,
      detail: "provider \(identity.provider), revoked \(ended.count)"
    )
    return ended
  }
}

extension Auth_V1.LinkedIdentity {
  init(_ identity: LinkedIdentity) {
    self.init(
      id: identity.id,
      provider: identity.provider,
      email: identity.email,
      privateEmail: identity.isPrivateEmail,
      linkedAt: .init(milliseconds: identity.linked),
      usedAt: identity.used.map { .init(milliseconds: $0) },
      withdrawnAt: identity.withdrawn.map { .init(milliseconds: $0) }
    )
  }
}
