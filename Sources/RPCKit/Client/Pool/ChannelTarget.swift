/// Where a channel's server is: one or more endpoints, each an address or a name with several.
public struct ChannelTarget: Hashable, Sendable {
  /// One place to connect to.
  public struct Endpoint: Hashable, Sendable {
    /// How to find it.
    public enum Place: Hashable, Sendable {
      /// Known already.
      case address(SocketAddress)
      /// To be resolved, again after each failure.
      case name(host: String, port: UInt16)
    }

    /// How to find it.
    public var place: Place
    /// The name that the server's certificate must carry, if TLS is wanted.
    public var tlsHost: String?

    /// Makes an endpoint.
    public init(_ place: Place, tlsHost: String? = nil) {
      self.place = place
      self.tlsHost = tlsHost
    }
  }

  /// All endpoints, equal in rank.
  public var endpoints: [Endpoint]

  /// Makes a target of known addresses, without TLS.
  public init(addresses: [SocketAddress]) {
    endpoints = addresses.map { Endpoint(.address($0)) }
  }

  /// Parses `tcp://host:port`, `tls://host:port` and `unix:///path`, several separated by commas;
  /// an entry without a scheme has that of the one before it.
  ///
  /// IPv6 addresses stand in brackets.
  public init(_ text: String) throws(ChannelTargetError) {
    endpoints = []
    var scheme: Substring = ""
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      var rest = part
      if let separator = part.firstRange(of: "://") {
        scheme = part[..<separator.lowerBound]
        rest = part[separator.upperBound...]
      }
      endpoints.append(try Self.endpoint(scheme, rest, in: part))
    }
  }

  private static func endpoint(
    _ scheme: Substring,
    _ rest: Substring,
    in part: Substring
  ) throws(ChannelTargetError) -> Endpoint {
    switch scheme {
    case "unix":
      guard rest.hasPrefix("/"), rest.utf8.count <= SocketAddress.unixPathByteCountMax else {
        throw ChannelTargetError(
          "\(part): a Unix socket needs an absolute path of at most "
            + "\(SocketAddress.unixPathByteCountMax) bytes"
        )
      }
      return Endpoint(.address(.unix(path: String(rest))))
    case "tcp", "tls":
      let (host, port) = try hostAndPort(rest, in: part)
      let place: Endpoint.Place =
        SocketAddress(host: host, port: port).map { .address($0) } ?? .name(host: host, port: port)
      return Endpoint(place, tlsHost: scheme == "tls" ? host : nil)
    default:
      throw ChannelTargetError("\(part): the scheme must be tcp, tls or unix")
    }
  }

  private static func hostAndPort(
    _ text: Substring,
    in part: Substring
  ) throws(ChannelTargetError) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]), port != 0
    else { throw ChannelTargetError("\(part): a port from 1 to 65535 must follow the host") }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw ChannelTargetError("\(part): an IPv6 address must stand in brackets")
    }
    guard !host.isEmpty else { throw ChannelTargetError("\(part): the host is missing") }
    return (String(host), port)
  }
}

/// Why a text is not a target.
public struct ChannelTargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, with the part of the text that has it.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}
