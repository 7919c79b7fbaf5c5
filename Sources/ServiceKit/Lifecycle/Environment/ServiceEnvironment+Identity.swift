public import RPCKit

extension ServiceEnvironment {
  /// A channel to another service on which this one proves itself: with its certificate under mutual
  /// TLS, with service tokens when there is a private key for them.
  public func authenticatedChannel(to peer: String) throws(ConfigurationError) -> Channel {
    guard let issuer = try proofs.issuer() else { return try channel(to: peer) }
    return try channel(to: peer, interceptors: [ServiceCredentials(issuer, audience: peer)])
  }

  /// A channel to the running service of these settings, for its own commands.
  public func authenticatedChannelToSelf() throws(ConfigurationError) -> Channel {
    let target = try settings.ownTarget()
    guard let issuer = try proofs.issuer() else { return channel(to: target, name: name) }
    return channel(
      to: target,
      name: name,
      interceptors: [ServiceCredentials(issuer, audience: name)]
    )
  }

  /// Believes the tokens of the services that the settings trust, and its own; nil without keys.
  ///
  /// Always the same one, which knows other keys after a reload.
  public func serviceTokenVerifier() throws(ConfigurationError) -> ServiceTokenVerifier? {
    try proofs.verifier()
  }

  /// Believes the gateways of the settings, by secret or address; always the same one, which knows other secrets
  /// after a reload.
  public func gatewayProof() throws(ConfigurationError) -> GatewayProof { try proofs.gateways() }

  /// The private key by which the service proves itself, for what else it signs; nil if the settings name
  /// none.
  ///
  /// Reads the file each time, so ask at start and at a reload.
  public func signingKey() throws(ConfigurationError) -> SigningKey? { try proofs.signingKey() }

  /// Reads the keys of services again, for calls from now on.
  func reloadServiceKeys() throws(ConfigurationError) { try proofs.reload() }

  /// Asks the running service of these settings whether it serves; throws when it does not.
  func probe(timeout: Duration = .seconds(3)) async throws {
    let channel = channel(to: try settings.ownTarget(), name: name)
    let status: Grpc_Health_V1.HealthCheckResponse.ServingStatus
    do {
      let health = Grpc_Health_V1.HealthClient(channel)
      status = try await health.check(.init(), timeout: timeout).status
    } catch {
      await channel.close()
      throw error
    }
    await channel.close()
    guard status == .serving else { throw RPCError(.unavailable, "not serving") }
  }
}
