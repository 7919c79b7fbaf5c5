internal import RPCKit

/// One request and its answer: what stands between an HTTP connection and the call that the request makes.
///
/// A subclass for each way to put a call into a request (gRPC, gRPC-Web, Connect, REST, documents). The connection
/// tells it of the client, the call of the handler; it writes by the connection's `sendHead`, `sendBody` and
/// `sendEnd`. Whatever comes after the answer has ended is dropped by the connection and does not arrive here.
///
/// A connection uses one again for another request with the same head, when its answer is out and nobody has it.
/// Loop only, all of it.
package class HTTPExchange {
  let head: HTTPRequestHead
  /// The number of the exchange on its connection, which is the number of its call as well.
  private(set) final var id: UInt32
  /// When the first byte of the request was read, which a deadline counts from.
  private(set) final var received: MonotonicInstant
  /// The connection, which keeps its exchanges alive.
  unowned let connection: HTTPConnection
  /// The header fields that say which page may read the answer; nil for requests that need no such thing.
  final var crossOrigin: CrossOriginAnswer?
  /// The call that was begun, until its handler has got everything.
  var call: CallContext?

  /// Bytes of content that are kept because the request is not whole.
  var heldByteCount: Int { 0 }
  /// The memory of the head, and of every request, in bytes, about.
  let headByteCount: Int

  /// The memory of objects and tables for every request.
  static let emptyByteCount = 1024

  /// Whether a page in a browser can make such a request.
  var isForBrowsers: Bool { true }

  init(_ arrival: HTTPArrival) {
    head = arrival.head
    id = arrival.id
    received = arrival.received
    connection = arrival.connection
    headByteCount = head.byteCount + Self.emptyByteCount
  }

  /// The reading of its head, if the exchange can become that of another request with this head.
  var reusableReading: CallReading? { nil }

  /// Becomes the exchange of another request with the same head: as a new one, whatever it was.
  func restart(_ arrival: HTTPArrival) {
    (id, received) = (arrival.id, arrival.received)
    (crossOrigin, call) = (nil, nil)
  }

  /// Lets go of a call whose handler has been started; the next one may have its context if it was answered at once.
  final func release(_ call: consuming CallContext) {
    if !call.isOpen { self.call = nil }
    connection.keep(call)
  }

  /// Whether it waits for the client: to send the rest of the request, or to take the answer.
  ///
  /// While a handler runs it does not; those are bounded by themselves (`AdmissionControl`).
  final var waitsForClient: Bool { call.map { !$0.isOpen } ?? true }

  /// The bytes held for the client as long as it makes the exchange wait.
  final var waitingByteCount: Int { heldByteCount + (waitsForClient ? headByteCount : 0) }

  // MARK: - From the client

  /// The head was read and the exchange is in the connection's table: the place to refuse what needs no content.
  func begin() {}

  /// The head was read and is refused by the connection, for a reason that is the same for all exchanges; instead
  /// of `begin`.
  func refuse(atHead error: RPCError) { fail(error, Metadata()) }

  /// Content arrived.
  ///
  /// The bytes are gone when the call returns. What was taken is given back to the client as room to send with
  /// `connection.consumedBody`, at once or when it has been used.
  func receivedBody(_ bytes: Span<UInt8>) {}

  /// The request has ended.
  func receivedEnd(_ trailers: HTTPFields) {}

  /// The client gave the request up, or its connection is lost: nothing can be answered.
  ///
  /// Called once at most, and last of all.
  func abandoned() {
    call?.cancel(RPCError(.cancelled, .cancelled, "the client gave the request up"))
  }

  /// There may be room for more of the answer.
  func becameWritable() {
    call?.wakeWriter()
  }

  // MARK: - To the client

  /// Sends the head of the answer, and beside it what the request's origin needs; with `isEnd` it is all.
  ///
  /// Every exchange answers by it, so that browsers may read refusals as well.
  final func sendHead(_ head: HTTPResponseHead, isEnd: Bool) {
    var head = head
    crossOrigin?.append(to: &head.fields)
    if isForBrowsers, head.common?.isForBrowsers != true { head.fields.appendForBrowsers() }
    connection.sendHead(head, of: self, isEnd: isEnd)
  }

  /// Sends an answer that is known in full: the head, which tells the length, and its content.
  final func send(_ head: HTTPResponseHead, _ content: Span<UInt8>) {
    let hasContent = self.head.method != "HEAD" && !content.isEmpty
    sendHead(head, isEnd: !hasContent)
    guard hasContent else { return }
    connection.sendBody(of: self) { $0.append(content) }
    connection.sendEnd(of: self, trailers: [:])
  }

  /// Refuses a message of the answer that is larger than a frame may be.
  final func checkAnswer(_ byteCount: Int) throws(RPCError) {
    let byteCountMax = connection.limits.frameByteCountMax
    guard byteCount > byteCountMax else { return }
    connection.core.observer.limitReached(.frameBytes)
    throw RPCError(
      .resourceExhausted,
      .responseTooLarge,
      "the response of \(byteCount) bytes is larger than \(byteCountMax) bytes; ask for less at a time"
    )
  }

  /// Begins the call of a request that has come in full, and starts its handler with the one message.
  final func start(
    _ method: BoundMethod,
    _ message: consuming ByteBuffer,
    coding: ContentCoding,
    metadata: Metadata,
    timeout: Int64?,
    transcoding: CallContext.Transcoding?
  ) {
    let byteCount = message.byteCount
    guard
      let call = connection.beginCall(
        of: method,
        for: self,
        metadata: metadata,
        timeout: timeout,
        requestByteCount: byteCount
      )
    else { return }
    if let transcoding { call.transcoding = transcoding }
    // An empty message is empty, whatever it is said to be compressed with.
    let format = message.isEmpty ? nil : coding.format
    call.isRequestCompressed = format != nil
    let error = message.withBytes { bytes in
      connection.withReadable(bytes, format, for: method, malformed: .invalidArgument) {
        bytes,
        inflation in
        if let inflation { call.inflation = inflation }
        connection.start(call, bytes, hasPayload: true, malformed: .invalidArgument)
        return nil
      }
    }
    if let error { call.reject(error) }
    release(consume call)
  }

  // MARK: - From the call

  /// Answers with the one response of the call and `call.metadataToSend`.
  ///
  /// Throws what to answer instead when the response is too large.
  func respond(_ append: MessageAppending) throws(RPCError) {
    preconditionFailure("an exchange with a call answers it")
  }

  /// The encoding of a response before it is sent, as the call has it now.
  var answerEncoding: AnswerEncoding { AnswerEncoding() }

  /// As the other `respond`, for a response that was encoded elsewhere.
  func respond(_ message: EncodedMessage) throws(RPCError) {
    preconditionFailure("an exchange with a call answers it")
  }

  /// As the other `send`, for a message that was encoded elsewhere.
  func send(_ message: EncodedMessage) throws(RPCError) {
    preconditionFailure("an exchange with a call answers it")
  }

  /// Ends a stream of responses with OK, with the call's `metadataToSend`.
  func endResponses() {
    preconditionFailure("an exchange with a call answers it")
  }

  /// Answers with an error, before or after responses, whether there is a call or not; `metadata` goes beside
  /// what the error has.
  func fail(_ error: RPCError, _ metadata: Metadata) {
    preconditionFailure("every exchange can be refused")
  }

  /// Sends one message of a stream of responses.
  ///
  /// Throws when it is too large; the stream continues without it.
  func send(_ append: MessageAppending) throws(RPCError) {
    preconditionFailure("an exchange with a call answers it")
  }

  /// The handler took a message of a stream of requests that had cost this much.
  func consumed(_ cost: Int) {
    connection.consumedBody(cost, of: self)
  }
}
