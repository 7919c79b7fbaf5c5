package import RPCKit

/// A text that anybody may read at a path.
package struct HTTPDocument: Sendable {
  /// Where it is, beginning with a slash.
  package let path: String
  /// Its media type: `application/json`.
  package let contentType: String
  /// Its content now; asked for on the loop of each request, so it looks and does not wait.
  package let content: @Sendable () -> [UInt8]
  /// Seconds for which it may be kept without asking again.
  package let ageMax: Int
  /// What tells its content from any other, without the quotes (RFC 9110 section 8.8.3); nil if it may change.
  package let entityTag: String?
  /// Header fields that the answer has besides.
  package let fields: HTTPFields

  /// Makes a document.
  package init(
    path: String,
    contentType: String,
    ageMax: Int = 300,
    entityTag: String? = nil,
    fields: HTTPFields = [:],
    content: @escaping @Sendable () -> [UInt8]
  ) {
    self.path = path
    self.contentType = contentType
    self.content = content
    self.ageMax = ageMax
    self.entityTag = entityTag
    self.fields = fields
  }

  /// Whether a client says that it has the content already (RFC 9110 section 13.1.2).
  fileprivate func isKnown(to head: HTTPRequestHead) -> Bool {
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

  /// The fields that an answer with the content and one without it share.
  fileprivate var sharedFields: HTTPFields {
    var shared: HTTPFields = ["cache-control": "public, max-age=\(ageMax)"]
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

  package func makeExchange(
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection
  ) -> HTTPExchange? {
    documents[head.path].map {
      HTTPDocumentExchange($0, head, id: id, received: received, on: connection)
    }
  }
}

/// A request for a document.
private final class HTTPDocumentExchange: HTTPExchange {
  private let document: HTTPDocument

  init(
    _ document: HTTPDocument,
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection
  ) {
    self.document = document
    super.init(head, id: id, received: received, on: connection)
  }

  override func begin() {
    guard head.method == "GET" || head.method == "HEAD" else {
      return sendHead(
        HTTPResponseHead(status: 405, fields: ["allow": "GET, HEAD", "content-length": "0"]),
        isEnd: true
      )
    }
    var fields = document.sharedFields
    guard !document.isKnown(to: head) else {
      return sendHead(HTTPResponseHead(status: 304, fields: fields), isEnd: true)
    }
    guard connection.hasRoomForAnswers else { return refuseUnread() }
    let content = document.content()
    fields.append("content-type", document.contentType)
    fields.append("content-length", String(content.count))
    let answer = HTTPResponseHead(status: 200, fields: fields)
    guard head.method == "GET" else { return sendHead(answer, isEnd: true) }
    sendHead(answer, isEnd: content.isEmpty)
    guard !content.isEmpty else { return }
    connection.sendBody(of: self) { $0.append(content.span) }
    connection.sendEnd(of: self, trailers: [:])
  }

  /// Documents go out in one piece, so those that wait count like the answers of calls.
  private func refuseUnread() {
    connection.core.observer.limitReached(.outputRoom, source: connection.source)
    sendHead(
      HTTPResponseHead(
        status: 503,
        fields: ["retry-after": "1", "cache-control": "no-store", "content-length": "0"]
      ),
      isEnd: true
    )
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) { sendConnectError(error, metadata) }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
  }
}
