/// A connected byte stream that belongs to one event loop: a socket, TLS over one, or memory.
///
/// All members are loop only. A transport tells its receiver at most once that it closed, and
/// nothing after that.
public protocol Transport: AnyObject {
  /// The loop that owns this stream.
  var loop: any EventLoop { get }

  /// The peer at the other end, as far as the transport can prove it.
  var peer: Peer { get }

  /// Starts delivering to `receiver`, which the transport keeps alive until it closes.
  func start(_ receiver: any TransportReceiver)

  /// Delivers to `receiver` from now on, and to the one before it no more.
  ///
  /// For a receiver that has found out who should have the stream, also during one of its callbacks.
  func handOver(to receiver: any TransportReceiver)

  /// Takes bytes from the front of `output`, as many as the stream accepts now.
  ///
  /// When bytes are left, `transportBecameWritable` follows as soon as there is room. Failure is
  /// reported through `transportClosed`, never from inside this call.
  func write(from output: inout ByteBuffer)

  /// Stops or resumes reading. Off means that the peer is pushed back by the stream itself.
  func setReading(_ isReading: Bool)

  /// Notes that the client has shown who it is: the loop no longer lets it wait for others.
  func noteKnown()

  /// Bytes that were taken by `write` and that the other end is not known to have.
  var unacknowledgedByteCount: Int { get }

  /// Sends the end of stream after what was written; reading continues.
  func closeOutput()

  /// Closes both directions at once. `transportClosed(nil)` follows, not from inside this call.
  func close()
}

extension Transport {
  /// For streams that hand over at once what they take.
  public var unacknowledgedByteCount: Int { 0 }

  /// For streams that never wait for others.
  public func noteKnown() {}
}

/// The receiver of a transport's events.
///
/// All members are loop only.
public protocol TransportReceiver: AnyObject {
  /// The stream is usable: connected, and past the handshake where there is one.
  func transportConnected()

  /// Bytes arrived. They are gone when the call returns.
  func transportReceived(_ bytes: Span<UInt8>)

  /// The peer sent its end of stream; writing is still possible.
  func transportReceivedEnd()

  /// There is room again after a write that left bytes.
  func transportBecameWritable()

  /// The stream is closed; nil means that this side asked for it or both ends finished.
  func transportClosed(_ error: TransportError?)
}

/// Why a stream ended without being asked to.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Reason: Sendable, Hashable {
    /// The connection could not be made.
    case connectFailed
    /// It was made and then lost.
    case connectionLost
    /// The TLS handshake or record layer refused the peer.
    case tlsFailed
    /// The handshake did not finish in time.
    case handshakeTimedOut
  }

  /// The kind of failure.
  public var reason: Reason
  /// For the log: which call failed and how.
  ///
  /// Never sent to a peer.
  public var description: String

  /// Makes an error.
  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// The same error, with the address that it happened with in front.
  func at(_ address: String) -> TransportError {
    guard !description.hasPrefix("\(address): ") else { return self }
    return TransportError(reason, "\(address): \(description)")
  }
}

/// The peer at the other end of a transport.
public struct Peer: Sendable, Hashable {
  /// Printable address: `127.0.0.1:4040`, `unix`.
  public var address: String
  /// The source its connections are counted by: `127.0.0.1`, `2001:db8::/64`, `unix:uid=1000`.
  public var source: String
  /// The identity from the client or server certificate that was verified, if TLS gave one.
  public var certificate: PeerCertificate?
  /// The protocol that ALPN agreed on.
  public var applicationProtocol: String?

  /// Makes a peer description; a peer without a source is one of its own.
  public init(
    address: String,
    source: String? = nil,
    certificate: PeerCertificate? = nil,
    applicationProtocol: String? = nil
  ) {
    self.address = address
    self.source = source ?? address
    self.certificate = certificate
    self.applicationProtocol = applicationProtocol
  }
}

/// The holder's names in a verified certificate.
public struct PeerCertificate: Sendable, Hashable {
  /// Subject alternative names of type DNS.
  public var dnsNames: [String]
  /// Subject alternative names of type URI (`spiffe://…`).
  public var uris: [String]
  /// SHA-256 of the DER encoding.
  public var fingerprint: [UInt8]

  /// Makes a certificate description.
  public init(dnsNames: [String], uris: [String], fingerprint: [UInt8]) {
    self.dnsNames = dnsNames
    self.uris = uris
    self.fingerprint = fingerprint
  }
}
