internal import RPCKit

/// Tells by method, path and content type which way of making calls a request uses.
///
/// In this order: questions of browsers, what is below the prefix of REST, gRPC, gRPC-Web and streaming Connect by
/// their content types, what was registered in `routes`, unary Connect by its path; the rest is refused with 404
/// or 415.
package struct CallRouter: HTTPRouter {
  /// The ways that are served.
  package var dialects = Set(CallDialect.allCases)
  /// Reads and writes JSON for Connect; without one there is none.
  package var transcoder: (any MessageTranscoder)?
  /// Which web pages may call; nil for none.
  package var crossOrigin: CrossOriginPolicy?
  /// The further routes, asked in order.
  package var routes: [any HTTPRoutes] = []
  /// The beginning of REST's paths; nil for no such place.
  ///
  /// Whatever is wrong below it, clients get REST's envelope.
  package var restPrefix: String?

  /// Makes a router that serves every dialect and nothing else.
  package init() {}

  package func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange {
    let head = arrival.head
    // What the server as a whole can do (RFC 9110 section 9.3.7).
    guard head.path != "*" else {
      let methods = HTTPRequestHead.methods.joined(separator: ", ")
      return PreflightExchange(arrival, fields: ["allow": methods])
    }
    guard let crossOrigin else { return route(arrival) }
    guard !CrossOriginPolicy.isPreflight(head) else {
      return PreflightExchange(arrival, fields: crossOrigin.preflightFields(head))
    }
    let exchange = route(arrival)
    exchange.crossOrigin = crossOrigin.answer(to: head)
    return exchange
  }

  private func route(_ arrival: HTTPArrival) -> HTTPExchange {
    let head = arrival.head
    if let exchange = repeated(arrival) { return exchange }
    if isREST(head.path) {
      return registered(arrival)
        ?? RESTRefusal(arrival, RESTErrorAnswer(.nothing(at: head.path, .notFound)))
    }
    let type = head.fields.contentType?.essence ?? ""
    if let dialect = Self.dialect(of: type) {
      guard dialects.contains(dialect) else {
        return RefusalExchange(arrival, error: .dialectOff(type), status: 415)
      }
      switch dialect {
      case .grpc: return GRPCExchange(arrival, GRPCReading(head, isWeb: false))
      case .grpcWeb: return GRPCWebExchange(arrival, GRPCReading(head, isWeb: true))
      case .connect: return ConnectStreamingExchange(arrival, transcoder: transcoder)
      }
    }
    if let exchange = registered(arrival) { return exchange }
    guard dialects.contains(.connect) else {
      return RefusalExchange(arrival, error: .nothing(at: head.path, .unimplemented), status: 404)
    }
    switch arrival.connection.method(at: head.path) {
    case .success(let method):
      let reading = ConnectUnaryReading(head, method: method, transcoder: transcoder)
      return ConnectUnaryExchange(arrival, reading)
    case .failure(let error): return RefusalExchange(arrival, error: error, status: 404)
    }
  }

  /// The exchange of a request whose head is that of the last one, or asks for the same; nil for others.
  private func repeated(_ arrival: HTTPArrival) -> HTTPExchange? {
    let (connection, head) = (arrival.connection, arrival.head)
    guard let recent = connection.recentReading else { return nil }
    if recent.head === head {
      return connection.spareExchange(for: arrival) ?? recent.makeExchange(arrival)
    }
    guard head.asksLike(recent.head), let reading = recent.reading(of: head),
      let exchange = reading.makeExchange(arrival)
    else { return nil }
    connection.keep(reading)
    return exchange
  }

  private func isREST(_ path: String) -> Bool {
    restPrefix.map { path.utf8.starts(with: $0.utf8) } ?? false
  }

  private func registered(_ arrival: HTTPArrival) -> HTTPExchange? {
    for routes in routes {
      if let exchange = routes.makeExchange(arrival) { return exchange }
    }
    return nil
  }

  package func refusal(
    at path: String,
    _ rejection: HTTP1Rejection
  ) -> (fields: HTTPFields, text: String)? {
    restAnswer(at: path, rejection).map { ($0.fields, $0.text) }
  }

  package func makeRefusal(
    _ arrival: HTTPArrival,
    _ rejection: HTTP1Rejection
  ) -> HTTPExchange? {
    restAnswer(at: arrival.head.path, rejection).map { RESTRefusal(arrival, $0) }
  }

  private func restAnswer(at path: String, _ rejection: HTTP1Rejection) -> RESTErrorAnswer? {
    guard isREST(path) else { return nil }
    var answer = RESTErrorAnswer(rejection.error)
    answer.status = rejection.status
    return answer
  }

  /// The dialect that a content type belongs to; nil for one of which the path decides.
  private static func dialect(of type: String) -> CallDialect? {
    if type.hasPrefix(ConnectStreamingExchange.typePrefix) { return .connect }
    guard type.hasPrefix("application/grpc") else { return nil }
    return type.hasPrefix("application/grpc-web") ? .grpcWeb : .grpc
  }
}

extension RPCError {
  fileprivate static func dialectOff(_ type: String) -> RPCError {
    RPCError(
      .unimplemented,
      .protocolViolation,
      "content-type \(type.prefix(64)) is switched off on this server; use another way to call it"
    )
  }

  fileprivate static func nothing(at path: String, _ code: StatusCode) -> RPCError {
    RPCError(code, .serviceUnknown, "nothing is at \(path.prefix(256))")
  }
}
