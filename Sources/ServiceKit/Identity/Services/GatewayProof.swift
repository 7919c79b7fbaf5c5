internal import RPCKit

/// How a gateway proves to be the service `gateway` where it has no certificate: by a secret, by the address of
/// its connection, or by both.
///
/// Counts only for methods whose contract names the service `gateway`: no gateway becomes a service for all others.
public final class GatewayProof: Sendable {
  /// The name of gateways where services are named.
  public static let service = "gateway"

  private let addresses: GatewayAddresses
  private let secrets: Lock<GatewaySecrets?>

  /// Makes a proof; with secrets, an address alone proves nothing.
  public init(_ addresses: GatewayAddresses = GatewayAddresses(), secrets: GatewaySecrets? = nil) {
    self.addresses = addresses
    self.secrets = Lock(secrets)
  }

  /// Believes other secrets from now on.
  func replaceSecrets(_ secrets: GatewaySecrets) { self.secrets.withLock { $0 = secrets } }

  /// Whether a call that shows nothing for a service comes from a gateway, and may be made by one.
  ///
  /// A call that shows a user's token was passed on for the user, and counts as the user's alone: gateways do
  /// not lend their rights to those behind them.
  func admits(_ call: CallContext) -> Bool {
    guard !addresses.isEmpty, call.callingServices.contains(Self.service),
      call.metadata[CredentialMetadata.user] == nil, secrets.withLock({ $0 == nil })
    else { return false }
    // The peer and not the client of a proxy: it is the gateway that asks.
    return addresses.contains(call.peer.address)
  }

  /// Whether a credential is a secret of a gateway's, right or wrong, and not a service's token.
  static func isSecret(_ token: BearerToken) -> Bool {
    // Each call of a service comes by here, so the text is not copied.
    token.withBytes { bytes in
      let prefix = GatewaySecrets.prefix.utf8.span
      guard bytes.count > prefix.count else { return false }
      return prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
    }
  }

  /// Whether a peer that shows a secret is a gateway.
  ///
  /// Nobody is one for the sake of a user behind it: such a call counts as the user's alone.
  func verifies(_ token: BearerToken, from peer: String) -> Bool {
    guard addresses.isEmpty || addresses.contains(peer) else { return false }
    return secrets.withLock { $0?.contain(token.text) ?? false }
  }
}
