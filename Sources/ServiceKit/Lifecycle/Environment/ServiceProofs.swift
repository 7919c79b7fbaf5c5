internal import RPCKit

/// The keys with which this service and others prove themselves, as long as the service runs: read
/// from the files that the settings name, and read again when they changed.
final class ServiceProofs: Sendable {
  private struct State {
    var issuer: ServiceTokenIssuer?
    var verifier: ServiceTokenVerifier?
    var gateways: GatewayProof?
  }

  private let name: String
  private let settings: ServiceSettings.ServiceKeys
  private let gatewayAddresses: GatewayAddresses
  private let gatewaySecret: String?
  private let clock: any WallClock
  private let random: any RandomSource
  private let state = Lock(State())

  /// Reads nothing yet.
  init(
    name: String,
    settings: ServiceSettings.ServiceKeys,
    gateways: GatewayAddresses = GatewayAddresses(),
    gatewaySecret: String? = nil,
    clock: any WallClock,
    random: any RandomSource
  ) {
    self.name = name
    self.settings = settings
    gatewayAddresses = gateways
    self.gatewaySecret = gatewaySecret
    self.clock = clock
    self.random = random
  }

  /// Makes this service's own tokens; nil without a private key.
  func issuer() throws(ConfigurationError) -> ServiceTokenIssuer? {
    if let issuer = state.withLock({ $0.issuer }) { return issuer }
    guard let key = try signingKey() else { return nil }
    let made = ServiceTokenIssuer(name: name, key: key, clock: clock, random: random)
    return state.withLock { state in
      state.issuer = state.issuer ?? made
      return state.issuer
    }
  }

  /// Believes the tokens of the services that the settings trust, and its own; nil without keys.
  func verifier() throws(ConfigurationError) -> ServiceTokenVerifier? {
    if let verifier = state.withLock({ $0.verifier }) { return verifier }
    let keys = try keySets()
    guard !keys.isEmpty else { return nil }
    let made = ServiceTokenVerifier(audience: name, keys: keys, clock: clock)
    return state.withLock { state in
      state.verifier = state.verifier ?? made
      return state.verifier
    }
  }

  /// Believes the gateways of the settings.
  func gateways() throws(ConfigurationError) -> GatewayProof {
    if let gateways = state.withLock({ $0.gateways }) { return gateways }
    let secrets = try gatewaySecrets()
    guard secrets != nil || gatewayAddresses.firstNetwork == nil else {
      throw ConfigurationError("setting gateways names a network, and gateway_secret is missing")
    }
    let made = GatewayProof(gatewayAddresses, secrets: secrets)
    return state.withLock { state in
      let gateways = state.gateways ?? made
      state.gateways = gateways
      return gateways
    }
  }

  /// Reads the files again, for tokens that are made or shown from now on.
  ///
  /// Throws what is wrong with them, and keeps all keys as they were.
  func reload() throws(ConfigurationError) {
    let (key, keys, secrets) = (try signingKey(), try keySets(), try gatewaySecrets())
    let (issuer, verifier, gateways) = state.withLock { ($0.issuer, $0.verifier, $0.gateways) }
    if let secrets { gateways?.replaceSecrets(secrets) }
    if let key { issuer?.replaceKey(key) }
    verifier?.replaceKeys(keys)
  }

  /// The private key of the service as the file has it now; nil without one.
  func signingKey() throws(ConfigurationError) -> SigningKey? {
    guard let path = settings.privateKey else { return nil }
    do {
      return try ServiceKeyFiles.signingKey(path)
    } catch {
      throw ConfigurationError("setting service_keys.private_key: \(error)")
    }
  }

  private func gatewaySecrets() throws(ConfigurationError) -> GatewaySecrets? {
    guard let path = gatewaySecret else { return nil }
    do {
      return try GatewaySecrets.read(path)
    } catch {
      throw ConfigurationError("setting gateway_secret: \(error)")
    }
  }

  private func keySets() throws(ConfigurationError) -> [String: KeySet] {
    var keys: [String: [VerificationKey]] = [:]
    // Its own commands call it as itself.
    if let key = try signingKey() { keys[name] = [key.verificationKey] }
    for (service, paths) in settings.trusted {
      for path in paths {
        do {
          keys[service, default: []] += try ServiceKeyFiles.keys(path)
        } catch {
          throw ConfigurationError("setting service_keys.trusted.\(service): \(error)")
        }
      }
    }
    return keys.mapValues { KeySet($0) }
  }
}
