import TestingContracts
import Synchronization
import Testing

@testable import RPCKit

/// Three servers in a row, A → B → C, as a request goes through real services.
///
/// That such a chain does not unwind when its caller gives up is grpc/grpc-swift-2#17.
@Suite("A chain of three servers", .timeLimit(.minutes(1)))
struct ServerChainTests {
  /// What C saw.
  private struct Seen: Sendable {
    var timeRemaining: Duration?
    var traceparent: String?
  }

  /// Runs A, B and C; A and B pass each call on, C does what `atC` says.
  private static func run(
    atC handler: RichHandler,
    _ body: (Testing_V1.RichClient, [Server]) async throws -> Void
  ) async throws {
    let loops = try EventLoopGroup.epoll(count: 2)
    let c = server(handler, on: loops)
    try await c.serving { c in
      try await withChannel(target(of: c), ChannelConfiguration(loops: loops)) { channelToC in
        let b = server(passingOn(channelToC), on: loops)
        try await b.serving { b in
          try await withChannel(target(of: b), ChannelConfiguration(loops: loops)) { channelToB in
            let a = server(passingOn(channelToB), on: loops)
            try await a.serving { a in
              try await withChannel(target(of: a), ChannelConfiguration(loops: loops)) { channel in
                try await body(Testing_V1.RichClient(channel), [a, b, c])
              }
            }
          }
        }
      }
    }
    loops.stop()
  }

  private static func server(_ handler: RichHandler, on loops: EventLoopGroup) -> Server {
    Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [handler.definition],
      on: loops
    )
  }

  private static func target(of server: Server) -> String {
    server.addresses.first?.target ?? ""
  }

  private static func passingOn(_ channel: Channel) -> RichHandler {
    let next = Testing_V1.RichClient(channel)
    return RichHandler(
      onEcho: { request, _ in try await next.echo(request) },
      onExpand: { request, _, writer in
        for try await response in next.expand(request) { try await writer.write(response) }
      },
      onCollect: { requests, _ in
        try await next.collect { writer in
          for try await request in requests { try await writer.write(request) }
        }
      }
    )
  }

  @Test("The last server sees less time than the first was given, and the trace of the first")
  func deadline_throughChain_shrinks() async throws {
    let seen = OneTimeEvent<Seen>()
    let handler = RichHandler(onEcho: { request, call in
      seen.happened(
        Seen(timeRemaining: call.timeRemaining, traceparent: call.metadata["traceparent"])
      )
      return request
    })
    try await Self.run(atC: handler) { client, _ in
      let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      let options = CallOptions(timeout: .seconds(20), metadata: ["traceparent": trace])
      _ = try await client.echo(Rich(), options: options)
      let atC = try await seen.value()
      let remaining = try #require(atC.timeRemaining)
      #expect(remaining < .seconds(20))
      #expect(remaining > .seconds(1))
      #expect(atC.traceparent == trace)
      // Without a deadline at A there is none at C.
      _ = try await client.echo(Rich())
      #expect(try await seen.value().timeRemaining == nil)
    }
  }

  @Test("A deadline that passes at the last server ends the call at all three")
  func deadline_passedAtTheEnd_endsEveryHop() async throws {
    let handler = RichHandler(onEcho: { _, _ in try await waitForCancellation() })
    try await Self.run(atC: handler) { client, servers in
      let error = await rpcError { _ = try await client.echo(Rich(), timeout: .milliseconds(100)) }
      #expect(error?.code == .deadlineExceeded)
      try await Self.waitForRest(servers)
    }
  }

  @Test(
    "Giving up at the first server unwinds all three",
    arguments: [MethodDescriptor.Kind.unary, .serverStreaming, .clientStreaming]
  )
  func cancel_atFirst_unwindsChain(kind: MethodDescriptor.Kind) async throws {
    let (began, cancelled) = (OneTimeEvent<Void>(), OneTimeEvent<Void>())
    let wait: @Sendable () async throws -> Void = {
      began.happened()
      defer { if Task.isCancelled { cancelled.happened() } }
      try await waitForCancellation()
    }
    let handler = RichHandler(
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
      }
    )
    try await Self.run(atC: handler) { client, servers in
      let caller = Task {
        switch kind {
        case .unary: _ = try await client.echo(Rich())
        case .serverStreaming: for try await _ in client.expand(Rich()) {}
        default: _ = try await client.collect { try await $0.write(Rich()) }
        }
      }
      try await began.value()
      caller.cancel()
      _ = await caller.result
      try await cancelled.value()
      try await Self.waitForRest(servers)
    }
  }

  /// Waits until no handler runs anywhere.
  private static func waitForRest(_ servers: [Server]) async throws {
    let deadline = ContinuousClock.now + .seconds(5)
    while servers.contains(where: { $0.admission.runningCount > 0 }) {
      try #require(ContinuousClock.now < deadline, "a handler runs on")
      await Task.yield()
    }
  }
}
