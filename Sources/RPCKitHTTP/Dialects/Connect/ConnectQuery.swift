internal import RPCKit
internal import TextEncodings

/// The query of a call by GET: `connect=v1&encoding=json&message=…` (connectrpc.com/docs/protocol).
struct ConnectQuery {
  /// `proto` or `json`; nil without one.
  var encoding: String?
  /// The message as `base64` and `compression` say.
  var message: [UInt8]?
  var compression = ContentCoding.identity

  /// Reads a query; keys that are not known mean nothing, but no known one may be there twice.
  init(_ query: String) throws(RPCError) {
    var values: [String: [UInt8]] = [:]
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let key = try Self.decoded(pair[..<(equals ?? pair.endIndex)])
      let name = String(decoding: key, as: UTF8.self)
      guard Self.names.contains(name) else { continue }
      let value = equals.map { pair[pair.index(after: $0)...] }
      guard values.updateValue(try Self.decoded(value ?? ""[...].utf8), forKey: name) == nil else {
        throw .invalidQuery("key \(name) is there twice; send it once")
      }
    }
    func text(_ name: String) -> String? {
      values[name].map { String(decoding: $0, as: UTF8.self) }
    }
    guard text("connect") ?? "v1" == "v1" else {
      throw .invalidQuery("connect is a version that is not supported; send v1")
    }
    encoding = text("encoding")
    if let name = text("compression") {
      guard let coding = ContentCoding(rawValue: name) else { throw .unknownCoding(name) }
      compression = coding
    }
    message = values["message"]
    if text("base64") == "1", let encoded = message {
      guard let bytes = Base64.decode(encoded.span) else {
        throw .invalidQuery("message is not base64; encode it with the alphabet for URLs")
      }
      message = bytes
    }
  }

  private static let names: Set<String> = [
    "connect", "base64", "compression", "encoding", "message",
  ]

  /// Text without its percent signs; a plus sign is a space.
  private static func decoded(_ text: Substring.UTF8View) throws(RPCError) -> [UInt8] {
    do throws(PercentDecoding.Failure) {
      return try PercentDecoding.bytes(text, isQuery: true)
    } catch {
      throw .invalidQuery("percent sign is not followed by two hexadecimal digits")
    }
  }
}

extension RPCError {
  static func invalidQuery(_ problem: String) -> RPCError {
    RPCError(.invalidArgument, .malformedRequest, "query: \(problem)")
  }
}
