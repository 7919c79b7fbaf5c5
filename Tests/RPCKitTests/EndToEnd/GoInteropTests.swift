import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// Our server under a stock Go client and our client on a stock Go server.
@Suite(
  "Interoperation with Go's ttrpc",
  .enabled(if: GoPrograms.isExpected),
  .timeLimit(.minutes(2))
)
struct GoInteropTests {
  @Test("Every case of the Go client passes against our server", arguments: SocketKind.allCases)
  func goClient_everyCase_passes(kind: SocketKind) async throws {
    let programs = try GoPrograms.shared.get()
    let folder = try SocketFolder()
    let loops = try EventLoopGroup.epoll(count: 2)
    var configuration = ServerConfiguration(endpoints: [.init(kind.address(in: folder))])
    // 1,000 calls at once to a debug build are an overload, and a stock client does not try again.
    configuration.admission.isAdaptive = false
    let server = Server(configuration, services: [PermissionsHandler().definition], on: loops)
    let verdicts = try await server.serving { server in
      let address = try #require(server.addresses.first)
      return try await Self.offThePool { try programs.runClient(against: address.target) }
    }
    #expect(verdicts.count >= 26)
    for verdict in verdicts {
      #expect(verdict.ok, "\(verdict.case): \(verdict.detail)")
    }
    loops.stop()
    #expect(server.connectionCount == 0)
  }

  /// Runs what blocks on a thread of its own.
  private static func offThePool<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
    }
  }

  /// Runs `body` with a client of a Go server.
  private static func run(
    over kind: SocketKind,
    _ body: (Benchmark_V1.PermissionsClient) async throws -> Void
  ) async throws {
    let programs = try GoPrograms.shared.get()
    let folder = try SocketFolder()
    let listen = kind == .tcp ? "127.0.0.1:0" : "unix://\(folder.path("socket"))"
    try await programs.withServer(at: listen) { address in
      let loops = try EventLoopGroup.epoll(count: 1)
      var configuration = ChannelConfiguration(loops: loops)
      configuration.connectionsPerAddress = 1
      configuration.retry = .never
      let target = kind == .tcp ? "tcp://\(address)" : listen
      try await withChannel(target, configuration) { channel in
        try await body(Benchmark_V1.PermissionsClient(channel))
      }
      loops.stop()
    }
  }

  @Test("Answers, metadata and text arrive from a Go server", arguments: SocketKind.allCases)
  func goServer_unary_answers(kind: SocketKind) async throws {
    try await Self.run(over: kind) { client in
      let allowed = try await client.check(.init(subject: "user-1"))
      #expect(allowed == .init(allowed: true, reason: "ALLOWED"))
      let empty = try await client.check(.init())
      #expect(empty == .init())
      let echoed = try await client.check(
        .init(context: "echo-metadata:tenant"),
        options: CallOptions(metadata: ["Tenant": "Łódź 🐎"])
      )
      #expect(echoed.reason == "Łódź 🐎")
    }
  }

  @Test("Statuses and details arrive from a Go server", arguments: SocketKind.allCases)
  func goServer_failures_arrive(kind: SocketKind) async throws {
    try await Self.run(over: kind) { client in
      for (context, code, message) in [
        ("fail:5:not: here", StatusCode.notFound, "not: here"),
        ("fail:1234:odd", StatusCode(rawValue: 1234), "odd"),
      ] {
        let error = await rpcError { _ = try await client.check(.init(context: context)) }
        #expect(error?.code == code)
        #expect(error?.message == message)
      }
      let detailed = await rpcError {
        _ = try await client.check(.init(context: "fail-details:9:not yet"))
      }
      #expect(detailed?.details.count == 1)
      #expect(detailed?.details.first?.typeURL.hasSuffix("benchmark.v1.CheckResponse") == true)
      for (service, method) in [
        ("benchmark.v1.Permissions", "Nope"), ("benchmark.v1.Nope", "Check"),
      ] {
        let descriptor = MethodDescriptor(
          service: service,
          method: method,
          kind: .unary,
          callerClass: .public,
          requestType: "",
          responseType: ""
        )
        let error = await rpcError {
          let _: Benchmark_V1.CheckResponse = try await client.channel.unary(
            descriptor,
            Benchmark_V1.CheckRequest(),
            options: CallOptions()
          )
        }
        #expect(error?.code == .unimplemented)
      }
    }
  }

  @Test(
    "Timeouts and given up calls leave the connection to a Go server usable",
    arguments: SocketKind.allCases
  )
  func goServer_timeoutAndCancel_leaveConnectionUsable(kind: SocketKind) async throws {
    try await Self.run(over: kind) { client in
      let error = await rpcError {
        _ = try await client.check(
          .init(subject: "user-1", context: "sleep:2s"),
          timeout: .milliseconds(50)
        )
      }
      #expect(error?.code == .deadlineExceeded)
      let task = Task { try await client.check(.init(subject: "user-1", context: "sleep:50ms")) }
      task.cancel()
      _ = await task.result
      let after = try await client.check(
        .init(subject: "user-1", context: "sleep:50ms"),
        timeout: .seconds(20)
      )
      #expect(after.allowed)
    }
  }

  @Test("Sizes up to 4 MiB pass both ways to a Go server", arguments: SocketKind.allCases)
  func goServer_largeMessages_pass(kind: SocketKind) async throws {
    try await Self.run(over: kind) { client in
      let count = (4 << 20) - 200
      let entity = String(repeating: "e", count: count)
      let length = try await client.check(.init(entity: entity, context: "request-length"))
      #expect(length.reason == "\(count)")
      let reply = try await client.check(.init(context: "reply:\(count)"))
      #expect(reply.reason.utf8.count == count)
      let error = await rpcError { _ = try await client.check(.init(entity: entity + entity)) }
      #expect(error?.code == .resourceExhausted)
      let after = try await client.check(.init(subject: "user-1"))
      #expect(after.allowed)
    }
  }

  @Test(
    "A thousand calls at once to a Go server get their own answers",
    arguments: SocketKind.allCases
  )
  func goServer_thousandAtOnce_getTheirOwn(kind: SocketKind) async throws {
    try await Self.run(over: kind) { client in
      let right = try await withThrowingTaskGroup { group in
        for number in 0..<1000 {
          group.addTask {
            let options = CallOptions(metadata: ["number": "\(number)"])
            let request = Benchmark_V1.CheckRequest(context: "echo-metadata:number")
            return try await client.check(request, options: options).reason == "\(number)"
          }
        }
        return try await group.reduce(into: 0) { count, isRight in count += isRight ? 1 : 0 }
      }
      #expect(right == 1000)
    }
  }
}
