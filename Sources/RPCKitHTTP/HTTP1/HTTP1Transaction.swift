/// The request that is answered now, and how far both are: HTTP/1.1 answers one after another.
///
/// A class: each copy of a structure would retain all that the head of the answer has.
final class HTTP1Transaction {
  let exchange: HTTPExchange
  /// Whether another request may follow, as far as the client goes.
  var isPersistent: Bool
  /// Whether the client may be waiting for `100 Continue` before it sends content.
  var awaitsContinue: Bool
  /// Whether all of the request has come.
  var hasRequestEnded = false
  /// Content in bytes that the exchange was given and has not taken.
  var unconsumedByteCount = 0
  var answer = Answer.none
  /// Whether the exchange has said all of its answer.
  var hasAnswerEnded = false
  /// Whether the exchange has given its answer up: what the client gets must not look whole.
  var isBrokenOff = false

  /// The part of the answer that is written.
  enum Answer {
    /// The exchange has not answered. Next: `begun`.
    case none
    /// The head is known and not written: what follows in the same turn says how long the content is.
    /// Next: `written`.
    case begun(HTTPResponseHead)
    /// The head is written. Next: `complete`.
    case written(Framing)
    /// All of it is written; the rest of the request is read and dropped. Terminal.
    case complete
  }

  /// How the client finds the end of the content.
  enum Framing {
    /// There is none, whatever the exchange sends: an answer to `HEAD`, 204 or 304.
    case empty
    /// This many bytes are still to come; less than none when there were too many.
    case length(Int)
    case chunked
    /// By the end of the connection, as HTTP/1.0 has no chunks.
    case untilClose
  }

  init(_ exchange: HTTPExchange, _ request: HTTP1Request) {
    self.exchange = exchange
    isPersistent = request.isPersistent
    awaitsContinue = request.awaitsContinue
  }

  /// Whether an answer with this status has no content at all (RFC 9110 section 6.4.1).
  func isEmpty(_ status: Int) -> Bool {
    exchange.head.method == "HEAD" || status == 204 || status == 304
  }
}
