/// Why TLS could not be set up, or why a session ended.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Reason: Sendable, Hashable {
    /// A file is missing, not readable, or far too large to be a certificate.
    case unreadableFile
    /// Certificates or keys do not parse, or the file ends in the middle of one.
    case malformedPEM
    /// A certificate in the chain was not issued by the one that follows it.
    case inconsistentChain
    /// The private key does not belong to the certificate.
    case keyMismatch
    /// OpenSSL refuses a certificate, key or setting, for example an RSA key of 1024 bits.
    case refusedBySecurityLevel
    /// No name to verify the server by, or one that is neither a host name nor an IP address.
    case invalidHost
    /// The handshake or the record layer failed.
    case protocolFailure
  }

  /// The kind of failure.
  public var reason: Reason
  /// For the log: what was tried and what OpenSSL said.
  ///
  /// Holds no key material; never sent to a peer.
  public var description: String

  /// Makes an error.
  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
