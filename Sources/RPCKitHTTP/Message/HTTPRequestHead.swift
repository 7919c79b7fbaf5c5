/// A request without its content: what a client asks for, however the wire below spells it.
///
/// A class: it goes through many hands, and each copy of a structure would retain all of its texts. A connection uses
/// that of its last request again for one that is the same byte by byte (`RecentFields`).
package final class HTTPRequestHead: Sendable {
  /// The protocol that a request came by.
  package enum Version: Hashable, Sendable, Comparable {
    /// HTTP/1.0, which has neither chunks nor trailers.
    case http1_0
    /// HTTP/1.1.
    case http1_1
    /// HTTP/2.
    case http2
  }

  /// The methods that some resource may have; `CONNECT` and `TRACE` none has.
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// `GET`, `POST`; as it came, since methods are compared with their case (RFC 9110 section 9.1).
  package let method: String
  /// The target up to the question mark, as it came: nothing is decoded.
  ///
  /// Begins with a slash, or is `*`.
  package let path: String
  /// The target behind the question mark, as it came; nil without one.
  package let query: String?
  /// Host and port as the client named them; empty if it did not.
  package let authority: String
  /// The header fields, without pseudo-header fields and without `host`.
  package let fields: HTTPFields
  /// The protocol that it came by.
  package let version: Version

  /// Makes a head of its parts.
  package init(
    method: String,
    path: String,
    query: String? = nil,
    authority: String = "",
    fields: HTTPFields = [:],
    version: Version
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.authority = authority
    self.fields = fields
    self.version = version
  }

  /// The memory, about.
  var byteCount: Int {
    method.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + authority.utf8.count
      + fields.byteCount
  }
}

extension HTTPRequestHead: Hashable {
  package static func == (a: HTTPRequestHead, b: HTTPRequestHead) -> Bool {
    a.method == b.method && a.path == b.path && a.query == b.query && a.authority == b.authority
      && a.fields == b.fields && a.version == b.version
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(path)
    hasher.combine(query)
    hasher.combine(fields)
  }
}

/// An answer without its content.
package struct HTTPResponseHead: Hashable, Sendable {
  /// The status code: 200 to 599, as interim answers are the wire's business.
  package var status: Int
  /// Header fields in front of `fields`, which other answers have too; nil for none.
  package var common: CommonFields?
  /// The header fields that only this answer has.
  ///
  /// What frames the content (`content-length`, `transfer-encoding`, `connection`) and `date` are the wire's business.
  package var fields: HTTPFields
  /// Bytes of content; nil if the wire is to find them out, or to send none.
  package var contentLength: Int?

  /// Makes a head of its parts.
  package init(
    status: Int,
    common: CommonFields? = nil,
    fields: HTTPFields = [:],
    contentLength: Int? = nil
  ) {
    self.status = status
    self.common = common
    self.fields = fields
    self.contentLength = contentLength
  }
}
