import TestingContracts
import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit

/// Anonymous watchers of the health service, who cost nothing to be, and the calls of everybody else.
@Suite("Floods of health watches over sockets", .serialized, .timeLimit(.minutes(2)))
struct HealthFloodTests {
  private static func watch(_ id: UInt32, _ service: String) -> [UInt8] {
    var request = Grpc_Health_V1.HealthCheckRequest()
    request.service = service
    var payload = ByteBuffer()
    request.append(to: &payload) { _, _ in }
    var frame = ByteBuffer()
    RequestEnvelope.appendFrame(
      to: &frame,
      streamID: StreamID(rawValue: id),
      flags: .remoteClosed,
      service: "grpc.health.v1.Health",
      method: "Watch",
      timeoutNanoseconds: 0,
      metadata: [:],
      payloadByteCount: payload.byteCount
    )
    payload.withBytes { frame.append($0) }
    return frame.withBytes { [UInt8]($0) }
  }

  /// What the process holds in memory: `VmRSS` of proc(5).
  private static var residentByteCount: Int {
    let status = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("VmRSS:") {
      return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
    return 0
  }

  /// Serves health and a service beside it, with an adaptive bound at its least.
  private static func run(
    _ body: (HealthService, Server, Channel, EventLoopGroup) async throws -> Void
  ) async throws {
    let health = HealthService()
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let loops = try EventLoopGroup.epoll(count: 1)
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.admission.window = .milliseconds(1)
    let server = Server(
      configuration,
      services: [health.definition, RichHandler().definition],
      on: serverLoops
    )
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
        let client = Testing_V1.RichClient(channel)
        repeat { _ = try await client.echo(Rich()) } while server.admission.currentLimit > 1000
        try await body(health, server, channel, loops)
      }
    }
    #expect(server.admission.runningCount == 0 && server.streamingCallCount == 0)
    loops.stop()
    serverLoops.stop()
  }

  private static func wait(_ loops: EventLoopGroup, until condition: () -> Bool) async {
    #expect(await loops.loops[0].eventually(condition))
  }

  @Test("a thousand watches of one connection disturb no call of another")
  func watches_thousandOnOneConnection_disturbNobody() async throws {
    try await Self.run { health, server, channel, loops in
      let address = try #require(server.addresses.first)
      var attack: [UInt8] = []
      for index: UInt32 in 0..<1000 { attack += Self.watch(2 * index + 1, "") }
      let peer = RawPeer(to: address, on: loops.loops[0], sending: attack)
      // Of the batches that arrive together some are refused for overload: so much work is not done
      // at a time. The others wait, up to the connection's bound.
      let shed = { server.recentlyShed.values.reduce(0, +) }
      await Self.wait(loops) { health.watcherCount + shed() == 1000 }
      #expect(health.watcherCount >= 100)
      #expect(health.watcherCount <= Limits().streamingCallsPerConnectionMax)
      #expect(server.admission.waitingCount == health.watcherCount)
      let client = Testing_V1.RichClient(channel)
      for _ in 0..<50 {
        await withTaskGroup { group in
          for _ in 0..<10 {
            group.addTask { await rpcError { _ = try await client.echo(Rich(number: 1)) } }
          }
          for await error in group { #expect(error == nil) }
        }
      }
      // The bound of the connection is not one of the server: others may watch.
      var statuses = Grpc_Health_V1.HealthClient(channel).watch(.init()).makeAsyncIterator()
      #expect(try await statuses.next()?.status == .serving)
      health.set(.notServing)
      #expect(try await statuses.next()?.status == .notServing)
      peer.close()
      await Self.wait(loops) { health.watcherCount <= 1 }
    }
  }

  @Test("watches of names of a megabyte are refused and leave nothing behind")
  func watches_ofLongNames_areNotKept() async throws {
    try await Self.run { health, server, channel, loops in
      let address = try #require(server.addresses.first)
      let before = Self.residentByteCount
      let name = String(repeating: "x", count: 1 << 20)
      let attack = (0..<16).reduce(into: [UInt8]()) { bytes, index in
        bytes += Self.watch(UInt32(2 * index + 1), name)
      }
      // Left open: what a stream keeps must not depend on the end of its connection.
      var peers: [RawPeer] = []
      for _ in 0..<16 {
        let peer = RawPeer(to: address, on: loops.loops[0], sending: attack)
        peers.append(peer)
        await Self.wait(loops) { peer.sent.value == attack.count && peer.received.value >= 16 * 20 }
        #expect(health.watcherCount == 0)
      }
      #expect(Self.residentByteCount - before < 128 << 20)
      for peer in peers { peer.close() }
      let error = await rpcError {
        var request = Grpc_Health_V1.HealthCheckRequest()
        request.service = name
        _ = try await Grpc_Health_V1.HealthClient(channel).check(request)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test("streams past a bound are told when to come back")
  func refusal_hasRetryInfo() async throws {
    try await EndToEnd.run(
      server: { $0.limits.streamingCallsPerConnectionMax = 0 },
      channel: { $0.retry.attemptCountMax = 1 }
    ) { test in
      let error = await rpcError {
        for try await _ in test.rich.expand(Rich(number: 1)) {}
      }
      #expect(error?.code == .resourceExhausted && error?.isNotProcessed == true)
      #expect(error?.retryDelay == .seconds(5))
    }
  }
}
