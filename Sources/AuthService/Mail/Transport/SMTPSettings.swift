internal import RPCKit
internal import ServiceKit

/// The SMTP server that mails are handed to, and how it is spoken to.
public struct SMTPSettings: Hashable, Sendable {
  /// The protection of the connection.
  public enum Encryption: String, CaseIterable, Sendable {
    /// TLS from the first byte (RFC 8314).
    case implicit
    /// TLS after STARTTLS, without which no mail is sent (RFC 3207).
    case startTLS = "starttls"
    /// Nothing; only to a server on this host.
    case none

    /// The port that servers have for it.
    var standardPort: UInt16 {
      switch self {
      case .implicit: 465
      case .startTLS: 587
      case .none: 25
      }
    }
  }

  /// The server's name or numeric address.
  public var server = ""
  /// Its port; nil for the usual one.
  public var port: UInt16?
  /// The protection of the connection.
  public var encryption = Encryption.implicit
  /// The user name to sign in with; nil for no sign-in.
  public var user: String?
  /// The file with the password of `user`.
  public var passwordFile: String?
  /// The file with the authorities (PEM) that may issue the server's certificate, instead of the system's.
  public var authorities: String?
  /// The name of this host (EHLO); nil for the domain of the sender's address.
  public var name: String?
  /// How long the server may take for one mail, in seconds.
  public var seconds: Int64 = 120
  /// Connections at a time, when many mails wait.
  public var connectionCount = 4

  /// The defaults, which name no server.
  public init() {}

  /// Takes what begins with `smtp_` out of the settings of mail.
  init(_ members: inout JSONMembers) throws(JSONDecodingError) {
    let tls = members.optional("smtp_tls")
    encryption = try tls?.choice(of: Encryption.self) ?? encryption
    if let field = members.optional("smtp_server") {
      server = try field.string()
      guard Self.isHost(server) || SocketAddress(host: server, port: 0) != nil else {
        throw field.error("\"\(server.prefix(80))\" is no name or numeric address of a server")
      }
    }
    port = try members.optional("smtp_port").map { field throws(JSONDecodingError) in
      UInt16(try field.integer(in: 1...65_535))
    }
    let user = members.optional("smtp_user")
    self.user = try user?.nonEmptyString()
    if let user, let name = self.user, !Self.isPrintable(name) {
      throw user.error("must be at most 200 bytes without control characters")
    }
    passwordFile = try members.optional("smtp_password_file")?.nonEmptyString()
    authorities = try members.optional("smtp_ca_file")?.nonEmptyString()
    if let field = members.optional("smtp_name") {
      name = try field.string()
      guard let name, Self.isHost(name) else { throw field.error("must be a host name") }
    }
    seconds = try members.optional("smtp_seconds")?.integer(in: 1...600) ?? seconds
    if let field = members.optional("smtp_connections") {
      connectionCount = Int(try field.integer(in: 1...16))
    }
    if let user, passwordFile == nil { throw user.error("needs smtp_password_file") }
    if let tls, encryption == .none, !isOnThisHost {
      throw tls.error("may be none only for a server on this host, such as localhost")
    }
  }

  /// Whether the server's name is one of this host; where it leads is looked at when connecting.
  private var isOnThisHost: Bool {
    server == "localhost"
      || SocketAddress(host: server, port: 0).map { SourceAddress.isLoopback($0) } == true
  }

  private static func isHost(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain && (1...253).contains(text.utf8.count) && !text.hasPrefix("-")
      && !text.hasPrefix(".")
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.utf8.count <= 200
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// Reads the password; nil when nobody signs in.
  ///
  /// Throws what a person can act on, without what is in the file.
  func readCredentials() throws -> CurlTransfer.Peer.Credentials? {
    guard let user, let passwordFile else { return nil }
    let bytes = try FileBytes.read(passwordFile, byteCountMax: 1024)
    // Editors end a file with a line feed.
    let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
    guard let password = String(validating: bytes[..<end], as: UTF8.self), !password.isEmpty,
      Self.isPrintable(password)
    else { throw FileError("\(passwordFile) must hold one password of at most 200 bytes") }
    return .init(user: user, password: password)
  }

  /// The server as a transfer needs it; `sender` is the address that mails come from.
  func peer(sender: String) throws -> CurlTransfer.Peer {
    let scheme = encryption == .implicit ? "smtps" : "smtp"
    let host = server.contains(":") ? "[\(server)]" : server
    let domain = sender.split(separator: "@").last.map(String.init) ?? ""
    let name = name ?? (Self.isHost(domain) ? domain : "localhost")
    return CurlTransfer.Peer(
      url: "\(scheme)://\(host):\(port ?? encryption.standardPort)/\(name)",
      scheme: scheme,
      requiresTLS: encryption != .none,
      authorities: authorities,
      credentials: try readCredentials(),
      addresses: encryption == .none ? .loopback : .any
    )
  }
}
