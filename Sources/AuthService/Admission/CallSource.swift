internal import RPCKit
internal import ServiceKit

/// Where a call comes from: its peer, or the client that a gateway tells of.
struct CallSource: Sendable {
  /// The key under which a trusted service tells the numeric address of its client.
  ///
  /// From everybody else it means nothing, and is not read.
  static let metadataKey = "client-address"

  /// What its attempts are counted for; nil for a peer on the same host that need not be counted.
  let counted: SourceAddress?
  /// Tells it from others; nil for a Unix socket.
  let address: SourceAddress?
  /// For the list of sessions: the network without the host.
  let network: String

  /// Finds the source of a call.
  ///
  /// A trusted service that tells nothing, or no address, stands for itself.
  init(_ call: CallContext, _ settings: SourceLimits) {
    self.init(
      peer: call.peer.address,
      told: call.metadata.values(Self.metadataKey),
      by: call.caller.service,
      settings
    )
  }

  init(peer: String, told: [String], by service: String?, _ settings: SourceLimits) {
    let isBelieved = service.map { settings.toldBy.contains($0) } ?? false
    if isBelieved, told.count == 1, let client = SocketAddress(host: told[0], port: 0) {
      address = SourceAddress(client)
      counted = address
      network = CoarseNetwork.name(of: SourceAddress.unwrapped(client).description)
      return
    }
    let peer = SourceAddress.socketAddress(ofPeer: peer)
    address = peer.flatMap { SourceAddress($0) }
    let isOwn = peer.map { SourceAddress.isLoopback($0) } ?? true
    counted = isOwn && !settings.countsLoopback ? nil : address
    network = CoarseNetwork.name(of: peer.map { SourceAddress.unwrapped($0).description } ?? "")
  }
}
