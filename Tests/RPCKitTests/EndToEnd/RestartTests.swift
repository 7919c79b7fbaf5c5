import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// Servers come and go under load: what a deployment does to every service.
@Suite("Restarts over sockets", .timeLimit(.minutes(1)))
struct RestartTests {
  /// A server that runs in a task of its own until it is stopped.
  private struct Running {
    let server: Server
    let task: Task<Void, any Error>

    init(at address: SocketAddress, on loops: EventLoopGroup) async throws {
      let handler = RichHandler(onEcho: { request, call in
        await call.loop.sleep(.milliseconds(2))
        return request
      })
      let server = Server(
        ServerConfiguration(endpoints: [.init(address)]),
        services: [handler.definition],
        on: loops
      )
      self.server = server
      task = Task { try await server.run() }
      while server.addresses.isEmpty, !task.isCancelled {
        await loops.loops[0].sleep(.milliseconds(1))
      }
    }

    var address: SocketAddress { server.addresses.first ?? .unix(path: "") }

    func stop() async throws {
      server.drain()
      try await task.value
    }
  }

  /// Calls without a pause from `callerCount` tasks while `body` runs; returns how many calls there
  /// were, and what failed.
  private static func load(
    _ channel: Channel,
    callerCount: Int,
    options: CallOptions = CallOptions(),
    during body: () async throws -> Void
  ) async throws -> (callCount: Int, failures: [String]) {
    let (calls, failures, isOver) = (Tally(), Log(), Tally())
    let client = Testing_V1.RichClient(channel)
    try await withThrowingTaskGroup { group in
      for caller in 0..<callerCount {
        group.addTask {
          while isOver.value == 0 {
            do {
              let number = Int32(caller)
              let response = try await client.echo(Rich(number: number), options: options)
              if response.int32Value != number { failures.note("wrong answer") }
            } catch {
              failures.note("\(error)")
            }
            calls.add()
          }
        }
      }
      try await body()
      isOver.add()
      try await group.waitForAll()
    }
    return (calls.value, failures.lines)
  }

