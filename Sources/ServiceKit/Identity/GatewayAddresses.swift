internal import RPCKit
public import StrictJSON

/// Addresses whose calls are believed to be a gateway's, without another proof.
///
/// For gateways that can show no certificate of their own and sign nothing. Counts only for methods whose
/// contract names the service `gateway`: nobody at such an address becomes a service for all others.
public struct GatewayAddresses: Hashable, Sendable {
  /// What a gateway is called where services are named.
  public static let service = "gateway"
  /// Addresses in one list, at most.
  static let countMax = 64

  private var hosts: Set<[UInt8]> = []

  /// Nobody.
  public init() {}

  /// Reads the setting: a list of IPv4 and IPv6 addresses, without ports.
  public init(_ field: JSONField?) throws(JSONDecodingError) {
    for element in try field?.elements() ?? [] {
      guard hosts.count < Self.countMax else {
        throw element.error("is one too many; \(Self.countMax) addresses are allowed")
      }
      guard let address = SocketAddress(host: try element.string(), port: 0),
        let host = Self.host(of: address)
      else { throw element.error("must be a numeric address without a port, for example 10.0.0.5") }
      hosts.insert(host)
    }
  }

  /// Whether a call comes from a gateway, and may be made by one without another proof.
  ///
  /// A call that shows a user's token was passed on for the user, and counts as the user's alone: gateways do
  /// not lend their rights to those behind them.
  func admit(_ call: CallContext) -> Bool {
    guard !hosts.isEmpty, call.callingServices.contains(Self.service),
      call.metadata[CredentialMetadata.user] == nil
    else { return false }
    // The peer and not the client of a proxy: it is the gateway that asks.
    let peer = SocketAddress(ofPeer: call.peer.address)
    return peer.flatMap(Self.host).map { hosts.contains($0) } ?? false
  }

  /// The whole address: what is counted for limits, a prefix, would let its neighbours in as well.
  private static func host(of address: SocketAddress) -> [UInt8]? {
    switch SourceAddress.unwrapped(address) {
    case .ipv4(let bytes, _), .ipv6(let bytes, _): bytes
    case .unix: nil
    }
  }
}
