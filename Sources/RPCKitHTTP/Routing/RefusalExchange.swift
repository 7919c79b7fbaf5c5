internal import RPCKit

/// A request that is for nothing, answered as soon as its head was read.
final class RefusalExchange: HTTPExchange {
  private let error: RPCError
  private let status: Int

  init(_ arrival: HTTPArrival, error: RPCError, status: Int) {
    self.error = error
    self.status = status
    super.init(arrival)
  }

  override func begin() { fail(error, Metadata()) }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    sendConnectError(error, metadata, status: status)
  }
}
