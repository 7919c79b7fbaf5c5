internal import RPCKit

/// A request for this interface that leads to no method, answered as soon as its head was read.
final class RESTRefusal: HTTPExchange {
  private let failure: RESTFailure

  init(
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection,
    failure: RESTFailure
  ) {
    self.failure = failure
    super.init(head, id: id, received: received, on: connection)
  }

  override func begin() { answer(failure) }

  override func fail(_ error: RPCError, _ metadata: Metadata) { answer(RESTFailure(error)) }

  private func answer(_ failure: RESTFailure) {
    var answer = RESTErrorAnswer(failure.error)
    if let status = failure.status { answer.status = status }
    for field in failure.fields.fields { answer.fields.append(field.name, field.value) }
    answer.send(on: self)
  }
}
