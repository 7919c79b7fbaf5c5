import Foundation
import GatehouseKit
import Synchronization

/// A server by script: a handler for each method and path, in place of a network.
final class ScriptedTransport: Transport {
  typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPAnswer
  typealias Stream = AsyncThrowingStream<StreamPart, any Error>.Continuation

  private struct State {
    var handlers: [String: Handler] = [:]
    var requests: [HTTPRequest] = []
    var streams: [String: [Stream]] = [:]
    var openings: [HTTPRequest] = []
  }

  private let state = Mutex(State())

  /// Answers `METHOD path`, the path below `/api/v1/`.
  func on(_ place: String, _ handler: @escaping Handler) {
    state.withLock { $0.handlers[place] = handler }
  }

  /// Answers always the same.
  func on(_ place: String, _ answer: HTTPAnswer) { on(place) { _ in answer } }

  private static func place(_ request: HTTPRequest) -> String {
    let path = request.url.path
    return "\(request.method) \(path.dropFirst("/api/v1/".count))"
  }

  /// All requests at a place, in their order.
  func requests(_ place: String) -> [HTTPRequest] {
    state.withLock { $0.requests.filter { Self.place($0) == place } }
  }

  /// All requests that opened a stream.
  var openings: [HTTPRequest] { state.withLock(\.openings) }

  func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
    let handler = state.withLock { state in
      state.requests.append(request)
      return state.handlers[Self.place(request)]
    }
    guard let handler else { throw URLError(.cannotConnectToHost) }
    return try await handler(request)
  }

  func open(_ request: HTTPRequest) -> AsyncThrowingStream<StreamPart, any Error> {
    let (stream, continuation) = AsyncThrowingStream<StreamPart, any Error>.makeStream()
    state.withLock { state in
      state.openings.append(request)
      state.streams[Self.place(request), default: []].append(continuation)
    }
    return stream
  }

  /// The stream at a place that was opened with a number, from 0.
  func stream(_ place: String, _ number: Int) -> Stream? {
    state.withLock { state in
      let streams = state.streams[place] ?? []
      return streams.indices.contains(number) ? streams[number] : nil
    }
  }
}

extension HTTPAnswer {
  /// A success with `data`.
  static func success(_ data: String, at date: Date? = nil) -> HTTPAnswer {
    var fields = ["content-type": "application/json"]
    if let date { fields["date"] = httpDate(date) }
    return HTTPAnswer(
      status: 200,
      fields: fields,
      body: Data(#"{"status": "success", "data": \#(data)}"#.utf8)
    )
  }

  /// A refusal in the services' form.
  static func refusal(
    _ status: Int,
    _ code: String,
    _ reason: String,
    fields: [String: String] = [:]
  ) -> HTTPAnswer {
    let details = #"{"code": "\#(code)", "reason": "\#(reason)", "requestId": "req_1"}"#
    let body = #"{"status": "error", "message": "m", "details": \#(details)}"#
    return HTTPAnswer(status: status, fields: fields, body: Data(body.utf8))
  }

  private static func httpDate(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }
}
