package import RPCKitHTTP
internal import RPCKit
internal import StrictJSON
internal import TextEncodings

extension ServiceSettings {
  /// The protocols beside frames on the addresses that a service listens at.
  public struct HTTP: Hashable, Sendable {
    /// HTTP/1.1 and HTTP/1.0.
    public var http1 = true
    /// HTTP/2.
    public var http2 = true
    /// gRPC, which needs HTTP/2.
    public var grpc = true
    /// gRPC-Web, for browsers.
    public var grpcWeb = true
    /// Connect.
    public var connect = true
    /// The paths below `/api/`, and the documents that describe them.
    public var rest = true
    /// Telling tools like grpcurl what is served, on every wire; off, because anybody may ask (decision 0161).
    public var reflection = false
    /// The folder with Swagger UI, for a page on which people try the API; nil for no page.
    public var apiViewer: String?
    /// Web pages of these origins may call from browsers: `https://app.example.com`.
    public var origins: [String] = []
    /// Proxies that are believed about the clients of requests.
    package var trustedProxies = TrustedProxies()

    /// The defaults: everything, and no web pages.
    public init() {}

    /// Whether nothing but frames is spoken.
    var isOff: Bool { !http1 && !http2 }

    /// Reads the setting: an object, or `false` to speak nothing but frames.
    init(_ field: JSONField?) throws(JSONDecodingError) {
      guard let field else { return }
      guard field.value != false else {
        (http1, http2) = (false, false)
        return
      }
      var members = try field.members()
      for (name, path) in [
        ("http1", \HTTP.http1), ("http2", \HTTP.http2), ("grpc", \HTTP.grpc),
        ("grpc_web", \HTTP.grpcWeb), ("connect", \HTTP.connect), ("rest", \HTTP.rest),
        ("reflection", \HTTP.reflection),
      ] as [(String, WritableKeyPath<HTTP, Bool>)] {
        guard let field = members.optional(name) else { continue }
        self[keyPath: path] = try field.boolean()
      }
      if let field = members.optional("api_viewer") {
        guard rest else { throw field.error("needs http.rest; switch that on, or leave this out") }
        apiViewer = try field.nonEmptyString()
      }
      trustedProxies = try Self.trustedProxies(&members)
      for origin in try members.optional("origins")?.elements() ?? [] {
        guard origins.count < 64 else {
          throw origin.error("is one too many; 64 origins are allowed")
        }
        origins.append(try Self.origin(origin))
      }
      try members.finish()
    }

    /// Takes `trusted_proxies` and `client_address_header` out of `members`.
    private static func trustedProxies(
      _ members: inout JSONMembers
    ) throws(JSONDecodingError) -> TrustedProxies {
      var proxies = TrustedProxies()
      for element in try members.optional("trusted_proxies")?.elements() ?? [] {
        let text = try element.string()
        guard proxies.networks.count < 64 else {
          throw element.error("is one too many; 64 addresses and networks are allowed")
        }
        guard text != "unix" else {
          proxies.includesUnixSockets = true
          continue
        }
        guard let network = AddressNetwork(text) else {
          throw element.error(
            "must be a numeric address, a network without bits behind its prefix, or \"unix\", for example "
              + "\"10.0.0.0/8\""
          )
        }
        guard !network.isEverything else {
          throw element.error("would believe everybody; name the networks of the proxies")
        }
        proxies.networks.append(network)
      }
      guard let field = members.optional("client_address_header") else { return proxies }
      guard let name = TrustedProxies.Field(rawValue: try field.string()) else {
        throw field.error("must be \"x-forwarded-for\" or \"forwarded\"")
      }
      proxies.field = name
      return proxies
    }

    /// An origin as browsers send it (RFC 6454 section 6.2): a scheme, a host in lower case, a port unless it is
    /// the scheme's own, and nothing behind that.
    private static func origin(_ field: JSONField) throws(JSONDecodingError) -> String {
      let text = try field.string()
      let host = ["https://", "http://"].first { text.hasPrefix($0) }.map {
        text.dropFirst($0.count)
      }
      guard let host, !host.isEmpty, text.utf8.count <= 256,
        host.utf8.allSatisfy({ isOfOrigin($0) })
      else {
        throw field.error(
          "must be an origin in lower case without a path, for example \"https://app.example.com\""
        )
      }
      return text
    }

    private static func isOfOrigin(_ byte: UInt8) -> Bool {
      byte.isASCIILowercase || byte.isASCIIDigit || "-.:[]".utf8.contains(byte)
    }
  }
}
