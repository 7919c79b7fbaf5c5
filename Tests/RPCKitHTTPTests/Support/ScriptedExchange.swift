import PeerContracts
import TestingContracts
import RPCKitTesting

@testable import RPCKit
@testable import RPCKitHTTP

/// An exchange that does what its path says, or what the test tells it.
///
/// `/echo` answers with the request; `/large` with 100,000 bytes; `/shared` with 300,000 that answers share; `/early`
/// refuses before the content; `/hold` leaves the answer to the test and takes the content; `/hungry` does not take the
/// content either; every other path of two parts is a call with the content as its message.
final class ScriptedExchange: HTTPExchange {
  private(set) var content: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var isAbandoned = false
  private(set) var becameWritableCount = 0

  override var heldByteCount: Int { content.count }

  override func begin() {
    if head.path == "/early" { answer(401, "who are you?") }
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    for index in bytes.indices { content.append(bytes[index]) }
    if head.path != "/hungry" { connection.consumedBody(bytes.count, of: self) }
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    hasEnded = true
    switch head.path {
    case "/echo": echo()
    case "/large": answer(200, String(repeating: "x", count: 100_000))
    case "/shared": share()
    case "/hold", "/hungry": break
    default: beginCall()
    }
  }

  override func abandoned() {
    isAbandoned = true
    super.abandoned()
  }

  override func becameWritable() {
    becameWritableCount += 1
    super.becameWritable()
  }

  // MARK: - Documents

  private func echo() {
    let query = head.query.map { "?\($0)" } ?? ""
    let text = "\(head.method) \(head.authority)\(head.path)\(query) \(head.version)\n"
    answer(200, text + String(decoding: content, as: UTF8.self))
  }

  /// What `/shared` answers with.
  static let shared = HTTPContent((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private func share() {
    beginAnswer(200, fields: [:], contentLength: Self.shared.bytes.count)
    connection.sendBody(of: self, sharing: Self.shared)
    connection.sendEnd(of: self, trailers: [:])
  }

  /// Answers with a text, whose length the connection has to find out.
  func answer(_ status: Int, _ text: String) {
    beginAnswer(status)
    send(text)
    connection.sendEnd(of: self, trailers: [:])
  }

  func beginAnswer(
    _ status: Int,
    fields: HTTPFields = ["content-type": "text/plain"],
    contentLength: Int? = nil
  ) {
    let head = HTTPResponseHead(status: status, fields: fields, contentLength: contentLength)
    connection.sendHead(head, of: self, isEnd: false)
  }

  func send(_ text: String) {
    connection.sendBody(of: self) { $0.append(text: text) }
  }

  func endAnswer() { connection.sendEnd(of: self, trailers: ["grpc-status": "0"]) }

  // MARK: - Calls

  private func beginCall() {
    switch connection.method(at: head.path) {
    case .failure(let error): fail(error, Metadata())
    case .success(let method):
      var metadata = Metadata()
      for value in head.fields.values("x-word") { metadata.append("word", value) }
      let call = connection.beginCall(
        of: method,
        for: self,
        metadata: metadata,
        timeout: head.fields["x-timeout"].flatMap { Int64($0) },
        requestByteCount: content.count
      )
      guard let call else { return }
      let message = content
      connection.start(call, message.span, hasPayload: true)
      call.inbound?.finish(nil)
    }
  }

  override func respond(_ append: MessageAppending) throws(RPCError) {
    beginAnswer(200)
    connection.sendBody(of: self) { output in append(&output) { _, _ in } }
    connection.sendEnd(of: self, trailers: [:])
  }

  override func send(_ append: MessageAppending) throws(RPCError) {
    beginAnswer(200)
    connection.sendBody(of: self) { output in append(&output) { _, _ in } }
  }

  override func endResponses() {
    beginAnswer(200)
    endAnswer()
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    let status = error.code == .unavailable ? 503 : error.code == .deadlineExceeded ? 504 : 400
    answer(status, "\(error.code.rawValue): \(error.message)")
  }
}

/// Makes `ScriptedExchange`s and keeps them.
///
/// `@unchecked Sendable`: used on one loop, the simulation's.
final class ScriptedRouter: HTTPRouter, @unchecked Sendable {
  private(set) var exchanges: [ScriptedExchange] = []

  init() {
    // Exchanges hold their calls, and those the server with this router.
    Teardown.add { [self] in exchanges = [] }
  }

  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange {
    let exchange = ScriptedExchange(arrival)
    exchanges.append(exchange)
    return exchange
  }
}
