internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Passkeys: see docs/guides/passkeys.md.
struct PasskeysHandler: Auth_V1.PasskeysService {
  let core: AuthCore
  let ways: WaysIn
  /// Passkeys that addresses without any are said to have.
  let decoys: DecoyCredentials
  /// Challenges that wait for answers.
  let ceremonies = CeremonyPlaces()

  init(_ core: AuthCore, _ ways: WaysIn) {
    (self.core, self.ways) = (core, ways)
    decoys = DecoyCredentials(secret: core.secrets.lookup)
  }

  func list(
    _ request: Auth_V1.ListPasskeysRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListPasskeysResponse {
    let party = try relyingParty()
    let userID = try call.requireUser().userID
    let (passkeys, handle) = try await core.store.read { tx in
      (try PasskeyTable.list(of: userID, in: tx), try PasskeyTable.handle(of: userID, in: tx))
    }
    return .init(
      passkeys: passkeys.map { .init($0) },
      acceptedCredentials: party.signal(handle, passkeys)
    )
  }

  func rename(
    _ request: Auth_V1.RenamePasskeyRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RenamePasskeyResponse {
    try await core.writeInSession(call) { caller, _, tx in
      let (id, name) = (request.passkeyId, request.name)
      guard try PasskeyTable.rename(id, of: caller.userID, to: name, in: tx) else {
        throw PasskeyError.notFound
      }
      try tx.audit("passkey.rename", object: id)
    }
    return .init()
  }

  func remove(
    _ request: Auth_V1.RemovePasskeyRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RemovePasskeyResponse {
    let party = try relyingParty()
    let response = try await core.writeInSession(call) {
      caller,
      now,
      tx -> Auth_V1.RemovePasskeyResponse in
      let userID = caller.userID
      let user = try UserTable.require(userID, in: tx)
      let passkey = try PasskeyTable.list(of: userID, in: tx)
        .first { $0.id == request.passkeyId }
      if let passkey {
        // One for another relying party signs nobody in.
        if passkey.relyingParty == party.id {
          guard try ways.exist(besides: passkey.id, of: userID, in: tx) else {
            throw PasskeyError.lastWayIn
          }
        }
        _ = try PasskeyTable.delete(passkey.id, of: userID, in: tx)
        try core.outbox.queue(.notice(.passkeyRemoved, to: user, now: now), in: tx)
        try tx.audit("passkey.remove", object: passkey.id)
      }
      return .init(
        wasRemoved: passkey != nil,
        acceptedCredentials: party.signal(
          try PasskeyTable.handle(of: userID, in: tx),
          try PasskeyTable.list(of: userID, in: tx)
        )
      )
    }
    core.outbox.wake()
    return response
  }

  // MARK: - Ceremonies

  /// For whom passkeys are taken; FAILED_PRECONDITION as long as nobody set that up.
  func relyingParty() throws(RPCError) -> RelyingParty {
    guard let party = ways.relyingParty else { throw PasskeyError.off }
    return party
  }

  /// A new challenge, counted for the caller's source; not in the store yet.
  func ceremony(_ kind: PasskeyCeremony.Kind, from holder: PlaceHolder) -> PasskeyCeremony {
    PasskeyCeremony(
      id: Base64URL.encode(core.random.bytes(16)),
      kind: kind,
      challenge: core.random.bytes(32),
      userID: "",
      sessionID: "",
      created: core.clock.now,
      holder: holder.name(core.secrets.lookup)
    )
  }

  /// A new challenge for the caller, who may not ask for any number of them.
  func ceremony(
    _ kind: PasskeyCeremony.Kind,
    of identity: UserIdentity
  ) throws(RPCError) -> PasskeyCeremony {
    _ = try core.charge(account: Array("passkey \(identity.userID)".utf8))
    var ceremony = ceremony(kind, from: .account(identity.userID))
    ceremony.userID = identity.userID
    ceremony.sessionID = identity.sessionID
    return ceremony
  }

  /// The error for callers, after the reason was logged.
  func refused(_ fault: PasskeyFault, _ ceremony: String, as error: RPCError) -> RPCError {
    core.metrics.passkeys.series(ceremony, "refused").increment()
    core.logger.notice(
      "a passkey was refused",
      ["ceremony": .string(ceremony), "fault": .string(fault.rawValue)]
    )
    return error
  }
}

extension Auth_V1.PasskeyCeremony {
  init(_ ceremony: PasskeyCeremony, options: String) {
    self.init(
      ceremonyId: ceremony.id,
      options: options,
      expiresAt: .init(milliseconds: ceremony.expires)
    )
  }
}

extension RelyingParty {
  /// Those of the passkeys that are bound to this relying party.
  func descriptors(_ passkeys: [PasskeyRecord]) -> [CredentialDescriptor] {
    passkeys.filter { $0.relyingParty == id }.map { CredentialDescriptor($0) }
  }

  /// Empty for a user who never had a passkey.
  func signal(_ handle: [UInt8]?, _ passkeys: [PasskeyRecord]) -> String {
    handle.map { signal(handle: $0, accepting: descriptors(passkeys)) } ?? ""
  }
}
