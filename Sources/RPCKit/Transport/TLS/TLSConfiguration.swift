/// How one side of TLS proves itself and whom it believes.
///
/// Certificates are always verified: a client always checks the server's chain and name, and there
/// is no setting that turns it off. TLS 1.2 and 1.3 only.
///
/// ```swift
/// let identity = TLSConfiguration.Identity(
///   certificateChain: .file("server.pem"), privateKey: .file("server.key"))
/// let server = TLSConfiguration(
///   role: .server(identity, clients: .required(roots: .file("ca.pem"))))
/// let client = TLSConfiguration(
///   role: .client(identity: nil, roots: .file("ca.pem"), expectedHost: "auth.internal"))
/// ```
public struct TLSConfiguration: Sendable, Hashable {
  /// Where PEM text comes from.
  public enum PEMSource: Sendable, Hashable {
    /// A file, read again by every reload; at most 1 MiB.
    case file(String)
    /// The text itself.
    case bytes([UInt8])
  }

  /// The identity of this side.
  public struct Identity: Sendable, Hashable {
    /// The own certificate first, then each issuer after the one it issued; the root is optional.
    public var certificateChain: PEMSource
    /// The private key of the first certificate, not encrypted.
    public var privateKey: PEMSource

    /// Makes an identity from a chain and its key.
    public init(certificateChain: PEMSource, privateKey: PEMSource) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
    }
  }

  /// The roots that a client trusts.
  public enum TrustRoots: Sendable, Hashable {
    /// The certificate authorities of the system.
    case system
    /// Only these certificate authorities.
    case pem(PEMSource)
  }

  /// The certificate that a server asks of its clients.
  ///
  /// Roots are always named: "any certificate that a public authority ever issued" is not an identity.
  public enum ClientVerification: Sendable, Hashable {
    /// No certificate is asked for.
    case none
    /// A client may have none; one that it presents must be valid.
    case optional(roots: PEMSource)
    /// Mutual TLS: a client without a valid certificate is refused.
    case required(roots: PEMSource)
  }

  /// Which side this is, with what that side needs.
  public enum Role: Sendable, Hashable {
    /// Accepts connections.
    case server(Identity, clients: ClientVerification)
    /// Opens connections. `expectedHost` is the DNS name or IP address that the server's
    /// certificate must carry; nil takes the host of the connection's target.
    case client(identity: Identity?, roots: TrustRoots, expectedHost: String?)
  }

  /// Protocol versions there are.
  public enum Version: Sendable, Hashable {
    /// TLS 1.2 (RFC 5246), with forward secrecy and AEAD ciphers only.
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13
  }

  /// Which side this is, with what that side needs.
  public var role: Role
  /// The oldest version accepted.
  public var versionMin: Version
  /// ALPN names (RFC 7301), the preferred one first; 1 to 255 bytes each.
  ///
  /// A server refuses a client that offers other names only. Peers that know nothing of ALPN are
  /// accepted, with no protocol agreed on, unless `requiresApplicationProtocol` is set.
  public var applicationProtocols: [String]
  /// Whether peers without ALPN are refused too; off, because stock ttrpc clients send none.
  public var requiresApplicationProtocol: Bool

  /// Makes a configuration; nothing is read or checked before it is used.
  public init(
    role: Role,
    versionMin: Version = .tls12,
    applicationProtocols: [String] = ["rpckit/1", "ttrpc"],
    requiresApplicationProtocol: Bool = false
  ) {
    self.role = role
    self.versionMin = versionMin
    self.applicationProtocols = applicationProtocols
    self.requiresApplicationProtocol = requiresApplicationProtocol
  }
}
