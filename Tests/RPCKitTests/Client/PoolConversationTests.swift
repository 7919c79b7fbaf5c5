import Synchronization
import Testing

@testable import RPCKit

@Suite("A channel's connections", .teardown)
struct PoolConversationTests {
  private static let two = ChannelTarget(addresses: [
    .ipv4([10, 0, 0, 1], port: 1), .ipv4([10, 0, 0, 2], port: 1),
  ])

  @Test("are made with the first call, as many as configured for each address")
  func connections_areMadeLazily() {
    let stage = ClientStage(target: Self.two) { $0.connectionsPerAddress = 3 }
    #expect(stage.network.peers.isEmpty)
    let call = stage.call()
    #expect(stage.network.peers.count == 6)
    call.cancel()
    stage.loop.run()
  }

  @Test("share the calls by load")
  func calls_areSpread() {
    let stage = ClientStage(target: Self.two) { $0.connectionsPerAddress = 2 }
    let calls = (0..<40).map { _ in stage.call() }
    let counts = stage.network.peers.map { $0.calls().count }
    #expect(counts.reduce(0, +) == 40)
    #expect(counts.allSatisfy { $0 >= 5 && $0 <= 15 })
    for call in calls { call.cancel() }
    stage.loop.run()
  }

  @Test("fail a call at once while every address is in back-off, with the cause")
  func allBackingOff_failsFast() {
    let stage = ClientStage(target: Self.two)
    stage.network.outcomes = [.refuse, .refuse]
    let first = stage.call()
    #expect(first.error?.code == .unavailable)
    #expect(first.error?.isNotProcessed == true)
    let failed = stage.network.peers[1].peer.address
    #expect(
      first.error?.descriptionWithCause
        == "UNAVAILABLE: no server can be reached: \(failed): connection refused"
    )
    let second = stage.call()
    #expect(second.error?.code == .unavailable)
    #expect(stage.network.peers.count == 2)
  }

  @Test("do not fail a call while one address may still answer")
  func oneStillConnecting_waits() {
    let stage = ClientStage(target: Self.two)
    stage.network.outcomes = [.refuse, .hang]
    let call = stage.call()
    #expect(!call.isOver)
    stage.loop.advance(by: .milliseconds(100))
    #expect(stage.peer.calls().count == 1)
    stage.play { $0.respond(1, "up") }
    #expect(call.value == "up")
  }

  @Test("are made again after pauses that grow up to their bound")
  func refused_backsOff() {
    let stage = ClientStage()
    stage.network.outcomes = Array(repeating: .refuse, count: 20)
    let call = stage.call("hi", .test(), CallOptions(waitsForReady: true))
    // The loop's random numbers are the largest: each pause is its bound.
    for bound in [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000] {
      let before = stage.network.peers.count
      stage.loop.advance(by: .milliseconds(bound - 1))
      #expect(stage.network.peers.count == before)
      stage.loop.advance(by: .milliseconds(1))
      #expect(stage.network.peers.count == before + 1)
    }
    #expect(!call.isOver)
    call.cancel()
    stage.loop.run()
    #expect(call.error?.code == .cancelled)
  }

  @Test("time out when the server does not answer")
  func connectTimeout_countsAsFailure() {
    let stage = ClientStage { $0.connectTimeout = .seconds(3) }
    stage.network.outcomes = [.hang]
    let call = stage.call()
    stage.loop.advance(by: .seconds(3))
    #expect(call.error?.code == .unavailable)
  }

  @Test("that all fail are one warning with the cause, and one line when one works again")
  func unreachable_isLoggedOnce() {
    let sink = CollectingSink()
    let logger = Logger(label: "test", level: .trace, sink: sink).with(["peer": "doors"])
    let stage = ClientStage(target: Self.two) { $0.logger = logger }
    stage.network.outcomes = Array(repeating: .refuse, count: 4)
    let call = stage.call("hi", .test(), CallOptions(waitsForReady: true))
    #expect(sink.lines.count == 1)
    let line = sink.lines.first ?? ""
    #expect(line.contains(#""level":"warning""#) && line.contains(#""message":"peer unreachable""#))
    #expect(line.contains(#""peer":"doors""#) && line.contains(#""error":"10.0.0."#), "\(line)")
    // Both fail once more, and then both succeed.
    stage.loop.advance(by: .milliseconds(100))
    #expect(stage.network.peers.count == 4 && sink.lines.count == 1)
    stage.loop.advance(by: .milliseconds(200))
    #expect(stage.network.peers.count == 6 && sink.lines.count == 2)
    #expect(sink.lines.last?.contains("peer reachable again") == true)
    call.cancel()
    stage.loop.run()
  }

  @Test("are waited for until the deadline by calls that want to")
  func waitsForReady_endsAtTheDeadline() {
    let stage = ClientStage()
    stage.network.outcomes = [.refuse, .refuse, .refuse]
    let patient = stage.call("hi", .test(), CallOptions(timeout: .seconds(5), waitsForReady: true))
    let hurried = stage.call(
      "hi",
      .test(),
      CallOptions(timeout: .milliseconds(50), waitsForReady: true)
    )
    stage.loop.advance(by: .milliseconds(50))
    #expect(hurried.error?.code == .deadlineExceeded)
    stage.loop.advance(by: .milliseconds(650))
    #expect(!patient.isOver)
    stage.play { $0.respond(1, "at last") }
    #expect(patient.value == "at last")
  }

  @Test("let no more calls wait than configured")
  func waitingCalls_areBounded() {
    let stage = ClientStage { $0.waitingCallsMax = 2 }
    stage.network.outcomes = [.hang]
    let calls = (0..<3).map { _ in stage.call() }
    #expect(calls.map(\.isOver) == [false, false, true])
    #expect(calls[2].error?.code == .resourceExhausted)
    for call in calls { call.cancel() }
    stage.loop.run()
  }

  @Test("take no more calls than the server allows; the others wait their turn")
  func streamLimit_makesCallsWait() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { peer in
      peer.hello { $0.streamCountMax = 2 }
      peer.respond(1, "")
    }
    #expect(warm.isOver)
    let calls = (0..<3).map { stage.call("\($0)") }
    #expect(stage.peer.calls().map(\.id) == [1, 3, 5])
    stage.play { $0.respond(3, "a") }
    #expect(stage.peer.calls().map(\.id) == [7])
    stage.play { peer in
      peer.respond(5, "b")
      peer.respond(7, "c")
    }
    #expect(calls.map(\.value) == ["a", "b", "c"])
  }

  @Test("serve a waiting call when one ends, though another holds its place without being sent yet")
  func streamLimit_reservedPlace_waiterIsServed() {
    let stage = ClientStage { $0.limits.streamsPerConnectionMax = 2 }
    let first = stage.call("a")
    let connection = stage.channel.pool.pick()
    #expect(connection?.load.load(ordering: .relaxed) == 2)
    let waiting = stage.call("b")
    #expect(stage.peer.calls().map(\.id) == [1])
    stage.play { $0.respond(1, "a") }
    #expect(first.value == "a")
    #expect(stage.peer.calls().map(\.id) == [3])
    stage.play { $0.respond(3, "b") }
    #expect(waiting.value == "b")
  }

  @Test("leave nothing behind when the channel is closed or dropped")
  func close_releasesThePool() async {
    weak var pool: ConnectionPool?
    do {
      let stage = ClientStage()
      pool = stage.channel.pool
      let call = stage.call()
      stage.play { $0.respond(1, "") }
      #expect(call.isOver)
      let closing = stage.start { await $0.close() }
      #expect(closing.isOver)
      stage.loop.advance(by: .seconds(60))
    }
    #expect(pool == nil)
  }

  @Test("are replaced at once when a server that had answered goes away")
  func usefulConnectionLost_reconnectsAtOnce() {
    let stage = ClientStage()
    let first = stage.call()
    stage.play { $0.respond(1, "") }
    #expect(first.isOver)
    stage.play { $0.loseConnection() }
    #expect(stage.network.peers.count == 2)
  }

  @Test("are replaced when they are old enough, and the old one finishes its calls")
  func age_replacesTheConnection() {
    let stage = ClientStage { $0.connectionAgeMax = .seconds(100) }
    let call = stage.call()
    let old = stage.peer
    stage.loop.advance(by: .seconds(89))
    #expect(stage.network.peers.count == 1)
    stage.loop.advance(by: .seconds(22))
    #expect(stage.network.peers.count == 2)
    #expect(!old.isClosedByClient)
    stage.loop.run { old.respond(1, "old") }
    #expect(call.value == "old")
    #expect(old.isClosedByClient)
  }

  @Test("follow a name to its new addresses after a failure")
  func name_isResolvedAgain() throws {
    let stage = ClientStage(target: try ChannelTarget("tcp://tenancy:4040"))
    let first = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
    let second = SocketAddress.ipv4([10, 0, 0, 2], port: 4040)
    stage.network.resolutions = [.success([first]), .success([second])]
    let call = stage.call("hi", .test(), CallOptions(waitsForReady: true))
    stage.settle { !stage.network.peers.isEmpty }
    #expect(stage.network.peers.map(\.address) == [first])
    stage.play { $0.loseConnection() }
    stage.settle { stage.network.peers.contains { $0.address == second } }
    #expect(stage.peer.address == second)
    _ = call
  }

  @Test("look a name up again at most once in an interval")
  func name_failuresInARow_areLookedUpOnce() throws {
    let stage = ClientStage(target: try ChannelTarget("tcp://tenancy:4040")) { configuration in
      configuration.nameLookupInterval = .seconds(10)
      configuration.reconnect = BackOff(initial: .milliseconds(10), maximum: .milliseconds(20))
    }
    stage.network.resolutions = [.success([.ipv4([10, 0, 0, 1], port: 4040)])]
    let call = stage.call("hi", .test(), CallOptions(waitsForReady: true))
    stage.settle { !stage.network.peers.isEmpty }
    let start = stage.loop.now
    for count in 2...20 {
      stage.play { $0.loseConnection() }
      stage.settle { stage.network.peers.count == count }
    }
    #expect(stage.loop.now < start.advanced(by: .seconds(9)))
    #expect(stage.network.resolveCount == 1)
    // The failures are not forgotten: the look-up follows when its time has come.
    stage.settle { stage.network.resolveCount == 2 }
    #expect(stage.loop.now >= start.advanced(by: .seconds(9)))
    stage.loop.advance(by: .seconds(60))
    #expect(stage.network.resolveCount == 2)
    _ = call
  }

  @Test("are asked for a sign of life after silence, and given up without one")
  func keepalive_silentServer_isGivenUp() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { peer in
      peer.hello()
      peer.respond(1, "")
    }
    #expect(warm.isOver)
    let call = stage.call()
    _ = stage.peer.frames()
    stage.loop.advance(by: .seconds(29))
    #expect(stage.peer.frames().isEmpty)
    stage.loop.advance(by: .seconds(3))
    #expect(stage.peer.frames().map(\.type) == [.ping])
    stage.loop.advance(by: .seconds(22))
    #expect(call.error?.code == .unavailable)
  }

  @Test("answer the server's PING, and count its answers as life")
  func ping_isAnswered() {
    let stage = ClientStage()
    let call = stage.call()
    stage.play { peer in
      peer.hello()
      peer.send(.ping, .max, [9, 1, 2, 3, 4, 5, 6, 7, 8])
    }
    let answer = stage.peer.frames().last
    #expect(answer?.type == .ping && answer?.flags == 1)
    #expect(answer?.payload == [9, 1, 2, 3, 4, 5, 6, 7, 8])
    for _ in 0..<5 {
      stage.loop.advance(by: .seconds(32))
      let pings = stage.peer.frames()
      #expect(pings.map(\.type) == [.ping])
      stage.play { $0.send(.ping, .max, flags: 1, pings.first?.payload ?? []) }
    }
    #expect(!call.isOver)
    call.cancel()
    stage.loop.run()
  }

  @Test("never send PING, CREDIT or GOAWAY to a stock server")
  func stockServer_getsNoExtensions() {
    let stage = ClientStage()
    let call = stage.call()
    stage.play { $0.respond(1, "stock") }
    #expect(call.value == "stock")
    stage.loop.advance(by: .seconds(120))
    #expect(stage.peer.calls().map(\.type) == [.request])
    #expect(!stage.peer.isClosedByClient)
  }

  @Test("are closed when a frame does not complete in time")
  func partialFrame_timesOut() {
    let stage = ClientStage()
    let call = stage.call()
    stage.play { $0.send { $0.append(0) } }
    stage.loop.advance(by: .seconds(12))
    #expect(call.error?.code == .unavailable)
  }

  @Test("are closed when the server takes no bytes for too long")
  func stalledOutput_timesOut() {
    let stage = ClientStage()
    let warm = stage.call()
    stage.play { $0.respond(1, "") }
    #expect(warm.isOver)
    stage.peer.room = 0
    let call = stage.call()
    stage.loop.advance(by: .seconds(32))
    #expect(call.error?.code == .unavailable)
    #expect(call.error?.isNotProcessed == true)
  }

  @Test("hold no buffer when they are idle")
  func idleConnection_holdsNoBuffer() {
    let stage = ClientStage()
    let call = stage.call(String(repeating: "x", count: 5000))
    stage.play { $0.respond(1, "") }
    #expect(call.isOver)
    stage.loop.advance(by: .seconds(2))
    let connection = stage.channel.pool.state.withLock { $0.picker.connections[0] }
    #expect(connection.output.allocatedByteCount == 0)
    #expect(connection.decoder.allocatedByteCount == 0)
  }

  @Test("drain when the channel closes: open calls finish, new ones fail")
  func close_drains() {
    let stage = ClientStage()
    let call = stage.call()
    let closing = stage.start { await $0.close() }
    #expect(!closing.isOver)
    let late = stage.call()
    #expect(late.error?.code == .unavailable)
    stage.play { $0.respond(1, "done") }
    #expect(call.value == "done")
    #expect(closing.isOver)
    #expect(stage.peer.isClosedByClient)
  }

  @Test("are cut when open calls outlast the drain limit")
  func close_cutsAfterTheLimit() {
    let stage = ClientStage { $0.drainTimeout = .seconds(5) }
    let call = stage.call()
    let closing = stage.start { await $0.close() }
    stage.loop.advance(by: .seconds(5))
    #expect(call.error?.code == .unavailable)
    #expect(closing.isOver)
  }
}
