import RPCKit
import RPCKitTesting

@testable import RPCKitHTTP

/// What was answered to one request.
final class RecordedAnswer {
  var head: HTTPResponseHead?
  var content: [UInt8] = []
  var trailers: HTTPFields?
  /// The answer is complete.
  var isEnded = false
  /// The answer was broken off.
  var isBrokenOff = false
  /// Bytes of the request for which the client was given room again.
  var consumedByteCount = 0

  var text: String { String(decoding: content, as: UTF8.self) }
}

/// A connection that keeps the answers as they are, without a protocol below.
final class RecordingConnection: HTTPConnection, @unchecked Sendable {
  private(set) var answers: [UInt32: RecordedAnswer] = [:]
  /// Whether clients have room for content.
  var hasRoom = true
  /// Bytes of answers that the client is said not to have taken.
  var waitingByteCount = 0

  func answer(of exchange: HTTPExchange) -> RecordedAnswer {
    if let answer = answers[exchange.id] { return answer }
    let answer = RecordedAnswer()
    answers[exchange.id] = answer
    return answer
  }

  override func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {
    let answer = answer(of: exchange)
    precondition(answer.head == nil, "an answer has one head")
    answer.head = HTTPResponseHead(status: head.status, fields: head.allFields)
    if isEnd { end(exchange) }
  }

  override func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {
    let answer = answer(of: exchange)
    precondition(answer.head != nil && !answer.isEnded, "content stands between head and end")
    var content = ByteBuffer()
    write(&content)
    answer.content += content.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  override func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {
    let answer = answer(of: exchange)
    precondition(answer.head != nil && !answer.isEnded, "an answer ends once")
    answer.trailers = trailers
    end(exchange)
  }

  private func end(_ exchange: HTTPExchange) {
    answer(of: exchange).isEnded = true
    close(exchange, isAbandoned: false)
  }

  override func breakOff(_ exchange: HTTPExchange) {
    answer(of: exchange).isBrokenOff = true
    close(exchange, isAbandoned: true)
  }

  override func maySendBody(of exchange: HTTPExchange) -> Bool { hasRoom }

  override var heldOutputByteCount: Int { waitingByteCount }

  override func consumedBody(_ byteCount: Int, of exchange: HTTPExchange) {
    answer(of: exchange).consumedByteCount += byteCount
  }
}

/// Makes a recording connection of everything that connects.
final class RecordingWire: ServerWire, @unchecked Sendable {
  private let configuration: HTTPConfiguration
  private(set) var connections: [RecordingConnection] = []

  init(_ configuration: HTTPConfiguration) {
    self.configuration = configuration
    // Connections hold their server, and that this wire.
    Teardown.add { [self] in connections = [] }
  }

  let applicationProtocols: [String] = []

  func recognition(of first: Span<UInt8>) -> WireRecognition { .recognized }

  func makeConnection(
    over transport: any Transport,
    _ first: Span<UInt8>,
    core: ServerCore,
    resources: LoopResources
  ) -> any ServedConnection {
    let connection = RecordingConnection(
      transport,
      core: core,
      resources: resources,
      configuration: configuration
    )
    connections.append(connection)
    return connection
  }
}
