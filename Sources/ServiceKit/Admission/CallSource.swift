package import RPCKit

/// Where a call comes from: its peer, or the client that a gateway or a proxy tells of.
package struct CallSource: Sendable {
  /// The key under which a trusted service tells the numeric address of its client.
  ///
  /// From everybody else it means nothing, and is not read.
  package static let metadataKey = "client-address"

  /// The address its attempts are counted for; nil for a peer on the same host that need not be counted.
  package let counted: SourceAddress?
  /// Tells it from others; nil for a Unix socket.
  package let address: SourceAddress?
  /// The whole address, for who must name it; nil for a Unix socket.
  package let socketAddress: SocketAddress?

  /// Finds the source of a call.
  ///
  /// A trusted service that tells nothing, or no address, stands for itself. Peers on the same host
  /// are counted only if the rules say so: they are gateways and tools. Behind a Unix socket, where
  /// there is no address, it is then the user of the process that is counted. A call that a trusted proxy
  /// makes for a client is always counted, for the proxy if its client is not known.
  package init(_ call: CallContext, _ rules: SourceRules) {
    self.init(
      peer: call.peer.address,
      user: call.peer.source,
      told: call.metadata.values(Self.metadataKey),
      by: call.caller.service,
      forwarded: call.forwardedClient,
      rules
    )
  }

  package init(
    peer: String,
    user: String = "",
    told: [String],
    by service: String?,
    forwarded: ForwardedClient? = nil,
    _ rules: SourceRules
  ) {
    let isTrusted = service.map { rules.trustedProxies.contains($0) } ?? false
    let toldAddress =
      isTrusted && told.count == 1 ? SocketAddress(host: told[0], port: 0) : nil
    if let client = toldAddress ?? forwarded?.address {
      address = SourceAddress(client)
      counted = address
      socketAddress = SourceAddress.unwrapped(client)
      return
    }
    let peer = SocketAddress(ofPeer: peer)
    address = peer.flatMap { SourceAddress($0) }
    let isOwn = forwarded == nil && (peer.map { SourceAddress.isLoopback($0) } ?? true)
    let source = address ?? SourceAddress(unixPeer: user)
    counted = isOwn && !rules.countsLoopback ? nil : source
    socketAddress = peer.map { SourceAddress.unwrapped($0) }
  }
}
