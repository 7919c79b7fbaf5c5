import Testing

@testable import RPCKit

@Suite("A channel over real sockets")
struct ChannelSocketTests {
  @Test("gets its answers from many tasks at once", arguments: [true, false])
  func unary_manyTasks_eachGetsItsOwnAnswer(speaksHello: Bool) async throws {
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let loops = try EventLoopGroup.epoll(count: 2)
    let server = try await SocketEchoServer(on: serverLoops.loops[0], speaksHello: speaksHello)
    try await withChannel(server.target, ChannelConfiguration(loops: loops)) { channel in
      try await withThrowingTaskGroup { group in
        for task in 0..<20 {
          group.addTask {
            for call in 0..<50 {
              let request = BytesMessage(Array("\(task).\(call)".utf8))
              let response: BytesMessage = try await channel.unary(
                .test(),
                request,
                options: CallOptions(timeout: .seconds(20))
              )
              #expect(response == request)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    server.listener.close()
    loops.stop()
    serverLoops.stop()
  }

  @Test("gets answers without leaving the loop when the caller runs there")
  func unary_fromTheLoop_isAnswered() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let server = try await SocketEchoServer(on: loops.loops[0], speaksHello: true)
    let channel = try Channel(server.target, ChannelConfiguration(loops: loops))
    let loop = loops.loops[0]
    let task = Task(executorPreference: loop) { () -> Bool in
      var wasOnLoop = true
      for _ in 0..<100 {
        let response: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hello"),
          options: CallOptions(timeout: .seconds(20))
        )
        wasOnLoop = wasOnLoop && loop.isCurrent && response == "hello"
      }
      return wasOnLoop
    }
    #expect(try await task.value)
    await channel.close()
    server.listener.close()
    loops.stop()
  }

  @Test("fails at once when nobody listens, and says why")
  func unary_nobodyListens_isUnavailableWithCause() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    let listener = try await SocketNetwork().listen(
      at: .ipv4([127, 0, 0, 1], port: 0),
      on: loops.loops[0],
      accepted: { _ in }
    )
    let target = "tcp://\(listener.address)"
    listener.close()
    var configuration = ChannelConfiguration(loops: loops)
    configuration.retry = .never
    try await withChannel(target, configuration) { channel in
      let error = await #expect(throws: RPCError.self) {
        let _: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hello"),
          options: CallOptions()
        )
      }
      #expect(error?.code == .unavailable)
      #expect(error?.isNotProcessed == true)
      #expect((error?.cause as? TransportError)?.reason == .connectFailed)
    }
    loops.stop()
  }
}
