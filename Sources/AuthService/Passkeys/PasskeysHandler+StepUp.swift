internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Proving with a passkey, within a session, who one is.
extension PasskeysHandler {
  private static let kind = PasskeyCeremony.Kind.stepUp

  func startStepUp(
    _ request: Auth_V1.StartPasskeyStepUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    let party = try relyingParty()
    let identity = try call.requireUser()
    _ = try core.charge(account: Array(identity.userID.utf8))
    let ceremony = try ceremony(Self.kind, of: identity)
    let core = core
    let options = try await core.store.write(call) { tx in
      try core.requireActiveSession(of: identity, now: ceremony.created, in: tx)
      let known = party.descriptors(try PasskeyTable.list(of: identity.userID, in: tx))
      guard !known.isEmpty else { throw PasskeyError.none }
      try CeremonyTable.insert(ceremony, ceremonies.take(ceremony), in: tx)
      return party.requestOptions(ceremony, allowing: known)
    }
    return .init(ceremony, options: options)
  }

  func finishStepUp(
    _ request: Auth_V1.FinishPasskeyStepUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccessToken {
    let identity = try call.requireUser()
    let name = Self.kind.rawValue
    let proven = try await prove(
      request.response,
      request.ceremonyId,
      [Self.kind],
      by: identity,
      as: name,
      call
    )
    let signer = try await core.signer()
    let (core, now) = (core, core.clock.now)
    // Committed although the call fails: that the counter fell must not be forgotten.
    let raised = try await core.store.write(call) { tx -> SessionRecord? in
      try core.requireActiveSession(of: identity, now: now, in: tx)
      switch try Self.settle(proven, now: now, in: tx) {
      case .rose: break
      case .overtaken: throw AuthError.overtaken
      case .fell: return nil
      }
      return try core.raise(identity, to: proven.use.proof, now: now, in: tx)
    }
    guard let raised else {
      tell(ofFallenCounter: proven.passkey)
      throw refused(.counter, name, as: PasskeyError.refused)
    }
    core.metrics.passkeys.series(name, "done").increment()
    return core.accessToken(of: raised, by: signer, now: now)
  }
}
