internal import RPCKit
internal import ServiceKit

/// The use of a passkey that was found to be right, but for what the store says when it counts.
struct ProvenPasskey: Sendable {
  let passkey: PasskeyRecord
  let use: ProvenUse
  /// When its ceremony began, in milliseconds since 1970.
  let begun: Int64
  let user: UserRecord
  /// The basis that must still hold when a session begins because of it.
  let basis: SignInBasis
}

/// Shared parts of signing in and stepping up.
extension PasskeysHandler {
  /// The store's state for a response.
  private struct Found: Sendable {
    let ceremony: PasskeyCeremony
    let passkey: PasskeyRecord?
    /// The authenticators' name of the user.
    let handle: [UInt8]?
    let user: UserRecord?
    let basis: SignInBasis?
  }

  /// Takes the ceremony of a response out of the store and checks the response; throws
  /// `PASSKEY_REFUSED` for everything that is not right.
  ///
  /// The ceremony is gone whatever comes of the response: a challenge that can be tried twice can
  /// be replayed.
  func prove(
    _ json: String,
    _ ceremonyID: String,
    _ kinds: Set<PasskeyCeremony.Kind>,
    by identity: UserIdentity? = nil,
    as name: String,
    _ call: CallContext
  ) async throws -> ProvenPasskey {
    let party = try relyingParty()
    let response = Result { () throws(PasskeyFault) in try UseResponse(json: json) }
    let found = try await find(response, ceremonyID, call)
    do throws(PasskeyFault) {
      guard let found else { throw .ceremony }
      try found.ceremony.check(kinds, now: core.clock.now)
      if let identity {
        guard found.ceremony.userID == identity.userID,
          found.ceremony.sessionID == identity.sessionID
        else { throw .owner }
      }
      return try check(try response.get(), found, party)
    } catch {
      if identity == nil { core.metrics.signIns.series("refused").increment() }
      throw refused(error, name, as: PasskeyError.refused)
    }
  }

  /// Burns the ceremony and reads what belongs to the passkey; nil without a ceremony.
  ///
  /// Looked for before anything is written, so that anyone who makes ceremonies up keeps no disk busy.
  private func find(
    _ response: Result<UseResponse, PasskeyFault>,
    _ ceremonyID: String,
    _ call: CallContext
  ) async throws -> Found? {
    let isThere = try await core.store.read { tx in try CeremonyTable.exists(ceremonyID, in: tx) }
    guard isThere else { return nil }
    var credentialID: [UInt8] = []
    if case .success(let response) = response { credentialID = response.credentialID }
    let shownID = credentialID
    let found = try await core.store.write(call) { tx -> Found? in
      guard let ceremony = try CeremonyTable.burn(ceremonyID, in: tx) else { return nil }
      let passkey = try PasskeyTable.find(shownID, in: tx)
      let userID = passkey?.userID ?? ""
      return Found(
        ceremony: ceremony,
        passkey: passkey,
        handle: try PasskeyTable.handle(of: userID, in: tx),
        user: try UserTable.find(userID, in: tx),
        basis: try UserTable.basis(of: userID, in: tx)
      )
    }
    if let found { ceremonies.release(found.ceremony) }
    return found
  }

  private func check(
    _ response: UseResponse,
    _ found: Found,
    _ party: RelyingParty
  ) throws(PasskeyFault) -> ProvenPasskey {
    guard let passkey = found.passkey, passkey.relyingParty == party.id, let user = found.user,
      let basis = found.basis
    else {
      // For its time alone: a passkey of nobody takes as long to refuse as one of somebody.
      _ = try? party.verify(
        response,
        challenge: found.ceremony.challenge,
        key: decoys.publicKey
      )
      throw .credential
    }
    let use = try party.verify(
      response,
      challenge: found.ceremony.challenge,
      key: try PasskeyKey(encoded: passkey.publicKey)
    )
    try found.ceremony.check(passkey, owner: found.handle, shown: response.userHandle)
    return ProvenPasskey(
      passkey: passkey,
      use: use,
      begun: found.ceremony.created,
      user: user,
      basis: basis
    )
  }

  /// Writes down that a passkey was used; what has become of its counter.
  ///
  /// Throws `PASSKEY_REFUSED` for one that was removed in the meantime.
  static func settle(
    _ proven: ProvenPasskey,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> PasskeyRecord.CounterChange {
    let found = try PasskeyTable.find(proven.passkey.credentialID, in: tx)
    guard var passkey = found, passkey.id == proven.passkey.id else {
      throw PasskeyError.refused
    }
    let change = passkey.take(proven.use, begun: proven.begun, now: now)
    try PasskeyTable.updateUse(of: passkey, in: tx)
    if change == .fell {
      try tx.audit("passkey.counter_fell", object: passkey.id, by: .user(passkey.userID))
    }
    return change
  }

  /// Says that a passkey may have been copied, after that was written.
  func tell(ofFallenCounter passkey: PasskeyRecord) {
    core.metrics.passkeyCounters.increment()
    core.logger.warning(
      "the counter of a passkey did not rise; it may have been copied",
      ["passkey": .string(passkey.id), "user": .string(passkey.userID)]
    )
  }
}
