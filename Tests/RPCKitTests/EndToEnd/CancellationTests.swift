import TestingContracts
import Testing

@testable import RPCKit

/// Giving up on one side ends the work on the other: of a call, of a stream, of a chain of servers.
@Suite("Cancellation and deadlines over sockets", .timeLimit(.minutes(1)))
struct CancellationTests {
  /// Handlers that begin, wait to be cancelled, and tell of both.
  private static func waiting(
    _ began: OneTimeEvent<Void>,
    _ cancelled: OneTimeEvent<Void>
  ) -> RichHandler {
    let wait: @Sendable () async throws -> Void = {
      began.happened()
      defer { if Task.isCancelled { cancelled.happened() } }
      try await waitForCancellation()
    }
    return RichHandler(
      onEcho: { request, _ in
        try await wait()
        return request
      },
      onExpand: { request, _, writer in
        try await writer.write(request)
        try await wait()
      },
      onCollect: { _, _ in
        try await wait()
        return Rich()
      },
      onConverse: { _, _, writer in
        try await writer.write(Rich())
        try await wait()
      }
    )
  }

  @Test(
    "Cancelling the caller's task cancels the handler of each kind",
    arguments: [MethodDescriptor.Kind.unary, .serverStreaming, .clientStreaming, .bidirectional]
  )
  func callerTask_cancelled_cancelsHandler(kind: MethodDescriptor.Kind) async throws {
    let (began, cancelled) = (OneTimeEvent<Void>(), OneTimeEvent<Void>())
    try await EndToEnd.run(Self.waiting(began, cancelled)) { test in
      let client = test.rich
      let caller = Task { () -> StatusCode? in
        await rpcError {
          switch kind {
          case .unary: _ = try await client.echo(Rich())
          case .serverStreaming: for try await _ in client.expand(Rich()) {}
          case .clientStreaming: _ = try await client.collect { _ in }
          case .bidirectional:
            try await client.converse { _, responses in for try await _ in responses {} }
          }
        }?.code
      }
      try await began.value()
      caller.cancel()
      #expect(await caller.value == .cancelled)
      try await cancelled.value()
      #expect(await test.eventually { test.server.admission.runningCount == 0 })
      #expect(test.server.connectionCount == 1)
    }
  }

  @Test("Leaving the loop over a stream early cancels its handler")
  func responseStream_leftEarly_cancelsHandler() async throws {
    let (began, cancelled) = (OneTimeEvent<Void>(), OneTimeEvent<Void>())
    try await EndToEnd.run(Self.waiting(began, cancelled)) { test in
      for try await _ in test.rich.expand(Rich()) { break }
      try await cancelled.value()
      try await test.rich.converse { _, responses in
        for try await _ in responses { break }
      }
      try await cancelled.value()
    }
  }

  @Test("Throwing out of a client stream cancels its handler and reaches the caller")
  func requestStream_throws_cancelsHandler() async throws {
    struct Reason: Error {}
    let (began, cancelled) = (OneTimeEvent<Void>(), OneTimeEvent<Void>())
    try await EndToEnd.run(Self.waiting(began, cancelled)) { test in
      await #expect(throws: Reason.self) {
        _ = try await test.rich.collect { _ in
          try await began.value()
          throw Reason()
        }
      }
      try await cancelled.value()
    }
  }

  @Test("A deadline ends the call on both sides", arguments: SocketKind.allCases)
  func deadline_passed_endsBothSides(kind: SocketKind) async throws {
    try await EndToEnd.run(over: kind, Self.waiting(OneTimeEvent(), OneTimeEvent())) { test in
      let start = ContinuousClock.now
      let error = await rpcError {
        _ = try await test.rich.echo(Rich(), timeout: .milliseconds(50))
      }
      #expect(error?.code == .deadlineExceeded)
      #expect(ContinuousClock.now - start >= .milliseconds(50))
      let streamError = await rpcError {
        for try await _ in test.rich.expand(Rich(), timeout: .milliseconds(50)) {}
      }
      #expect(streamError?.code == .deadlineExceeded)
      // The handlers wait for their cancellation alone, so that they end proves it.
      #expect(await test.eventually { test.server.admission.runningCount == 0 })
    }
  }

  @Test("Losing the connection cancels every handler and fails every call")
  func connection_lost_endsBothSides() async throws {
    let (began, cancelled) = (OneTimeEvent<Void>(), OneTimeEvent<Void>())
    try await EndToEnd.run(Self.waiting(began, cancelled), channel: { $0.retry = .never }) { test in
      let client = test.rich
      try await withThrowingTaskGroup { group in
        for _ in 0..<20 {
          group.addTask { await rpcError { _ = try await client.echo(Rich()) }?.code }
        }
        for _ in 0..<20 { try await began.value() }
        test.server.core.closeAll()
        for try await code in group { #expect(code == .unavailable) }
        for _ in 0..<20 { try await cancelled.value() }
      }
    }
  }

  /// The cancellation and the call come to the loop from two places, in either order: the call was
  /// lost when the cancellation came first.
  @Test("Calls of tasks that were cancelled just before end on a busy loop too")
  func calls_cancelledBefore_end() async throws {
    try await EndToEnd.run { test in
      _ = try await test.rich.echo(Rich())
      let method = Testing_V1.RichMethods.echo
      let channel = test.channel
      let ended = await withTaskGroup(of: Int.self) { group in
        // What is added from here on is cancelled from its beginning.
        group.cancelAll()
        for _ in 0..<4 {
          group.addTask {
            var count = 0
            for _ in 0..<5000 {
              guard let connection = channel.pool.pick() else { continue }
              let plan = CallPlan(method, CallOptions(), channel.configuration)
              let outcome: Result<UnaryResponse<Rich>, RPCError> =
                await connection.unary(method, Rich(), plan)
              if case .failure(let error) = outcome, error.code == .cancelled { count += 1 }
            }
            return count
          }
        }
        return await group.reduce(0, +)
      }
      #expect(ended == 20_000)
      let response = try await test.rich.echo(Rich(number: 3))
      #expect(response.int32Value == 3)
    }
  }

  @Test("Two thousand calls cancelled at random moments leave nothing behind")
  func calls_cancelledAtRandom_leaveNothing() async throws {
    let handler = RichHandler(onEcho: { request, call in
      await call.loop.sleep(.microseconds(Int64(request.int32Value)))
      return request
    })
    try await EndToEnd.run(handler) { test in
      let client = test.rich
      await withTaskGroup { group in
        for index in 0..<2000 {
          group.addTask {
            let task = Task { try await client.echo(Rich(number: Int32(index % 3000))) }
            await test.clientLoops.loops[0].sleep(.microseconds(Int64(index % 2000)))
            task.cancel()
            _ = await task.result
          }
        }
      }
      #expect(await test.eventually { test.server.admission.runningCount == 0 })
      let response = try await client.echo(Rich(number: 3))
      #expect(response.int32Value == 3)
      #expect(test.server.connectionCount == 1)
    }
  }
}
