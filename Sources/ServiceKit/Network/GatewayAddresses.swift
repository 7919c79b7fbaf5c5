internal import RPCKit
public import StrictJSON

/// Where gateways call from: the setting `gateways`.
///
/// Addresses alone are a proof for gateways that show no secret and no certificate; networks, whose other hosts
/// would be gateways as well, only narrow where a secret counts.
public struct GatewayAddresses: Hashable, Sendable {
  /// Addresses and networks in one list, at most.
  static let countMax = 64

  private var networks: [AddressNetwork] = []
  /// The first network of more than one address, as the setting has it; nil if there is none.
  private(set) var firstNetwork: String?

  /// Nobody is revoked.
  public init() {}

  /// Reads the setting: a list of IPv4 and IPv6 addresses without ports, and of networks.
  public init(_ field: JSONField?) throws(JSONDecodingError) {
    for element in try field?.elements() ?? [] {
      guard networks.count < Self.countMax else {
        throw element.error("is one too many; \(Self.countMax) addresses are allowed")
      }
      let text = try element.string()
      guard let network = AddressNetwork(text), !network.isEverything else {
        throw element.error(
          "must be a numeric address without a port, or a network: 10.0.0.5, 10.0.0.0/8"
        )
      }
      networks.append(network)
      if !network.isOneAddress, firstNetwork == nil { firstNetwork = text }
    }
  }

  /// Whether nothing is listed.
  var isEmpty: Bool { networks.isEmpty }

  /// Whether a connection from a peer, as a transport describes it, comes from one of them.
  func contains(_ peer: String) -> Bool {
    guard let address = SocketAddress(ofPeer: peer) else { return false }
    return networks.contains { $0.contains(address) }
  }
}
