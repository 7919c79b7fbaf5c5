internal import RPCKit

/// A text that anybody may read at a path.
package struct HTTPDocument: Sendable {
  /// Where it is, beginning with a slash.
  package let path: String
  /// Its media type: `application/json`.
  package let contentType: String
  /// Its content now; asked for on the loop of each request, so it looks and does not wait, and answers with the
  /// same object as long as the content is the same.
  package let content: @Sendable () -> HTTPContent
  /// How long it may be kept without asking again (RFC 9111 section 5.2).
  package let cacheControl: String
  /// Header fields that the answer has besides.
  package let fields: HTTPFields

  /// Makes a document.
  package init(
    path: String,
    contentType: String,
    cacheControl: String = "public, max-age=300",
    fields: HTTPFields = [:],
    content: @escaping @Sendable () -> HTTPContent
  ) {
    self.path = path
    self.contentType = contentType
    self.content = content
    self.cacheControl = cacheControl
    self.fields = fields
  }

  /// Whether a client says that it has content with this tag already (RFC 9110 section 13.1.2).
  fileprivate static func isKnown(_ entityTag: String?, to head: HTTPRequestHead) -> Bool {
    guard let entityTag else { return false }
    return head.fields.values("if-none-match").contains { value in
      value.split(separator: ",").contains { member in
        var tag = member.drop { $0 == " " || $0 == "\t" }
        while tag.last == " " || tag.last == "\t" { tag.removeLast() }
        if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
        return tag == "*" || tag == "\"\(entityTag)\""
      }
    }
  }

  /// The fields that an answer with content of this tag and one without it share.
  fileprivate func sharedFields(_ entityTag: String?) -> HTTPFields {
    var shared: HTTPFields = [
      "cache-control": cacheControl, "vary": "accept-encoding",
    ]
    if let entityTag { shared.append("etag", "\"\(entityTag)\"") }
    for field in fields.fields { shared.append(field.name, field.value) }
    return shared
  }
}

/// Documents by their paths.
package struct HTTPDocuments: HTTPRoutes {
  private let documents: [String: HTTPDocument]

  /// Makes the routes of documents; of two with one path the first counts.
  package init(_ documents: [HTTPDocument]) {
    self.documents = Dictionary(documents.map { ($0.path, $0) }) { first, _ in first }
  }

  package func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    documents[arrival.head.path].map {
      HTTPDocumentExchange($0, arrival)
    }
  }
}

/// A request for a document.
private final class HTTPDocumentExchange: HTTPExchange {
  private let document: HTTPDocument

  init(_ document: HTTPDocument, _ arrival: HTTPArrival) {
    self.document = document
    super.init(arrival)
  }

  override func begin() {
    guard head.method == "GET" || head.method == "HEAD" else {
      return sendHead(
        HTTPResponseHead(status: 405, fields: ["allow": "GET, HEAD"], contentLength: 0),
        isEnd: true
      )
    }
    let content = document.content()
    let isKnown = HTTPDocument.isKnown(content.entityTag, to: head)
    // What is as good as the other is said to be the same, so that a cache of either knows it.
    let compressed =
      ContentCoding.ofResponse("accept-encoding", head.fields) == .gzip ? content.gzip : nil
    let chosen = compressed ?? content
    var fields = document.sharedFields(chosen.entityTag)
    guard !isKnown, !HTTPDocument.isKnown(chosen.entityTag, to: head) else {
      return sendHead(HTTPResponseHead(status: 304, fields: fields), isEnd: true)
    }
    guard connection.hasRoomForAnswers else { return refuseUnread() }
    fields.append("content-type", document.contentType)
    if compressed != nil { fields.append("content-encoding", ContentCoding.gzip.rawValue) }
    let answer = HTTPResponseHead(
      status: 200,
      fields: fields,
      contentLength: chosen.bytes.count
    )
    let isEmpty = chosen.bytes.isEmpty
    guard head.method == "GET" else { return sendHead(answer, isEnd: true) }
    sendHead(answer, isEnd: isEmpty)
    guard !isEmpty else { return }
    connection.sendBody(of: self, sharing: chosen)
    connection.sendEnd(of: self, trailers: [:])
  }

  /// A client that reads no answers gets no further ones, though a document takes hardly any memory.
  private func refuseUnread() {
    connection.core.observer.limitReached(.outputRoom, source: connection.source)
    sendHead(
      HTTPResponseHead(
        status: 503,
        fields: ["retry-after": "1", "cache-control": "no-store"],
        contentLength: 0
      ),
      isEnd: true
    )
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) { sendConnectError(error, metadata) }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
  }
}
