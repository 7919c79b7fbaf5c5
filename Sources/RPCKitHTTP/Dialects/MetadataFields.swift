internal import RPCKit
internal import TextEncodings

/// Metadata of calls as header fields, and back.
///
/// A name that ends in `-bin` has bytes for its value: base64 in the field, and base64 without padding in
/// `Metadata`, whose values are text (grpc/grpc doc/PROTOCOL-HTTP2.md).
extension Metadata {
  /// Takes the metadata out of a request: all fields but those that belong to HTTP or to the way in which
  /// the call is put into it.
  ///
  /// Throws `malformed` for what should be base64 and is not.
  init(request fields: HTTPFields, malformed: StatusCode) throws(RPCError) {
    self.init()
    reserveCapacity(fields.fields.count)
    for field in fields.fields where !MetadataNames.isReserved(field.name) {
      guard field.name.hasSuffix("-bin") else {
        appendReceived(key: field.name, value: field.value)
        continue
      }
      for part in field.value.utf8.split(separator: UInt8(ascii: ",")) {
        let text = part.drop { $0 == UInt8(ascii: " ") }
        guard let bytes = Base64.decode(Array(text).span) else {
          throw RPCError(
            malformed,
            .malformedRequest,
            "metadata \(field.name.prefix(64)) is not base64; encode the bytes of names that end in -bin"
          )
        }
        append(field.name, Base64.encode(bytes.span, isPadded: false))
      }
    }
  }

  /// Calls `body` with each pair that can be a field of an answer.
  ///
  /// What cannot be one is left out, because an answer should not be lost for something beside it: names
  /// that are no field names or belong to others, and values that are not visible ASCII.
  func forEachResponseField(_ body: (_ name: String, _ value: String) -> Void) {
    for entry in entries {
      guard MetadataNames.isToken(entry.key), !MetadataNames.isReserved(entry.key) else { continue }
      if entry.key.hasSuffix("-bin") {
        guard let bytes = Base64.decode(entry.value.utf8.span) else { continue }
        body(entry.key, Base64.encode(bytes.span, isPadded: false))
      } else if entry.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
        body(entry.key, entry.value)
      }
    }
  }
}

/// Which names of fields are no metadata.
enum MetadataNames {
  /// By which a browser says whether a page of the same origin asks, which a handler may want to know.
  private static let fetchSite = "sec-fetch-site"

  /// Asked of every field of every request, so it looks at the first letter before anything else.
  static func isReserved(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: ":"): true
    case UInt8(ascii: "a"):
      name == "accept" || name == "accept-encoding" || name.hasPrefix("access-control-")
    case UInt8(ascii: "c"):
      name == "content-type" || name == "content-length" || name == "content-encoding"
        || name == "connection" || name.hasPrefix("connect-")
    case UInt8(ascii: "d"): name == "date"
    case UInt8(ascii: "e"): name == "expect"
    case UInt8(ascii: "g"): name.hasPrefix("grpc-")
    case UInt8(ascii: "h"): name == "host" || name == "http2-settings"
    case UInt8(ascii: "k"): name == "keep-alive"
    case UInt8(ascii: "p"): name == "proxy-connection"
    case UInt8(ascii: "s"): name.hasPrefix("sec-") && name != fetchSite
    case UInt8(ascii: "t"):
      name == "te" || name == "trailer" || name == "transfer-encoding" || name.hasPrefix("trailer-")
    case UInt8(ascii: "u"): name == "upgrade"
    default: false
    }
  }

  /// Whether a text is the name of a field in lower case (RFC 9110 section 5.6.2, RFC 9113 section 8.2.1).
  static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        HTTP1Syntax.isToken(byte) && !byte.isASCIIUppercase
      }
  }
}
