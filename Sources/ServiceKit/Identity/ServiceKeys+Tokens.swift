internal import RPCKit

extension ServiceSettings.ServiceKeys {
  /// Makes the tokens with which the service `name` proves itself to others; nil when the settings
  /// have no private key.
  ///
  /// Throws when the file is not there or is not a key.
  public func issuer(
    name: String,
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) -> ServiceTokenIssuer? {
    guard let privateKey else { return nil }
    do {
      let pem = try FileBytes.read(privateKey, byteCountMax: 64 * 1024)
      return ServiceTokenIssuer(
        name: name,
        key: try SigningKey(pem: pem),
        clock: environment.clock,
        random: environment.random
      )
    } catch {
      throw ConfigurationError("setting service_keys.private_key: \(privateKey): \(error)")
    }
  }

  /// Believes the tokens of the services that the settings trust, for calls to the service `name`.
  ///
  /// Throws when a file is not there or is not a key.
  public func verifier(
    name: String,
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) -> ServiceTokenVerifier {
    var keys: [String: KeySet] = [:]
    for (service, path) in trusted {
      do {
        let pem = try FileBytes.read(path, byteCountMax: 64 * 1024)
        keys[service] = KeySet([try VerificationKey(pem: pem)])
      } catch {
        throw ConfigurationError("setting service_keys.trusted.\(service): \(path): \(error)")
      }
    }
    return ServiceTokenVerifier(audience: name, keys: keys, clock: environment.clock)
  }
}
