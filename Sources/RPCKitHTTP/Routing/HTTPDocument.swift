package import RPCKit

/// A text that anybody may read at a path, and that stays the same as long as the server runs.
package struct HTTPDocument: Sendable {
  /// Where it is, beginning with a slash.
  package let path: String
  /// Its media type: `application/json`.
  package let contentType: String
  /// Its content.
  package let content: [UInt8]
  /// Seconds for which it may be kept without asking again.
  package let ageMax: Int

  /// Makes a document.
  package init(path: String, contentType: String, content: [UInt8], ageMax: Int = 300) {
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
    let answer = HTTPResponseHead(
      status: 200,
      fields: [
        "content-type": document.contentType,
        "cache-control": "public, max-age=\(document.ageMax)",
        "content-length": String(document.content.count),
      ]
    )
    guard head.method == "GET" else { return sendHead(answer, isEnd: true) }
    sendHead(answer, isEnd: document.content.isEmpty)
    guard !document.content.isEmpty else { return }
    connection.sendBody(of: self) { $0.append(document.content.span) }
    connection.sendEnd(of: self, trailers: [:])
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
  }
}
