internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Registering a passkey.
extension PasskeysHandler {
  private static let kind = PasskeyCeremony.Kind.registration

  func startRegistration(
    _ request: Auth_V1.StartPasskeyRegistrationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    let party = try relyingParty()
    let identity = try call.requireUser()
    _ = try core.charge(account: Array(identity.userID.utf8))
    let ceremony = try ceremony(Self.kind, of: identity)
    let (core, newHandle) = (core, core.random.bytes(32))
    let options = try await core.store.write(call) { tx in
      try core.requireActiveSession(of: identity, now: ceremony.created, in: tx)
      let user = try UserTable.require(identity.userID, in: tx)
      let passkeys = try PasskeyTable.list(of: user.id, in: tx)
      guard passkeys.count < PasskeyRecord.countMax else { throw PasskeyError.tooMany }
      try CeremonyTable.insert(ceremony, ceremonies.take(ceremony), in: tx)
      return party.creationOptions(
        ceremony,
        for: user,
        handle: try PasskeyTable.handle(of: user.id, orNew: newHandle, in: tx),
        excluding: party.descriptors(passkeys)
      )
    }
    return .init(ceremony, options: options)
  }

  func finishRegistration(
    _ request: Auth_V1.FinishPasskeyRegistrationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.FinishPasskeyRegistrationResponse {
    let party = try relyingParty()
    let identity = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    let burnt = try await core.store.write(call) { tx in
      try CeremonyTable.burn(request.ceremonyId, in: tx)
    }
    if let burnt { ceremonies.release(burnt) }
    let passkey: PasskeyRecord
    do throws(PasskeyFault) {
      guard let burnt else { throw .ceremony }
      try burnt.check([Self.kind], now: now)
      guard burnt.userID == identity.userID, burnt.sessionID == identity.sessionID else {
        throw .owner
      }
      let response = try RegistrationResponse(json: request.response)
      let proven = try party.verify(response, challenge: burnt.challenge)
      passkey = record(of: proven, response, for: identity.userID, request.name, party, now: now)
    } catch {
      throw refused(error, Self.kind.rawValue, as: PasskeyError.registrationRefused)
    }
    let stored = try await core.store.write(call) { tx -> PasskeyRecord? in
      try core.requireActiveSession(of: identity, now: now, in: tx)
      let user = try UserTable.require(identity.userID, in: tx)
      // One that is somebody else's would sign anyone who has it in to this account.
      guard try PasskeyTable.find(passkey.credentialID, in: tx) == nil else { return nil }
      guard try PasskeyTable.list(of: user.id, in: tx).count < PasskeyRecord.countMax else {
        throw PasskeyError.tooMany
      }
      var passkey = passkey
      passkey.isAddressProven = user.isEmailVerified
      try PasskeyTable.insert(passkey, in: tx)
      try core.outbox.queue(.notice(.passkeyAdded, to: user, now: now), in: tx)
      try tx.audit("passkey.add", object: passkey.id, detail: passkey.attestation.rawValue)
      return passkey
    }
    core.outbox.wake()
    guard let stored else {
      throw refused(.registered, Self.kind.rawValue, as: PasskeyError.registrationRefused)
    }
    core.metrics.passkeys.series(Self.kind.rawValue, "done").increment()
    return .init(passkey: .init(stored))
  }

  private func record(
    of proven: ProvenRegistration,
    _ response: RegistrationResponse,
    for userID: String,
    _ name: String,
    _ party: RelyingParty,
    now: Int64
  ) -> PasskeyRecord {
    PasskeyRecord(
      id: core.identifiers.make(.passkey),
      credentialID: proven.newKey.id,
      userID: userID,
      publicKey: proven.newKey.encoded,
      signCount: proven.signCount,
      isBackupEligible: proven.flags.contains(.backupEligible),
      isBackedUp: proven.flags.contains(.backedUp),
      transports: response.transports,
      model: proven.newKey.model,
      attestation: proven.attestation,
      relyingParty: party.id,
      name: name,
      isAddressProven: false,
      created: now
    )
  }
}
