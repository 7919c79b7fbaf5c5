public import RPCKit

extension ServiceEnvironment {
  /// Longest key file, in bytes.
  private static let keyByteCountMax = 64 << 10

  /// A channel to another service on which this one proves itself: with its certificate under mutual
  /// TLS, with service tokens when there is a private key for them.
  public func provenChannel(to peer: String) throws(ConfigurationError) -> Channel {
    guard let key = try signingKey() else { return try channel(to: peer) }
    return try channel(to: peer, interceptors: [credentials(key, for: peer)])
  }

  /// A channel to the running service of these settings, for its own commands.
  public func provenChannelToItself() throws(ConfigurationError) -> Channel {
    let target = ChannelTarget(addresses: [settings.listen[0].forConnecting])
    guard let key = try signingKey() else { return channel(to: target, name: name) }
    return channel(to: target, name: name, interceptors: [credentials(key, for: name)])
  }

  private func credentials(_ key: SigningKey, for audience: String) -> ServiceCredentials {
    let issuer = ServiceTokenIssuer(name: name, key: key, clock: clock, random: random)
    return ServiceCredentials(issuer, audience: audience)
  }

  private func signingKey() throws(ConfigurationError) -> SigningKey? {
    guard let path = settings.serviceKeys.privateKey else { return nil }
    return try Self.readKey(path, "service_keys.private_key") { bytes throws(KeyError) in
      try SigningKey(pem: bytes)
    }
  }

  /// Believes the tokens of the services that the settings trust, and its own; nil without keys.
  public func serviceTokenVerifier() throws(ConfigurationError) -> ServiceTokenVerifier? {
    var keys: [String: KeySet] = [:]
    // Its own commands call it as itself.
    if let key = try signingKey() { keys[name] = KeySet([key.verificationKey]) }
    for (service, path) in settings.serviceKeys.trusted {
      keys[service] = KeySet([
        try Self.readKey(path, "service_keys.trusted.\(service)") { bytes throws(KeyError) in
          try VerificationKey(pem: bytes)
        }
      ])
    }
    return keys.isEmpty ? nil : ServiceTokenVerifier(audience: name, keys: keys, clock: clock)
  }

  private static func readKey<Key>(
    _ path: String,
    _ setting: String,
    _ body: ([UInt8]) throws(KeyError) -> Key
  ) throws(ConfigurationError) -> Key {
    do {
      return try body(try FileBytes.read(path, byteCountMax: keyByteCountMax))
    } catch let error as FileError {
      throw ConfigurationError("setting \(setting): \(error)")
    } catch {
      throw ConfigurationError("setting \(setting): \(path) is no key for ES256 in PEM")
    }
  }
}
