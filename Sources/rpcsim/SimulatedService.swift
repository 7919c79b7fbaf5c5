import TestingContracts
import RPCKit
import RPCKitTesting

/// The handlers of a simulated server: each does what its call's plan says.
///
/// Which call it is stands in the metadata, so that a stream without messages knows it too.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class SimulatedService: @unchecked Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse

  private static let name = "simulated.Service"

  private let ledger: CallLedger
  /// 0 for the servers that clients call, 1 for the one behind them.
  private let hop: Int
  /// Where relayed calls go.
  private let next: Channel?

  init(_ ledger: CallLedger, hop: Int, next: Channel?) {
    self.ledger = ledger
    self.hop = hop
    self.next = next
  }

  static func descriptor(_ method: PlannedCall.Method) -> MethodDescriptor {
    MethodDescriptor(
      service: name,
      method: method.rawValue,
      kind: method.kind,
      callerClass: .public,
      isIdempotent: method == .read,
      priority: method == .list ? .low : .normal,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  /// The metadata of a call beside its messages.
  static func metadata(_ call: PlannedCall, hop: Int = 0) -> Metadata {
    ["simulated-call": "\(call.number)", "simulated-hop": "\(hop)"]
  }

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: Self.name,
      methods: [
        .unary(Self.descriptor(.echo)) { [self] in try await answer($0, $1) },
        .unary(Self.descriptor(.list)) { [self] in try await answer($0, $1) },
        .unary(Self.descriptor(.read), replying: { [self] in try read($0, $1) }),
        .serverStreaming(Self.descriptor(.watch)) { [self] in try await watch($0, $1, $2) },
        .clientStreaming(Self.descriptor(.collect)) { [self] in try await collect($0, $1) },
        .bidirectional(Self.descriptor(.chat)) { [self] in try await chat($0, $1, $2) },
      ]
    )
  }

  // MARK: - Handlers

  private func answer(_ request: Request, _ call: CallContext) async throws -> Response {
    try await handling(call) { plan in
      if let next, plan.isRelayed {
        return try await next.unary(
          Self.descriptor(plan.method),
          request,
          options: CallOptions(metadata: Self.metadata(plan, hop: 1))
        )
      }
      try await work(plan, call)
      return Response(reason: request.subject + plan.text)
    }
  }

  /// As `answer`, without a task unless it is to wait or to ask another server.
  private func read(_ request: Request, _ call: CallContext) throws -> Reply<Response> {
    let (number, plan) = try plan(of: call)
    guard !plan.isRelayed, !plan.holds, plan.handlerPause == .zero else {
      return .later { [self] in try await answer(request, call) }
    }
    ledger.handlerBegan(number, hop: hop)
    defer { ledger.handlerEnded(number, hop: hop, deadline: call.deadline) }
    ledger.handlerAnswered(number, hop: hop)
    if let failure = plan.failure { throw RPCError(failure, "as planned") }
    return .now(Response(reason: request.subject + plan.text))
  }

  private func watch(
    _ request: Request,
    _ call: CallContext,
    _ writer: ResponseWriter<Response>
  ) async throws {
    try await handling(call) { plan in
      if let next, plan.isRelayed {
        let responses: ResponseStream<Response> = next.serverStreaming(
          Self.descriptor(.watch),
          request,
          options: CallOptions(metadata: Self.metadata(plan, hop: 1))
        )
        for try await response in responses { try await writer.write(response) }
        return
      }
      for index in 0..<plan.messageCount {
        try await writer.write(Response(reason: "\(index)" + plan.text))
      }
      try await work(plan, call)
    }
  }

  private func collect(
    _ requests: RequestStream<Request>,
    _ call: CallContext
  ) async throws -> Response {
    try await handling(call) { plan in
      var count = 0
      for try await request in requests {
        check(request.subject == "\(count)", "\(plan): message \(request.subject) came at \(count)")
        count += 1
        if plan.readerPause > .zero { await call.loop.sleep(plan.readerPause) }
      }
      try await work(plan, call)
      return Response(reason: "\(count)")
    }
  }

  private func chat(
    _ requests: RequestStream<Request>,
    _ call: CallContext,
    _ writer: ResponseWriter<Response>
  ) async throws {
    try await handling(call) { plan in
      for try await request in requests {
        try await writer.write(Response(reason: request.subject + plan.text))
      }
      try await work(plan, call)
    }
  }

  // MARK: - What they have in common

  private func handling<Result>(
    _ call: CallContext,
    _ body: (PlannedCall) async throws -> Result
  ) async throws -> Result {
    let (number, plan) = try plan(of: call)
    ledger.handlerBegan(number, hop: hop)
    defer { ledger.handlerEnded(number, hop: hop, deadline: call.deadline) }
    do {
      let result = try await body(plan)
      if !Task.isCancelled { ledger.handlerAnswered(number, hop: hop) }
      return result
    } catch let error as RPCError where plan.isRelayed {
      // What was not processed behind this server was processed by it.
      throw RPCError(error.code, error.message)
    }
  }

  private func plan(of call: CallContext) throws -> (number: Int, PlannedCall) {
    guard
      let number = call.metadata["simulated-call"].flatMap({ Int($0) }),
      let plan = ledger.plan(number),
      call.metadata["simulated-hop"] == "\(hop)"
    else { throw RPCError(.internal, "metadata were lost") }
    return (number, plan)
  }

  /// Sleeps, holds or fails as planned; every other call without its place in admission control.
  private func work(_ plan: PlannedCall, _ call: CallContext) async throws {
    if plan.number.isMultiple(of: 2) {
      await call.waiting { await pause(plan, call) }
    } else {
      await pause(plan, call)
    }
    try Task.checkCancellation()
    if plan.holds { throw CancellationError() }
    if let failure = plan.failure { throw RPCError(failure, "as planned") }
  }

  private func pause(_ plan: PlannedCall, _ call: CallContext) async {
    if plan.handlerPause > .zero { await call.loop.sleep(plan.handlerPause) }
    if plan.holds, !Task.isCancelled { await untilCancelled() }
  }

  /// A stream without elements ends when its consumer's task is cancelled, and needs no timer.
  private func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    for await _ in stream {}
    continuation.finish()
  }

  private func check(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
    if !isTrue { ledger.problem(problem()) }
  }
}
