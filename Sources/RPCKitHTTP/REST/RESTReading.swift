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

  init(_ head: HTTPRequestHead, _ target: RESTTarget) {
    self.target = target
    idempotencyKey = head.fields["idempotency-key"]
    lastEventID = head.fields["last-event-id"]
    requestID = head.requestID
    super.init(head)
  }

  override func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    RESTExchange(arrival, self)
  }
}
