internal import RPCKit
internal import StrictJSON
internal import TextEncodings

extension ServiceSettings {
  /// Where spans are sent, and of which calls.
  public struct Traces: Hashable, Sendable {
    /// The collector's URL for spans, with its path: `http://127.0.0.1:4318/v1/traces`.
    public var endpoint: String
    /// How many of the calls that nobody has decided about are traced, from 0 to 1.
    public var sampleRatio = 1.0
    /// The file with the authorities (PEM) that may issue the collector's certificate, instead of the system's.
    public var authorities: String?
    /// The file with fields of the header that the collector wants, such as a token.
    public var headersFile: String?

    /// Reads the setting; nil without an endpoint.
    static func read(_ field: JSONField?) throws(JSONDecodingError) -> Traces? {
      guard let field else { return nil }
      var members = try field.members()
      var traces = Traces(endpoint: "")
      let endpoint = members.optional("endpoint")
      if let endpoint { traces.endpoint = try Self.endpoint(endpoint) }
      if let ratio = members.optional("sample_ratio") { traces.sampleRatio = try Self.ratio(ratio) }
      traces.authorities = try members.optional("ca_file")?.nonEmptyString()
      let headers = members.optional("headers_file")
      traces.headersFile = try headers?.nonEmptyString()
      try members.finish()
      if let headers, endpoint != nil, !traces.keepsSecrets {
        throw headers.error("needs an endpoint with https, or one on this host")
      }
      return endpoint == nil ? nil : traces
    }

    private static func endpoint(_ field: JSONField) throws(JSONDecodingError) -> String {
      let text = try field.string()
      let path = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      guard HTTPFetch.isURL(text, allowsPlaintext: true), path.count == 4, !path[3].isEmpty else {
        throw field.error(
          "must be a URL with a path and without user, password and fragment, for example "
            + "\"http://127.0.0.1:4318/v1/traces\""
        )
      }
      return text
    }

    private static func ratio(_ field: JSONField) throws(JSONDecodingError) -> Double {
      guard let ratio = field.value.number?.double, (0...1).contains(ratio) else {
        throw field.error("must be a number from 0 to 1")
      }
      return ratio
    }

    /// Whether nobody on the way can read what is sent: it is encrypted, or stays on this host.
    private var keepsSecrets: Bool {
      guard endpoint.hasPrefix("http://") else { return true }
      let authority = endpoint.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
      let host = authority.hasPrefix("[::1]") ? "[::1]" : authority.prefix { $0 != ":" }
      return ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Where the endpoint's name may lead.
    var addresses: AddressRule {
      endpoint.hasPrefix("http://") && headersFile != nil ? .loopback : .any
    }

    /// Fields that make a request what it is.
    private static let reserved: Set = [
      "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te",
      "transfer-encoding", "upgrade",
    ]

    /// Reads the fields of the header: a line `name: value` for each, at most 16.
    ///
    /// Throws with the path and the line, and without what stands there.
    func headers() throws -> [HTTPFetch.Field] {
      guard let headersFile else { return [] }
      let text = String(
        decoding: try FileBytes.read(headersFile, byteCountMax: 16 << 10),
        as: UTF8.self
      )
      var fields: [HTTPFetch.Field] = []
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where !line.isEmpty {
        guard fields.count < 16, let field = Self.header(line) else {
          throw FileError(
            "\(headersFile): line \(index + 1) must be a field like `authorization: Bearer …`, one of at "
              + "most 16, and not one that HTTP itself needs"
          )
        }
        fields.append(field)
      }
      return fields
    }

    private static func header(_ line: Substring) -> HTTPFetch.Field? {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      let isName = name.utf8.allSatisfy { byte in
        byte.isASCIILowercase || byte.isASCIIDigit || "-_".utf8.contains(byte)
      }
      guard isName, (1...64).contains(name.utf8.count), !reserved.contains(name),
        (1...4096).contains(value.utf8.count), value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
      else { return nil }
      return HTTPFetch.Field(name: name, value: String(value))
    }
  }
}
