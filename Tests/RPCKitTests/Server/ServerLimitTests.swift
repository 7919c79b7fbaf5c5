import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Server: deadlines, cancellation, flow control, drain", .teardown)
struct ServerLimitTests {
  // MARK: - Deadlines

  @Test("a negative timeout is over before the handler", arguments: [Int64(-1), .min])
  func timeout_negative_isRefused(timeout: Int64) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let frames = try fixture.exchange(peer, .call(1, "Echo", timeoutNanoseconds: timeout))
    #expect(frames.map { $0.outcome?.code } == [4])
    #expect(fixture.service.started.isEmpty && fixture.server.admission.runningCount == 0)
  }

  @Test("no timeout and one past the end of time never pass", arguments: [Int64(0), .max])
  func timeout_noneOrHuge_neverPasses(timeout: Int64) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    peer.send(.call(1, "Echo", .init(subject: "h", context: "hold"), timeoutNanoseconds: timeout))
    try fixture.simulation.run(for: .seconds(100_000))
    #expect(peer.takeFrames().isEmpty && fixture.service.runningCount == 1)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "h")])
  }

  @Test("a deadline that passes ends the call, cancels the handler and frees its place")
  func timeout_passes_cancelsTheHandler() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    peer.send(
      .call(1, "Echo", .init(subject: "h", context: "hold"), timeoutNanoseconds: 50_000_000)
    )
    try fixture.simulation.run(for: .milliseconds(49))
    #expect(peer.takeFrames().isEmpty)
    try fixture.simulation.run(for: .milliseconds(3))
    #expect(peer.takeFrames().map { $0.outcome?.code } == [4])
    #expect(fixture.service.cancelled == ["h"] && fixture.server.admission.runningCount == 0)
  }

  @Test("a deadline counts from the first byte of the request")
  func timeout_requestComesSlowly_countsFromItsFirstByte() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let bytes = WireFrame.call(1, "Echo", timeoutNanoseconds: 100_000_000).bytes
    peer.send(Array(bytes.prefix(5)))
    try fixture.simulation.run(for: .milliseconds(150))
    peer.send(Array(bytes.dropFirst(5)))
    try fixture.simulation.settle()
    #expect(peer.takeFrames().map { $0.outcome?.code } == [4])
    #expect(fixture.service.started.isEmpty)
  }

  @Test("a handler that ignores its deadline is counted until it returns")
  func timeout_deafHandler_isCountedUntilItReturns() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    peer.send(.call(1, "Echo", .init(context: "deaf"), timeoutNanoseconds: 1_000_000))
    try fixture.simulation.run(for: .milliseconds(10))
    #expect(peer.takeFrames().count == 1 && fixture.server.admission.runningCount == 1)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames().isEmpty && fixture.server.admission.runningCount == 0)
  }

  // MARK: - Cancellation

  @Test("CANCEL cancels the handler, is not answered and frees the place")
  func cancel_runningCall_cancelsTheHandler() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "h", context: "hold")))
    #expect(try fixture.exchange(peer, WireFrame(stream: 1, type: WireFrame.cancel)).isEmpty)
    #expect(fixture.service.cancelled == ["h"] && fixture.server.admission.runningCount == 0)
    let next = try fixture.exchange(peer, .call(3, "Echo", .init(subject: "n")))
    #expect(next == [.answer(3, "n")])
  }

  // MARK: - Flow control

  @Test("a response stream stops at the client's window and goes on with its credit")
  func credit_exhausted_writerWaits() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended(window: 1000)
    let request = Benchmark_V1.CheckRequest(context: "reply=480 count=10")
    let first = try fixture.exchange(peer, .call(1, "Watch", request, flags: 1))
    // Each message costs 493 bytes with its header; the third may overdraw the window.
    #expect(first.count == 3 && fixture.service.writtenCount == 3)
    let credit = WireFrame(
      stream: 1,
      type: WireFrame.credit,
      payload: WireMessage().varint(1, 100_000).bytes
    )
    let rest = try fixture.exchange(peer, credit)
    #expect(rest.count == 8 && rest.last == .end(1))
  }

  @Test("credit comes back as the handler takes messages, exactly what they cost")
  func consumption_grantsCredit_asMuchAsWasSpent() throws {
    let fixture = try ServerFixture { $0.limits.streamWindowByteCount = 1000 }
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(peer, .call(1, "Collect", .init(subject: "first"), flags: 2))
    var spent = 0
    var granted = 0
    for index in 0..<50 {
      let message = WireFrame.message(1, String(repeating: "m", count: index))
      spent += message.bytes.count
      for frame in try fixture.exchange(peer, message) where frame.type == WireFrame.credit {
        let fields = try #require(WireMessage.fields(frame.payload))
        for case (1, .number(let count)) in fields { granted += Int(count) }
      }
      #expect(granted <= spent && spent - granted < 1000)
    }
  }

  @Test("a deflated message costs the window what it holds and gives exactly that back")
  func consumption_deflatedMessage_grantsWhatItHolds() throws {
    let fixture = try ServerFixture { $0.limits.streamWindowByteCount = 1000 }
    let peer = try fixture.connectExtended(features: 1)
    _ = try fixture.exchange(peer, .call(1, "Collect", nil, flags: 6))
    var message = ByteBuffer()
    Benchmark_V1.CheckRequest(subject: String(repeating: "z", count: 100_000))
      .append(to: &message) { _, _ in }
    let cost = message.byteCount + FrameHeader.byteCount
    let isDeflated = MessageCompression().deflateIfWorthwhile(&message, .zlib)
    #expect(isDeflated)
    let payload = message.withBytes { Array($0) }
    var spent = 0
    var granted = 0
    for _ in 0..<10 {
      let frame = WireFrame(stream: 1, type: WireFrame.data, flags: 0x10, payload: payload)
      spent += cost
      for credit in try fixture.exchange(peer, frame) where credit.type == WireFrame.credit {
        let fields = try #require(WireMessage.fields(credit.payload))
        for case (1, .number(let count)) in fields { granted += Int(count) }
      }
    }
    #expect(granted == spent)
    #expect(try fixture.exchange(peer, .end(1)).last?.outcome?.code == 0)
  }

  @Test("a peer that sends past its window loses the stream")
  func window_exceeded_failsTheStream() throws {
    let fixture = try ServerFixture { $0.limits.streamWindowByteCount = 1000 }
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(peer, .call(1, "Collect", nil, flags: 6))
    let hold = WireFrame(
      stream: 1,
      type: WireFrame.data,
      payload: Benchmark_V1.CheckRequest(context: "hold").encoded()
    )
    var frames = try fixture.exchange(peer, hold)
    // A client may count on 64 KiB before it has read the server's settings.
    for _ in 0..<20 {
      frames += try fixture.exchange(peer, .message(1, String(repeating: "x", count: 4000)))
    }
    #expect(frames.first { $0.type == WireFrame.response }?.outcome?.code == 8)
    #expect(fixture.server.admission.runningCount == 0)
  }

  @Test("a stock peer's stream that nobody consumes ends, and its connection goes on")
  func stall_stockPeer_failsOnlyTheStream() throws {
    let fixture = try ServerFixture { $0.limits.unconsumedByteCountMax = 10_000 }
    let peer = try fixture.connect()
    let hold = WireFrame(
      stream: 1,
      type: WireFrame.data,
      payload: Benchmark_V1.CheckRequest(context: "hold").encoded()
    )
    _ = try fixture.exchange(peer, .call(1, "Collect", nil, flags: 2), hold)
    for _ in 0..<200 { peer.send(.message(1, String(repeating: "x", count: 3000))) }
    peer.send(.call(3, "Echo", .init(subject: "other")))
    try fixture.simulation.settle()
    #expect(peer.takeFrames().isEmpty)
    try fixture.simulation.run(for: .seconds(11))
    let frames = peer.takeFrames()
    #expect(frames.first { $0.stream == 1 }?.outcome?.code == 8)
    #expect(frames.contains(.answer(3, "other")))
    #expect(fixture.server.connectionCount == 1 && fixture.server.admission.runningCount == 0)
  }

  @Test("empty messages that nobody consumes are pushed back too")
  func stall_emptyMessages_areBounded() throws {
    let fixture = try ServerFixture { $0.limits.unconsumedByteCountMax = 10_000 }
    let peer = try fixture.connect()
    let hold = WireFrame(
      stream: 1,
      type: WireFrame.data,
      payload: Benchmark_V1.CheckRequest(context: "hold").encoded()
    )
    _ = try fixture.exchange(peer, .call(1, "Collect", nil, flags: 2), hold)
    let empty = WireFrame(stream: 1, type: WireFrame.data).bytes
    for _ in 0..<100 { peer.send(Array(repeating: empty, count: 1000).flatMap { $0 }) }
    try fixture.simulation.settle()
    #expect(peer.unsentByteCount > 0)
  }

  // MARK: - Output, frames and signs of life

  @Test("output that nobody reads closes the connection in time")
  func output_unread_closesTheConnection() throws {
    let fixture = try ServerFixture()
    let bystander = try fixture.connect()
    #expect(try fixture.exchange(bystander, .call(1, "Echo")).count == 1)
    let peer = try fixture.connect()
    peer.setReading(false)
    for index in 0..<40 {
      peer.send(.call(UInt32(index * 2 + 1), "Echo", .init(context: "reply=100000")))
    }
    try fixture.simulation.run(for: .seconds(29))
    #expect(fixture.server.connectionCount == 2)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.server.connectionCount == 1)
    #expect(
      try fixture.exchange(bystander, .call(3, "Echo", .init(subject: "by"))) == [.answer(3, "by")]
    )
  }

  @Test("a frame that comes too slowly closes the connection", arguments: [3, 15])
  func frame_dribbled_closesTheConnection(count: Int) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let bytes = WireFrame.call(1, "Echo", .init(subject: "slow")).bytes
    for byte in bytes.prefix(count) {
      peer.send([byte])
      try fixture.simulation.run(for: .milliseconds(600))
    }
    try fixture.simulation.run(for: .milliseconds(10_100 - count * 600))
    #expect(peer.sawEnd)
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.server.connectionCount == 0)
  }

  @Test("a peer that falls silent is asked, and closed when it does not answer")
  func keepalive_halfOpenPeer_isClosed() throws {
    let fixture = try ServerFixture()
    let silent = try fixture.connectExtended()
    let alive = try fixture.connectExtended()
    alive.onFrame = { frame in
      guard frame.type == WireFrame.ping, frame.flags == 0 else { return }
      alive.send(
        WireFrame(
          stream: WireFrame.connectionStream,
          type: WireFrame.ping,
          flags: 1,
          payload: frame.payload
        )
      )
    }
    try fixture.simulation.run(for: .seconds(31))
    #expect(silent.takeFrames().map(\.type) == [WireFrame.ping])
    try fixture.simulation.run(for: .seconds(60))
    #expect(silent.sawEnd && !alive.sawEnd && fixture.server.connectionCount == 1)
  }

  // MARK: - Limits

  @Test("one call too many on a connection is refused as not processed")
  func streams_pastTheLimit_areRefused() throws {
    let fixture = try ServerFixture { $0.limits.streamsPerConnectionMax = 2 }
    let peer = try fixture.connect()
    let held = Benchmark_V1.CheckRequest(context: "hold")
    let frames = try fixture.exchange(
      peer,
      .call(1, "Echo", held),
      .call(3, "Echo", held),
      .call(5, "Echo")
    )
    #expect(frames.map { $0.outcome?.code } == [8] && frames[0].outcome?.isNotProcessed == true)
    #expect(fixture.service.started.count == 2)
  }

  @Test("handlers of calls that are over still count against the limit")
  func handlers_deafAndCancelled_stillCount() throws {
    let fixture = try ServerFixture { $0.limits.runningHandlersMax = 2 }
    let peer = try fixture.connectExtended()
    let deaf = Benchmark_V1.CheckRequest(context: "deaf")
    _ = try fixture.exchange(peer, .call(1, "Echo", deaf), .call(3, "Echo", deaf))
    _ = try fixture.exchange(
      peer,
      WireFrame(stream: 1, type: WireFrame.cancel),
      WireFrame(stream: 3, type: WireFrame.cancel)
    )
    let refused = try fixture.exchange(peer, .call(5, "Echo"))
    #expect(refused.map { $0.outcome?.code } == [8])
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(try fixture.exchange(peer, .call(7, "Echo")).map { $0.outcome?.code } == [0])
  }

  @Test("metadata past the limit is refused", arguments: [(129, 1), (1, 16 << 10)])
  func metadata_pastTheLimit_isRefused(count: Int, byteCount: Int) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let pairs = (0..<count).map { ("k\($0)", String(repeating: "v", count: byteCount)) }
    let frames = try fixture.exchange(peer, .call(1, "Echo", metadata: pairs))
    #expect(frames.map { $0.outcome?.code } == [8] && fixture.service.started.isEmpty)
  }

  @Test("a zip bomb stops at the message limit")
  func deflated_bomb_isRefused() throws {
    let fixture = try ServerFixture { $0.limits.frameByteCountMax = 100_000 }
    let peer = try fixture.connectExtended(features: 1)
    var bomb = ByteBuffer()
    Benchmark_V1.CheckRequest(subject: String(repeating: "z", count: 5_000_000))
      .append(to: &bomb) { _, _ in }
    let isDeflated = MessageCompression().deflateIfWorthwhile(&bomb, .zlib)
    #expect(isDeflated)
    let payload = bomb.withBytes { Array($0) }
    let frames = try fixture.exchange(
      peer,
      WireFrame(
        stream: 1,
        type: WireFrame.request,
        flags: 0x10,
        payload: WireMessage.request(ServerFixture.service, "Echo", payload: payload)
      )
    )
    #expect(frames.map { $0.outcome?.code } == [8] && fixture.service.started.isEmpty)
  }

  // MARK: - Errors

  @Test("an error that is not meant for callers becomes INTERNAL with the id of its report")
  func error_unexpected_isInternalWithCorrelationID() throws {
    let reports = Reports()
    let fixture = try ServerFixture(reportUnexpected: { id, _, error in
      if error is ScriptedService.Unexpected { reports.ids.append(id) }
    })
    let peer = try fixture.connect()
    let frames = try fixture.exchange(peer, .call(1, "Echo", .init(context: "crash")))
    let outcome = try #require(frames.first?.outcome)
    let id = try #require(reports.ids.first)
    #expect(outcome.code == 13 && outcome.message.contains(id) && reports.ids.count == 1)
  }

  private final class Reports: @unchecked Sendable {
    // @unchecked: confined to the simulation's thread.
    var ids: [String] = []
  }

  // MARK: - Age

  @Test("a connection of some age, give or take a tenth, is asked to move on; its calls finish")
  func age_reached_movesTheClientOn() throws {
    let fixture = try ServerFixture { $0.connectionAgeMax = .seconds(100) }
    let (extended, stock) = (try fixture.connectExtended(), try fixture.connect())
    for peer in [extended, stock] {
      let call = WireFrame.call(1, "Echo", .init(subject: "h", context: "hold"))
      #expect(try fixture.exchange(peer, call).isEmpty)
    }
    extended.onFrame = { [weak extended] frame in
      // Keepalive, which would close it otherwise.
      guard frame.type == WireFrame.ping else { return }
      let pong = WireFrame(
        stream: frame.stream,
        type: WireFrame.ping,
        flags: 1,
        payload: frame.payload
      )
      extended?.send(pong)
    }
    try fixture.simulation.run(for: .seconds(89))
    #expect(!extended.takeFrames().contains { $0.type == WireFrame.goAway })
    try fixture.simulation.run(for: .seconds(22))
    #expect(extended.takeFrames().filter { $0.type == WireFrame.goAway }.count == 1)
    #expect(!extended.sawEnd && !stock.isClosed)
    let late = try fixture.exchange(extended, .call(3, "Echo"))
    #expect(late.first?.outcome?.code == 14 && late.first?.outcome?.isNotProcessed == true)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(extended.takeFrames() == [.answer(1, "h")] && extended.sawEnd)
    #expect(stock.takeFrames() == [.answer(1, "h")] && stock.sawEnd)
    // Only the connections are old, not the server.
    let fresh = try fixture.connectExtended()
    #expect(try fixture.exchange(fresh, .call(1, "Echo", .init(subject: "n"))) == [.answer(1, "n")])
  }

  // MARK: - Drain

  @Test("a draining server tells extended clients, serves what it has and refuses the rest")
  func drain_extendedPeer_losesNoCall() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "h", context: "hold")))
    fixture.server.drain()
    try fixture.simulation.settle()
    #expect(peer.takeFrames().map(\.type) == [WireFrame.goAway])
    let late = try fixture.exchange(peer, .call(3, "Echo"))
    #expect(late.first?.outcome?.code == 14 && late.first?.outcome?.isNotProcessed == true)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "h")])
    #expect(peer.sawEnd)
    peer.close()
    try fixture.simulation.run(for: .seconds(60))
    #expect(fixture.isServerDone && fixture.simulation.timerCount == 0)
    #expect(fixture.network.connectionCount == 0)
  }

  @Test("a draining server finishes the calls of stock clients and closes")
  func drain_stockPeer_answersWhatItRead() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "h", context: "hold")))
    fixture.server.drain()
    try fixture.simulation.settle()
    #expect(peer.takeFrames().isEmpty && !peer.sawEnd)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "h")] && peer.sawEnd)
  }

  @Test("a draining server reads the open streams of stock clients to their end, and no new call")
  func drain_stockPeerWithOpenStream_finishesIt() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    _ = try fixture.exchange(peer, .call(1, "Collect", nil, flags: 0x02), .message(1, "a"))
    fixture.server.drain()
    try fixture.simulation.settle()
    let late = try fixture.exchange(peer, .message(1, "b"), .call(3, "Echo"))
    #expect(late.map(\.stream) == [3])
    #expect(late.first?.outcome?.code == 14 && late.first?.outcome?.isNotProcessed == true)
    #expect(try fixture.exchange(peer, .end(1)) == [.answer(1, "a,b")])
    #expect(peer.sawEnd)
    #expect(fixture.service.started.count == 1)
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.isServerDone)
  }

  @Test("a draining server answers what stock clients ask for until their last call is over")
  func drain_stockPeer_isAnsweredToTheEnd() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    _ = try fixture.exchange(
      peer,
      .call(1, "Echo", .init(subject: "h", context: "hold")),
      .call(3, "Collect", nil, flags: 0x02)
    )
    fixture.server.drain()
    try fixture.simulation.settle()
    #expect(try fixture.exchange(peer, .end(3)) == [.answer(3, "")])
    let late = try fixture.exchange(peer, .call(5, "Echo"))
    #expect(late.first?.outcome?.code == 14 && late.first?.outcome?.isNotProcessed == true)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "h")] && peer.sawEnd && !peer.isClosed)
  }

  @Test("a drain ends watches when their time is up, and waits for everything else")
  func drain_watchPastItsLimit_isEndedAlone() throws {
    let fixture = try ServerFixture {
      $0.limits.responseStreamDrainTimeout = .milliseconds(250)
    }
    let peer = try fixture.connectExtended()
    _ = try fixture.exchange(
      peer,
      .call(1, "Watch", .init(subject: "w", context: "hold"), flags: 0x01),
      .call(3, "Echo", .init(subject: "h", context: "hold"))
    )
    fixture.server.drain()
    try fixture.simulation.run(for: .milliseconds(240))
    #expect(peer.takeFrames().map(\.type) == [WireFrame.goAway])
    try fixture.simulation.run(for: .milliseconds(20))
    let ended = peer.takeFrames()
    #expect(ended.map(\.stream) == [1] && ended.first?.outcome?.code == 14)
    #expect(fixture.service.cancelled == ["w"])
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(3, "h")] && peer.sawEnd)
  }

  @Test("a drain that takes too long is cut")
  func drain_pastItsLimit_isCut() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    _ = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "h", context: "hold")))
    fixture.server.drain()
    try fixture.simulation.run(for: .seconds(31))
    #expect(fixture.isServerDone && fixture.service.cancelled == ["h"])
  }
}
