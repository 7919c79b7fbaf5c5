internal import RPCKit

/// A request for this interface that leads to no method, answered as soon as its head was read.
final class RESTRefusal: HTTPExchange {
  private let answer: RESTErrorAnswer

  init(_ arrival: HTTPArrival, _ answer: RESTErrorAnswer) {
    self.answer = answer
    super.init(arrival)
  }

  override func begin() { answer.send(on: self) }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    RESTErrorAnswer(RESTFailure(error)).send(on: self)
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
  }
}
