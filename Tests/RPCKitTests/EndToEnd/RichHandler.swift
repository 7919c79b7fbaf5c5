import TestingContracts
import RPCKit

typealias Rich = Testing_V1.Rich

/// A service of the four kinds whose methods are closures; as they are, they echo.
struct RichHandler: Testing_V1.RichService {
  typealias Echo = @Sendable (Rich, CallContext) async throws -> Rich
  typealias Expand = @Sendable (Rich, CallContext, ResponseWriter<Rich>) async throws -> Void
  typealias Collect = @Sendable (RequestStream<Rich>, CallContext) async throws -> Rich
  typealias Converse =
    @Sendable (RequestStream<Rich>, CallContext, ResponseWriter<Rich>) async throws -> Void

  var onEcho: Echo = { request, _ in request }

  /// Sends the request back `int32Value` times, numbered.
  var onExpand: Expand = { request, _, writer in
    for index in 0..<request.int32Value {
      var response = request
      response.int32Value = index
      try await writer.write(response)
    }
  }

  /// Adds up the numbers and counts the messages.
  var onCollect: Collect = { requests, _ in
    var sum = Rich()
    for try await request in requests {
      sum.int32Value += request.int32Value
      sum.int64Value += 1
    }
    return sum
  }

  var onConverse: Converse = { requests, _, writer in
    for try await request in requests { try await writer.write(request) }
  }

  func echo(_ request: Rich, _ call: CallContext) async throws -> Rich {
    try await onEcho(request, call)
  }

  func expand(
    _ request: Rich,
    _ call: CallContext,
    to writer: ResponseWriter<Rich>
  ) async throws {
    try await onExpand(request, call, writer)
  }

  func collect(_ requests: RequestStream<Rich>, _ call: CallContext) async throws -> Rich {
    try await onCollect(requests, call)
  }

  func converse(
    _ requests: RequestStream<Rich>,
    _ call: CallContext,
    to writer: ResponseWriter<Rich>
  ) async throws {
    try await onConverse(requests, call, writer)
  }
}

extension Rich {
  /// A message with a number.
  init(number: Int32) {
    self.init()
    int32Value = number
  }

  /// A message with so many bytes that do not deflate to nothing.
  init(byteCount: Int, byte: UInt8 = 0xA5) {
    self.init()
    bytesValue = [UInt8](repeating: byte, count: byteCount)
  }
}
