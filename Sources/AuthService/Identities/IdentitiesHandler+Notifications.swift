internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Apple's notifications about its users.
extension IdentitiesHandler {
  func notifyApple(
    _ request: Auth_V1.NotifyAppleRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.NotifyAppleResponse {
    let (core, now) = (core, core.clock.now)
    let entry = try core.providers.find(IdentityProvider.apple)
    let source = CallSource(call, core.settings.sourceLimits)
    let guess = try core.charge(core.guesses, source, "NotifyApple")
    let event: AppleEvent
    do {
      event = try await core.providers.event(in: request.payload, of: entry, now: now)
      guess?.giveBack()
    } catch {
      if (error as? RPCError)?.code == .unavailable { guess?.giveBack() }
      throw error
    }
    let issuer = entry.provider.issuer
    let effect = try await core.store.write(call) { tx -> Effect in
      guard try IdentityNotificationTable.receive(event.id, issuer: issuer, now: now, in: tx) else {
        return Effect(isDuplicate: true)
      }
      let identity = try IdentityTable.find(issuer: issuer, subject: event.subject, in: tx)
      // Of a user who has no account here, or none.
      guard let identity else { return Effect() }
      return try apply(event, to: identity, now: now, in: tx)
    }
    core.countRevoked(effect.ended)
    if let userID = effect.deletedUserID {
      await deletions.reports.tellSoon(of: userID)
      deletions.wake()
      core.outbox.wake()
    }
    return .init(duplicate: effect.isDuplicate, applied: effect.isApplied)
  }

  /// The effect of a notification.
  private struct Effect: Sendable {
    var isDuplicate = false
    var isApplied = false
    /// The user whose deletion it has begun.
    var deletedUserID: String?
    var ended: [Revocation] = []
  }

  private func apply(
    _ event: AppleEvent,
    to identity: LinkedIdentity,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Effect {
    switch event.kind {
    case nil: return Effect()
    case .emailDisabled, .emailEnabled:
      let stops = event.kind == .emailDisabled
      guard identity.isMailStopped != stops else { return Effect() }
      var changed = identity
      changed.isMailStopped = stops
      if !event.email.isEmpty { changed.email = event.email }
      try IdentityTable.update(changed, in: tx)
      try audit(event, identity, "", in: tx)
      return Effect(isApplied: true)
    case .consentRevoked, .accountDeleted:
      // One that was late: the user has signed in with Apple since.
      guard event.time >= identity.newestToken else { return Effect() }
      return try withdraw(identity, event, now: now, in: tx)
    }
  }

  /// Ends what somebody may do who was known by an identity that is withdrawn.
  ///
  /// All sessions end, because a session does not say for ever how it began. The identity is unlinked if there
  /// is another way into the account. If there is none it stays, so that the user can come back with a newer
  /// token, and until then it opens nothing; with an account at Apple that was deleted the user cannot, so
  /// the account here is deleted too.
  private func withdraw(
    _ identity: LinkedIdentity,
    _ event: AppleEvent,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Effect {
    let hasWayIn = try ways.exist(besides: identity.id, of: identity.userID, in: tx)
    if hasWayIn {
      try IdentityTable.delete(identity.id, in: tx)
    } else {
      var withdrawn = identity
      withdrawn.withdrawn = event.time
      try IdentityTable.update(withdrawn, in: tx)
    }
    var effect = Effect(isApplied: true)
    if event.kind == .accountDeleted, !hasWayIn,
      let user = try UserTable.find(identity.userID, in: tx)
    {
      let begun = try deletions.begin(of: user, now: now, by: .outsider("apple"), in: tx)
      effect.ended = begun.ended
      effect.deletedUserID = user.id
    } else {
      effect.ended = try core.endAllSessions(of: identity.userID, now: now, in: tx)
    }
    try audit(event, identity, ", revoked \(effect.ended.count)", in: tx)
    return effect
  }

  private func audit(
    _ event: AppleEvent,
    _ identity: LinkedIdentity,
    _ detail: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.audit(
      "identity.notify",
      object: identity.id,
      detail: "\(event.kind?.rawValue ?? "")\(detail)",
      by: .outsider("apple")
    )
  }
}
