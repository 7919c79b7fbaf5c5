/// What the header says, as far as it matters here; all other fields are checked and forgotten.
public struct HTTPHeaderFields: Sendable {
  private var hasHost = false
  private var hasContentLength = false
  private var saysClose = false
  private var accept = ""

  init() {}

  /// Takes one header line (RFC 9112, section 5).
  mutating func add(line: [UInt8]) throws(HTTPRejection) {
    // A line that starts with a blank continues the one before, which is obsolete and refused; it
    // fails here because a blank is not part of a name.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(HTTPToken.contains)
    else { throw .badRequest }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    let value = Self.trimmed(line[(colon + 1)...])
    switch name {
    case "host":
      guard !hasHost else { throw .badRequest }
      hasHost = true
    case "content-length":
      guard !hasContentLength, !value.isEmpty,
        value.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
      else { throw .badRequest }
      guard value.allSatisfy({ $0 == UInt8(ascii: "0") }) else { throw .bodyNotAllowed }
      hasContentLength = true
    case "transfer-encoding":
      throw .badRequest
    case "connection":
      for option in value.split(separator: UInt8(ascii: ",")) {
        let option = String(decoding: Self.trimmed(option), as: UTF8.self).lowercased()
        if option == "close" { saysClose = true }
      }
    case "accept":
      accept += (accept.isEmpty ? "" : ",") + String(decoding: value, as: UTF8.self)
    default: break
    }
  }

  /// The request, once the header is complete.
  func request(_ start: HTTPRequestStart) throws(HTTPRejection) -> HTTPRequest {
    // RFC 9112, section 3.2: one Host in 1.1, or 400.
    guard hasHost || !start.isVersion11 else { throw .badRequest }
    return HTTPRequest(
      method: start.method,
      path: start.path,
      query: start.query,
      accept: accept,
      isKeepAlive: start.isVersion11 && !saysClose
    )
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = value.firstIndex(where: { !isBlank($0) }),
      let last = value.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return value[first...last]
  }
}
