internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Signing in with a passkey.
extension PasskeysHandler {
  private static let name = PasskeyCeremony.Kind.signIn.rawValue

  func startSignIn(
    _ request: Auth_V1.StartPasskeySignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    let party = try relyingParty()
    let source = CallSource(call, core.settings.sourceLimits)
    _ = try core.charge(core.sourceSignIns, source, "StartPasskeySignIn")
    guard !request.email.isEmpty else {
      let ceremony = ceremony(.signIn, from: .source(source.counted))
      let room = ceremonies.take(ceremony)
      try await core.store.write(call) { tx in try CeremonyTable.insert(ceremony, room, in: tx) }
      return .init(ceremony, options: party.requestOptions(ceremony, allowing: []))
    }
    let email = EmailAddress(request.email)
    let new = ceremony(.namedSignIn, from: .source(source.counted))
    let room = ceremonies.take(new)
    // The same reads and the same write for every address.
    let options = try await core.store.write(call) { tx in
      var ceremony = new
      ceremony.userID = try UserTable.holder(of: email, in: tx)?.id ?? ""
      let known = party.descriptors(try PasskeyTable.list(of: ceremony.userID, in: tx))
      try CeremonyTable.insert(ceremony, room, in: tx)
      let decoy = decoys.descriptor(of: email)
      return party.requestOptions(ceremony, allowing: known.isEmpty ? [decoy] : known)
    }
    return .init(new, options: options)
  }

  func finishSignIn(
    _ request: Auth_V1.FinishPasskeySignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let (core, now) = (core, core.clock.now)
    let proven = try await prove(
      request.response,
      request.ceremonyId,
      [.signIn, .namedSignIn],
      as: Self.name,
      call
    )
    let account = core.attemptSubject(proven.user.address)
    let answer = try await core.countingRefusal {
      _ = try core.charge(account: account)
      return try await core.prepareAnswer(
        to: proven.user,
        allowsPartialContext: request.allowPartialContext,
        call
      )
    }
    let signIn = ReadySignIn(
      user: proven.user,
      basis: proven.basis,
      proof: proven.use.proof,
      device: DeviceDescription(request.device),
      network: CallSource(call, core.settings.sourceLimits).network,
      knownDevice: core.devices.read(request.deviceToken, of: account, now: now)?
        .known(to: proven.user),
      tellsOwner: true
    )
    let hasFallen = Lock(false)
    let response = try await core.complete(signIn, answer, request, once: "", call) { tx in
      let fell = try Self.settle(proven, now: now, in: tx) == .fell
      hasFallen.withLock { $0 = fell }
    }
    core.metrics.passkeys.series(Self.name, "done").increment()
    if hasFallen.withLock({ $0 }) { tell(ofFallenCounter: proven.passkey) }
    return response
  }
}
