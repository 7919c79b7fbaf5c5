/// The client for whom a proxy makes a call, as a proxy that is believed tells it.
///
/// An object, so that a call without one holds no more than a null pointer for it.
package final class ForwardedClient: Sendable {
  /// Its address, the port 0 if it was not given; nil when the proxy's field cannot be read.
  package let address: SocketAddress?
  /// The source it is counted by, as `Peer.source`; the proxy's own source when its address is not known.
  package let source: String

  /// A client that is known.
  package init(_ address: SocketAddress) {
    self.address = address
    source = address.source
  }

  /// A client of which nothing is known but the proxy that makes its call.
  package init(unknownBehind proxy: Peer) {
    address = nil
    source = proxy.source
  }
}
