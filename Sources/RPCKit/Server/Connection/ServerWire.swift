/// A protocol that a server speaks beside the framed one on the same port.
///
/// A connection over TLS is distinguished by the protocol that ALPN agreed on (RFC 7301), every other by its
/// first bytes.
package protocol ServerWire: Sendable {
  /// The names by which ALPN knows it; none of them is one of another wire.
  var applicationProtocols: [String] { get }

  /// Whether a connection that begins with these bytes, which are at least one, is of this wire.
  func recognition(of first: Span<UInt8>) -> WireRecognition

  /// Makes the connection that serves a stream which is in use already, and which it does not start.
  ///
  /// It is notified immediately that the stream is connected, and then what was received until now, which is
  /// `first`; nothing after a choice by ALPN. Loop only.
  func makeConnection(
    over transport: any Transport,
    _ first: Span<UInt8>,
    core: ServerCore,
    resources: LoopResources
  ) -> any ServedConnection
}

/// The recognition of a wire by the first bytes of a connection.
package enum WireRecognition: Hashable, Sendable {
  /// It is of this wire.
  case recognized
  /// It is not, whatever follows.
  case other
  /// More bytes will tell. Never after `UndecidedConnection.byteCountMax` bytes.
  case undecided
}
