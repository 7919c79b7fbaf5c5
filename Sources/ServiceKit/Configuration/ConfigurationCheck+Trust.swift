internal import RPCKit

/// Settings that are well formed and cannot work: addresses that collide, and services that nobody would
/// believe.
extension ConfigurationCheck {
  /// Looks whether this service can prove to the others which one it is.
  ///
  /// Nothing is said of installations with TLS, whose certificates may name services.
  mutating func ownProof(_ settings: ServiceSettings) {
    guard settings.tls == nil, settings.serviceKeys.privateKey == nil,
      !isWrong("service_keys.private_key")
    else { return }
    report(
      "setting service_keys.private_key is missing: this service calls others and cannot prove to them "
        + "which one it is"
    )
  }

  /// Looks whether these services, which call this one, can prove to be those.
  public mutating func callers(_ names: [String], _ settings: ServiceSettings) {
    for name in names where !settings.canBelieve(name) {
      guard !isWrong("service_keys.trusted.\(name)") else { continue }
      report(
        "setting service_keys.trusted.\(name) is missing: the \(name) service calls this one, and nobody "
          + "can prove to be it without a public key"
      )
    }
  }

  /// Looks whether the gateways of `source_limits.trusted_proxies` can prove to be those.
  public mutating func trustedProxies(_ rules: SourceRules, _ settings: ServiceSettings) {
    for name in rules.trustedProxies.sorted() where !settings.canBelieve(name) {
      report(
        "setting source_limits.trusted_proxies: nobody can prove to be \(name); set "
          + "service_keys.trusted.\(name) to its public key, or tls.authorities"
      )
    }
  }

  /// Looks whether a gateway is known by more than the network that it is in.
  mutating func gateways(_ settings: ServiceSettings) {
    if let path = settings.gatewaySecret {
      file("gateway_secret", path) { _ = try GatewaySecrets.read($0) }
    } else if let network = settings.gateways.firstNetwork {
      report(
        "setting gateways: every host in \(network) could speak for any user; name single addresses, or set "
          + "gateway_secret to a file with a secret that the gateway shows"
      )
    }
  }

  /// Looks whether addresses collide.
  mutating func addresses(_ settings: ServiceSettings) {
    guard !isWrong("listen") else { return }
    for (index, address) in settings.listen.enumerated()
    where settings.listen[..<index].contains(where: address.collides) {
      report("setting listen: \(address) is taken by an address before it")
    }
    if let admin = settings.admin, !isWrong("admin"),
      settings.listen.contains(where: admin.collides)
    {
      report("setting admin: \(admin) is taken by listen; set it to another address")
    }
    for (name, text) in settings.peers.sorted(by: { $0.key < $1.key })
    where !isWrong("peers.\(name)") {
      // One that cannot be read is said to be wrong elsewhere.
      guard let target = try? ChannelTarget(text) else { continue }
      for case .address(let address) in target.endpoints.map(\.place)
      where settings.listen.contains(where: { $0.isReached(by: address) }) {
        report("setting peers.\(name): \(address) is this service itself")
      }
    }
  }
}

extension ServiceSettings {
  /// Whether a caller could prove to be the service of a name: with a key, or a certificate.
  fileprivate func canBelieve(_ name: String) -> Bool {
    serviceKeys.trusted[name] != nil || tls?.authorities != nil
  }
}

extension SocketAddress {
  /// Whether only one of two sockets can listen, because both are the same address or one is all
  /// interfaces; two whose port the kernel chooses never collide.
  fileprivate func collides(with other: SocketAddress) -> Bool {
    guard port != 0 else { return false }
    return self == other || port == other.port && port != nil && (isWildcard || other.isWildcard)
  }

  /// Whether a connection to an address surely ends here.
  fileprivate func isReached(by address: SocketAddress) -> Bool {
    self == address && port != 0 || isWildcard && forConnecting == address
  }

  private var isWildcard: Bool {
    switch self {
    case .ipv4(let bytes, _), .ipv6(let bytes, _): bytes.allSatisfy { $0 == 0 }
    case .unix: false
    }
  }
}
