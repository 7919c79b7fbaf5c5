internal import RPCKit

/// A call by REST, as the head of its request describes it.
final class RESTReading: CallReading {
  let target: RESTTarget
  /// Whether the body is a form.
  var isForm = false
  /// Whether the body has a type that is read.
  var hasType = false
  /// How the messages of a stream are written; nil for one a line.
  var events: EventFormat?
  let idempotencyKey: String?
  let lastEventID: String?
  /// The identifier of the request that its answer repeats.
  let requestID: String?
  /// Whether the whole head was read and found good.
  var isRead = false
  /// The reader of all requests with this head, once the first one came.
  private(set) var sharedReader: RESTRequestReader?
  /// The same as calls use it.
  private var sharedTranscoding: CallContext.Transcoding?

  init(_ head: HTTPRequestHead, _ target: RESTTarget) {
    self.target = target
    idempotencyKey = head.fields["idempotency-key"]
    lastEventID = head.fields["last-event-id"]
    requestID = head.requestID
    super.init(head)
  }

  private init?(_ head: HTTPRequestHead, like other: RESTReading) {
    target = other.target
    (isForm, hasType, events, isRead) = (other.isForm, other.hasType, other.events, other.isRead)
    idempotencyKey = head.fields["idempotency-key"]
    lastEventID = other.lastEventID
    requestID = head.requestID
    if idempotencyKey == other.idempotencyKey {
      (sharedReader, sharedTranscoding) = (other.sharedReader, other.sharedTranscoding)
    }
    super.init(head, like: other)
  }

  override func reading(of head: HTTPRequestHead) -> CallReading? {
    Self.allows(head, target.method) ? RESTReading(head, like: self) : nil
  }

  /// The reader of a request: its own where the answer is a page, which depends on what was asked for.
  func reader() -> RESTRequestReader {
    guard !target.route.isPaged else { return RESTRequestReader(self) }
    if let sharedReader { return sharedReader }
    let reader = RESTRequestReader(self)
    sharedReader = reader
    return reader
  }

  /// The way from the body of a request to its message, once the whole head was read.
  func transcoding(by reader: RESTRequestReader) -> CallContext.Transcoding {
    if let sharedTranscoding { return sharedTranscoding }
    let transcoding: CallContext.Transcoding = { [isForm] body throws(RPCError) in
      try reader.message(body, isForm: isForm)
    }
    if reader === sharedReader { sharedTranscoding = transcoding }
    return transcoding
  }

  override func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    RESTExchange(arrival, self)
  }
}
