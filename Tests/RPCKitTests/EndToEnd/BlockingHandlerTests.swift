import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// A handler must not block its loop; when one does, only its loop suffers.
@Suite("A handler that blocks", .timeLimit(.minutes(1)))
struct BlockingHandlerTests {
  @Test("stalls the connections of its own loop and no others, which go on when it returns")
  func handler_blocking_stallsItsLoopOnly() async throws {
    let (began, gate) = (OneTimeEvent<Void>(), DispatchSemaphore(value: 0))
    let handler = RichHandler(onEcho: { request, _ in
      if request.int32Value == -1 {
        began.happened()
        // What a handler must not do.
        Self.block(on: gate)
      }
      return request
    })
    let serverLoops = try EventLoopGroup.epoll(count: 2)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [handler.definition],
      on: serverLoops
    )
    try await server.serving { server in
      let target = try #require(server.addresses.first).target
      var configuration = ChannelConfiguration(loops: clientLoops)
      configuration.connectionsPerAddress = 2
      try await withChannel(target, configuration) { channel in
        let client = Testing_V1.RichClient(channel)
        // Connections are dealt out in turn, so the two are on different loops.
        repeat { _ = try await client.echo(Rich()) } while Self.readyCount(channel) < 2
        // A connection is ready for its client before the server has looked at it.
        while server.connectionCount < 2 { await Task.yield() }
        async let blocked = client.echo(Rich(number: -1))
        try await began.value()
        // Each goes over the less busy connection, which is the other one.
        for number: Int32 in 0..<50 {
          let response = try await client.echo(Rich(number: number), timeout: .seconds(10))
          #expect(response.int32Value == number)
        }
        // Two at a time need both connections: one of them waits for the loop that is blocked.
        async let one = client.echo(Rich(number: 1))
        async let two = client.echo(Rich(number: 2))
        gate.signal()
        let responses = try await [blocked, one, two]
        #expect(responses.map(\.int32Value) == [-1, 1, 2])
      }
    }
    clientLoops.stop()
    serverLoops.stop()
  }

  private static func readyCount(_ channel: Channel) -> Int {
    channel.pool.state.withLock { $0.picker.connections.count }
  }

  private static func block(on gate: DispatchSemaphore) { gate.wait() }
}
