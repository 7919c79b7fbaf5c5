internal import RPCKit

/// A request that is for nothing, answered as soon as its head was read.
final class RefusalExchange: HTTPExchange {
  private let error: RPCError
  private let status: Int
  private let fields: HTTPFields

  init(
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection,
    error: RPCError,
    status: Int,
    fields: HTTPFields = [:]
  ) {
    self.error = error
    self.status = status
    self.fields = fields
    super.init(head, id: id, received: received, on: connection)
  }

  override func begin() { fail(error, Metadata()) }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    sendConnectError(error, metadata, status: status, fields: fields)
  }
}
