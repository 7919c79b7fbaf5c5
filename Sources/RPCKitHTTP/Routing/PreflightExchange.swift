internal import RPCKit

/// The question of a browser what a page may do, or of anybody what the server can do, answered before anybody asks
/// who is calling what.
final class PreflightExchange: HTTPExchange {
  private let fields: HTTPFields

  init(_ arrival: HTTPArrival, fields: HTTPFields) {
    self.fields = fields
    super.init(arrival)
  }

  override func begin() {
    sendHead(HTTPResponseHead(status: 204, fields: fields), isEnd: true)
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    sendConnectError(error, metadata)
  }
}
