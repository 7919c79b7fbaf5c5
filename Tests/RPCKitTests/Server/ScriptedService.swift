import TestingContracts
import RPCKitTesting

@testable import RPCKit

/// A service of all four kinds whose handlers do what the request's `context` says, or wait for the
/// test.
///
/// Orders, one after another, separated by spaces: `hold` waits for `release` or cancellation, `wait`
/// does so without its place in admission control, `deafwait` that and ignores cancellation, `leave`
/// has a task do it that outlives the handler, `sleep=MS` sleeps on the loop, `nap=MS` does that as a
/// handler that only waits, `reply=N` answers with N bytes, `count=N` sends N messages,
/// `fail=CODE` throws that status, `crash` throws something else, `deaf` ignores cancellation, `compressed`
/// and `plain` choose how what follows is sent.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class ScriptedService: @unchecked Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse

  struct Unexpected: Error {}

  /// Handlers that began, by subject.
  private(set) var started: [String] = []
  /// Handlers that returned or threw.
  private(set) var ended = 0
  /// Handlers that saw their task cancelled.
  private(set) var cancelled: [String] = []
  /// Messages that streaming handlers took, by subject.
  private(set) var taken: [String] = []
  /// Messages that streaming handlers wrote.
  private(set) var writtenCount = 0
  /// The calls that the handlers saw, in order.
  private(set) var calls: [CallContext] = []
  /// Told the subject of each call that begins, message that was written, message that was taken.
  var onStart: (String) -> Void = { _ in }
  var onWrite: (String) -> Void = { _ in }
  var onTake: (String) -> Void = { _ in }
  /// What `Ask` answers now; without an answer it does later what `Echo` does.
  var immediate: (Request, CallContext) throws -> Response? = { _, _ in nil }
  /// What the last `leave` left behind.
  private(set) var left: Task<Void, Never>?
  private var held: [CheckedContinuation<Void, Never>] = []
  private var deaf: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  /// Handlers that began and have not ended.
  var runningCount: Int { started.count - ended }

  /// Lets every handler that holds continue, now and in future.
  func release() {
    isOpen = true
    for continuation in held + deaf { continuation.resume() }
    held = []
    deaf = []
  }

  /// Lets every handler end, and lets go of the test and of the calls.
  func end() {
    release()
    onStart = { _ in }
    onWrite = { _ in }
    onTake = { _ in }
    immediate = { _, _ in nil }
    calls = []
  }

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: ServerFixture.service,
      methods: [
        .unary(Self.descriptor("Echo", .unary)) { [self] (request: Request, call) in
          try await within(request, call) { try await perform(request, call) }
        },
        .unary(Self.descriptor("List", .unary, priority: .low)) { [self] (request: Request, call) in
          try await within(request, call) { try await perform(request, call) }
        },
        .unary(Self.descriptor("Read", .unary, priority: .high, isIdempotent: true)) {
          [self] (request: Request, call) in
          try await within(request, call) { try await perform(request, call) }
        },
        .serverStreaming(Self.descriptor("Watch", .serverStreaming)) {
          [self] (request: Request, call, writer: ResponseWriter<Response>) in
          try await within(request, call) { try await watch(request, call, writer) }
        },
        .clientStreaming(Self.descriptor("Collect", .clientStreaming)) {
          [self] (requests: RequestStream<Request>, call) in
          try await within(Request(), call) { try await collect(requests, call) }
        },
        .bidirectional(Self.descriptor("Chat", .bidirectional)) {
          [self] (requests: RequestStream<Request>, call, writer: ResponseWriter<Response>) in
          try await within(Request(), call) { try await chat(requests, call, writer) }
        },
        .unary(
          Self.ask,
          replying: { [self] (request: Request, call) in
            if let response = try immediate(request, call) { return .now(response) }
            return .later { [self] in
              try await within(request, call) { try await perform(request, call) }
            }
          }
        ),
      ]
    )
  }

  static let ask = descriptor("Ask", .unary, priority: .high)

  static func descriptor(
    _ method: String,
    _ kind: MethodDescriptor.Kind,
    priority: MethodDescriptor.Priority = .normal,
    isIdempotent: Bool = false
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: ServerFixture.service,
      method: method,
      kind: kind,
      callerClass: .public,
      isIdempotent: isIdempotent,
      priority: priority,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  // MARK: - Handlers

  private func within<Result>(
    _ request: Request,
    _ call: CallContext,
    _ body: () async throws -> Result
  ) async throws -> Result {
    started.append(request.subject)
    onStart(request.subject)
    calls.append(call)
    defer { ended += 1 }
    do {
      return try await body()
    } catch {
      if Task.isCancelled { cancelled.append(request.subject) }
      throw error
    }
  }

  private func perform(_ request: Request, _ call: CallContext) async throws -> Response {
    var reason = request.subject
    for order in request.context.split(separator: " ") {
      let (name, number) = Self.parse(order)
      switch name {
      case "reply": reason = Self.text(byteCount: number)
      default: try await obey(name, number, call)
      }
    }
    return Response(reason: reason)
  }

  private func watch(
    _ request: Request,
    _ call: CallContext,
    _ writer: ResponseWriter<Response>
  ) async throws {
    var text: String?
    for order in request.context.split(separator: " ") {
      let (name, number) = Self.parse(order)
      switch name {
      case "reply": text = Self.text(byteCount: number)
      case "count":
        for index in 0..<number {
          try await writer.write(Response(reason: text ?? "\(request.subject)\(index)"))
          writtenCount += 1
          onWrite(request.subject)
        }
      default: try await obey(name, number, call)
      }
    }
  }

  private func collect(
    _ requests: RequestStream<Request>,
    _ call: CallContext
  ) async throws -> Response {
    var subjects: [String] = []
    for try await request in requests {
      taken.append(request.subject)
      onTake(request.subject)
      subjects.append(request.subject)
      for order in request.context.split(separator: " ") {
        let (name, number) = Self.parse(order)
        try await obey(name, number, call)
      }
    }
    return Response(reason: subjects.joined(separator: ","))
  }

  private func chat(
    _ requests: RequestStream<Request>,
    _ call: CallContext,
    _ writer: ResponseWriter<Response>
  ) async throws {
    for try await request in requests {
      taken.append(request.subject)
      onTake(request.subject)
      for order in request.context.split(separator: " ") {
        let (name, number) = Self.parse(order)
        try await obey(name, number, call)
      }
      try await writer.write(Response(reason: request.subject))
      writtenCount += 1
      onWrite(request.subject)
    }
  }

  private func obey(_ name: Substring, _ number: Int, _ call: CallContext) async throws {
    switch name {
    case "hold": try await hold()
    case "wait": try await call.waiting { try await hold() }
    case "deaf": await withCheckedContinuation { wait($0, isDeaf: true) }
    case "deafwait":
      await call.waiting { await withCheckedContinuation { wait($0, isDeaf: true) } }
    case "leave":
      await withCheckedContinuation { isWaiting in
        left = Task(executorPreference: call.loop) { [self] in
          await call.waiting {
            isWaiting.resume()
            await withCheckedContinuation { wait($0, isDeaf: true) }
          }
        }
      }
    case "nap": await call.waiting { await call.loop.sleep(.milliseconds(number)) }
    case "sleep":
      await call.connection.loop.sleep(.milliseconds(number))
      try Task.checkCancellation()
    case "fail": throw RPCError(StatusCode(rawValue: Int32(number)), "as ordered")
    case "crash": throw Unexpected()
    case "compressed": call.compressesResponses = true
    case "plain": call.compressesResponses = false
    case "header": call.responseMetadata.append("answered-by", "test")
    default: throw RPCError(.invalidArgument, "what is \(name)?")
    }
  }

  private func hold() async throws {
    guard let loop = CallContext.current?.connection.loop else { return }
    repeat {
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await withCheckedContinuation { wait($0) }
      } onCancel: {
        loop.execute { [self] in wakeAll() }
      }
    } while !isOpen
    try Task.checkCancellation()
  }

  private func wait(_ continuation: CheckedContinuation<Void, Never>, isDeaf: Bool = false) {
    if isOpen {
      continuation.resume()
    } else if isDeaf {
      deaf.append(continuation)
    } else {
      held.append(continuation)
    }
  }

  /// Lets handlers that hold look whether they are cancelled.
  private func wakeAll() {
    let waiting = held
    held = []
    for continuation in waiting { continuation.resume() }
  }

  private static func parse(_ order: Substring) -> (Substring, Int) {
    let parts = order.split(separator: "=")
    return (parts[0], parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  }

  private static func text(byteCount: Int) -> String { String(repeating: "x", count: byteCount) }
}
