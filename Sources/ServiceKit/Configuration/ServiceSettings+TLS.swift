internal import RPCKit

extension ServiceSettings.TLS {
  private var identity: TLSConfiguration.Identity {
    TLSConfiguration.Identity(certificateChain: .file(certificate), privateKey: .file(key))
  }

  /// How calls are taken, by clients that speak frames or what `http` has.
  func serverConfiguration(_ http: ServiceSettings.HTTP) -> TLSConfiguration {
    var configuration = TLSConfiguration(
      role: .server(identity, clients: authorities.map { .required(roots: .file($0)) } ?? .none)
    )
    if http.http2 { configuration.applicationProtocols.append("h2") }
    if http.http1 { configuration.applicationProtocols.append("http/1.1") }
    return configuration
  }

  /// How others, and this service itself, are called.
  var clientConfiguration: TLSConfiguration {
    TLSConfiguration(
      role: .client(
        identity: identity,
        roots: authorities.map { .pem(.file($0)) } ?? .system,
        expectedHost: nil
      )
    )
  }
}

extension ServiceSettings {
  /// Where this service's own commands reach it: the first address that it listens at, with TLS when
  /// it speaks that.
  ///
  /// Throws when nothing says which name its certificate has.
  func ownTarget() throws(ConfigurationError) -> ChannelTarget {
    let address = listen[0].forConnecting
    var target = ChannelTarget(addresses: [address])
    guard let tls else { return target }
    guard let name = tls.serverName ?? address.numericHost else {
      throw ConfigurationError(
        "setting tls.server_name is missing: a Unix socket has no name to expect in the certificate"
      )
    }
    target.endpoints[0].tlsHost = name
    return target
  }
}