  @Test("A rolling restart of two servers under load fails no call")
  func rollingRestart_underLoad_failsNoCall() async throws {
    let loops = try EventLoopGroup.epoll(count: 2)
    let any = SocketAddress.ipv4([127, 0, 0, 1], port: 0)
    var servers = [try await Running(at: any, on: loops), try await Running(at: any, on: loops)]
    let target = servers.map(\.address.target).joined(separator: ",")
    try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
      let outcome = try await Self.load(channel, callerCount: 64) {
        for round in 0..<6 {
          let address = servers[round % 2].address
          try await servers[round % 2].stop()
          servers[round % 2] = try await Running(at: address, on: loops)
          let client = Testing_V1.RichClient(channel)
          for _ in 0..<100 { _ = try await client.echo(Rich()) }
        }
      }
      #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
      #expect(outcome.callCount > 600)
      print("rolling restart: \(outcome.callCount) calls, \(outcome.failures.count) failed")
    }
    for server in servers { try await server.stop() }
    loops.stop()
  }

  @Test("Connections that the server replaces at some age, again and again, fail no call")
  func connections_replacedByAge_failNoCall() async throws {
    // On a slow machine a connection may be too old before it has served, which counts as a failed
    // attempt to connect: the calls wait, and the next attempt is soon.
    try await EndToEnd.run(
      server: { $0.connectionAgeMax = .milliseconds(50) },
      channel: {
        $0.reconnect = BackOff(initial: .milliseconds(5), maximum: .milliseconds(50))
      }
    ) { test in
      let opened = test.server.core.observer.metrics.serverConnections.opened
      let options = CallOptions(waitsForReady: true)
      let outcome = try await Self.load(test.channel, callerCount: 16, options: options) {
        #expect(await test.eventually { opened.value >= 10 })
      }
      #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
      #expect(outcome.callCount > 10)
    }
  }

  @Test("The restart of the only server fails no call that waits", arguments: SocketKind.allCases)
  func restart_ofOnlyServer_failsNoWaitingCall(kind: SocketKind) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let folder = try SocketFolder()
    var server = try await Running(at: kind.address(in: folder), on: loops)
    let address = server.address
    var configuration = ChannelConfiguration(loops: loops)
    configuration.reconnect = BackOff(initial: .milliseconds(5), maximum: .milliseconds(50))
    try await withChannel(address.target, configuration) { channel in
      let options = CallOptions(waitsForReady: true)
      let outcome = try await Self.load(channel, callerCount: 32, options: options) {
        for _ in 0..<5 {
          try await server.stop()
          server = try await Running(at: address, on: loops)
          let client = Testing_V1.RichClient(channel)
          for _ in 0..<50 { _ = try await client.echo(Rich(), options: options) }
        }
      }
      #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
      #expect(outcome.callCount > 250)
    }
    try await server.stop()
    loops.stop()
  }

  @Test("A call that waits for a server is served once there is one; another fails at once")
  func call_beforeServer_waitsOrFails() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let folder = try SocketFolder()
    let address = SocketKind.unix.address(in: folder)
    var configuration = ChannelConfiguration(loops: loops)
    configuration.retry = .never
    configuration.reconnect = BackOff(initial: .milliseconds(5), maximum: .milliseconds(50))
    try await withChannel(address.target, configuration) { channel in
      let client = Testing_V1.RichClient(channel)
      let error = await rpcError { _ = try await client.echo(Rich()) }
      #expect(error?.code == .unavailable)
      async let waiting = client.echo(Rich(number: 3), options: CallOptions(waitsForReady: true))
      let server = try await Running(at: address, on: loops)
      let response = try await waiting
      #expect(response.int32Value == 3)
      try await server.stop()
    }
    loops.stop()
  }

  @Test("A socket file that nobody listens on is replaced, one in use is not")
  func unixSocket_staleOrInUse_isReplacedOrRefused() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let folder = try SocketFolder()
    let address = SocketKind.unix.address(in: folder)
    let (path, other) = (folder.path("socket"), folder.path("other"))
    let first = try await Running(at: address, on: loops)
    let second = Server(ServerConfiguration(endpoints: [.init(address)]), services: [], on: loops)
    await #expect(throws: ListenError.self) { try await second.run() }
    // A second name keeps the file when the server removes its own, as if it had been killed.
    try FileManager.default.linkItem(atPath: path, toPath: other)
    try await first.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileManager.default.moveItem(atPath: other, toPath: path)
    let third = try await Running(at: address, on: loops)
    try await withChannel(address.target, ChannelConfiguration(loops: loops)) { channel in
      let response = try await Testing_V1.RichClient(channel).echo(Rich(number: 1))
      #expect(response.int32Value == 1)
    }
    try await third.stop()
    loops.stop()
  }

  @Test("Calls spread over the addresses of a target")
  func calls_toTwoAddresses_spread() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let counts = [Tally(), Tally()]
    var targets: [String] = []
    var servers: [(Server, Task<Void, any Error>)] = []
    for count in counts {
      let handler = RichHandler(onEcho: { request, _ in
        count.add()
        return request
      })
      let server = Server(
        ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
        services: [handler.definition],
        on: loops
      )
      servers.append((server, Task { try await server.run() }))
      while server.addresses.isEmpty { await loops.loops[0].sleep(.milliseconds(1)) }
      targets.append(try #require(server.addresses.first).target)
    }
    let target = targets.joined(separator: ",")
    try await withChannel(target, ChannelConfiguration(loops: loops)) { channel in
      let client = Testing_V1.RichClient(channel)
      // Until both are connected calls go to the one that is.
      while counts.contains(where: { $0.value == 0 }) { _ = try await client.echo(Rich()) }
      let before = counts.map(\.value)
      for _ in 0..<400 { _ = try await client.echo(Rich()) }
      for index in 0..<2 { #expect(counts[index].value - before[index] > 100) }
    }
    for (server, task) in servers {
      server.drain()
      try await task.value
    }
    loops.stop()
  }
}
