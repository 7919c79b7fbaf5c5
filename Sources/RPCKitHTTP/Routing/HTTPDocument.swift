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

  /// Makes a document.
  package init(
    path: String,
    contentType: String,
    ageMax: Int = 300,
    content: @escaping @Sendable () -> [UInt8]
  ) {
    self.path = path
    self.contentType = contentType
    self.content = content
    self.ageMax = ageMax
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
    let content = document.content()
    let answer = HTTPResponseHead(
      status: 200,
      fields: [
        "content-type": document.contentType,
        "cache-control": "public, max-age=\(document.ageMax)",
        "content-length": String(content.count),
      ]
    )
    guard head.method == "GET" else { return sendHead(answer, isEnd: true) }
    sendHead(answer, isEnd: content.isEmpty)
    guard !content.isEmpty else { return }
    connection.sendBody(of: self) { $0.append(content.span) }
    connection.sendEnd(of: self, trailers: [:])
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
  }
}
