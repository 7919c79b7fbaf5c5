import Testing

@testable import RPCKit

@Suite("The client's connection machine")
struct ClientConnectionMachineTests {
  typealias Machine = ClientConnectionMachine<Int>

  private func limits(window: Int = 1000, streams: Int = 4096) -> Limits {
    var limits = Limits()
    limits.streamWindowByteCount = window
    limits.streamsPerConnectionMax = streams
    return limits
  }

  /// A machine that may begin calls.
  private func open(_ limits: Limits = Limits(), streamIDMax: UInt32 = 3 << 30) -> Machine {
    var machine = Machine(limits: limits, streamIDMax: streamIDMax)
    _ = machine.connected()
    return machine
  }

  private func extended(_ change: (inout ConnectionSettings) -> Void = { _ in }) -> Machine {
    var machine = open(limits())
    var settings = ConnectionSettings()
    change(&settings)
    machine.agree(settings)
    return machine
  }

  private func header(
    _ type: FrameType,
    _ id: UInt32,
    _ flags: FrameFlags = [],
    byteCount: Int = 0
  ) -> FrameHeader {
    FrameHeader(
      payloadByteCount: byteCount,
      streamID: StreamID(rawValue: id),
      type: type,
      flags: flags
    )
  }

  // MARK: - Phases

  @Test("connects once: says HELLO, and ignores a second time")
  func connected_inEachPhase() {
    var connecting = Machine(limits: Limits())
    #expect(connecting.connected() == .sendHello)
    #expect(connecting.phase == .open)
    #expect(connecting.connected() == .ignore)
    var draining = Machine(limits: Limits())
    #expect(draining.drain() == .stopStarting)
    #expect(draining.connected() == .ignore)
    #expect(draining.phase == .draining)
    var closed = Machine(limits: Limits())
    _ = closed.close()
    #expect(closed.connected() == .ignore)
    #expect(closed.phase == .closed)
  }

  @Test("begins calls only while it is open")
  func start_inEachPhase() {
    var machine = Machine(limits: Limits())
    #expect(machine.start(1, .unary) == .refuseUnusable)
    _ = machine.connected()
    #expect(machine.start(1, .unary) == .send(StreamID(rawValue: 1), isLastOfConnection: false))
    #expect(machine.start(2, .unary) == .send(StreamID(rawValue: 3), isLastOfConnection: false))
    #expect(machine.drain() == .stopStarting)
    #expect(machine.start(3, .unary) == .refuseUnusable)
    #expect(machine.drain() == .ignore)
    #expect(machine.close() == [1, 2])
    #expect(machine.start(4, .unary) == .refuseUnusable)
    #expect(machine.drain() == .ignore)
    #expect(machine.close() == [])
  }

  @Test("is drained when the last call of a draining connection ends")
  func drain_waitsForCalls() {
    var machine = open()
    _ = machine.start(1, .unary)
    #expect(machine.isDrained == false)
    _ = machine.drain()
    #expect(machine.isDrained == false)
    #expect(machine.end(StreamID(rawValue: 1)) == 1)
    #expect(machine.isDrained == true)
    #expect(machine.end(StreamID(rawValue: 1)) == nil)
  }

  @Test("keeps to the smaller of its own and the server's limit of calls")
  func start_atTheLimit_isRefused() {
    var machine = open(limits(streams: 2))
    _ = machine.start(1, .unary)
    _ = machine.start(2, .unary)
    #expect(machine.start(3, .unary) == .refuseTooManyStreams)
    var settings = ConnectionSettings()
    settings.streamCountMax = 1
    machine.agree(settings)
    _ = machine.end(StreamID(rawValue: 1))
    #expect(machine.start(3, .unary) == .refuseTooManyStreams)
    _ = machine.end(StreamID(rawValue: 3))
    #expect(machine.start(3, .unary) == .send(StreamID(rawValue: 5), isLastOfConnection: false))
  }

  @Test("says which call is the last before the numbers run out")
  func start_lastNumber_isMarked() {
    var machine = open(streamIDMax: 3)
    #expect(machine.start(1, .unary) == .send(StreamID(rawValue: 1), isLastOfConnection: false))
    #expect(machine.start(2, .unary) == .send(StreamID(rawValue: 3), isLastOfConnection: true))
  }

  // MARK: - Frames

  @Test("knows what each frame means for a unary call, a stream, and a call that is over")
  func receive_table() {
    let unknown = FrameType(rawValue: 0x33)
    let violation = Machine.OnFrame.fail(
      .internal,
      "the server sent a stream where one response was due"
    )
    let unknownType = Machine.OnFrame.fail(
      .internal,
      "the server sent a frame of unknown type"
    )
    // Call 1 is unary, 3 streams both ways, 5 has never begun; 2 is nobody's.
    let rows: [(FrameType, FrameFlags, unary: Machine.OnFrame, stream: Machine.OnFrame)] = [
      (.response, [], .response, .response),
      (.data, [], violation, .message(isLast: false)),
      (.data, .remoteClosed, violation, .message(isLast: true)),
      (.data, [.remoteClosed, .noData], violation, .endOfStream),
      (.data, .noData, violation, .ignore),
      (.request, [], unknownType, unknownType),
      (.hello, [], unknownType, unknownType),
      (.cancel, [], unknownType, unknownType),
      (.ping, [], unknownType, unknownType),
      (.goAway, [], unknownType, unknownType),
      (.credit, [], .credit, .credit),
      (unknown, [], unknownType, unknownType),
    ]
    for row in rows {
      var machine = extended()
      _ = machine.start(1, .unary)
      _ = machine.start(2, .bidirectional)
      #expect(machine.receive(header(row.0, 1, row.1)) == row.unary)
      #expect(machine.receive(header(row.0, 3, row.1)) == row.stream)
      for id in [UInt32(0), 2, 5] {
        #expect(machine.receive(header(row.0, id, row.1)) == .ignore)
      }
      _ = machine.close()
      #expect(machine.receive(header(row.0, 1, row.1)) == .ignore)
    }
  }

  @Test("takes extension frames only from a server that said HELLO")
  func receive_connectionFrames_byDialect() {
    let rows: [(FrameType, FrameFlags, undecided: Machine.OnFrame, extended: Machine.OnFrame)] = [
      (.hello, [], .hello, .ignore),
      (.ping, [], .ignore, .answerPing),
      (.ping, .acknowledgement, .ignore, .ignore),
      (.goAway, [], .ignore, .goAway),
      (.credit, [], .ignore, .ignore),
      (.response, [], .ignore, .ignore),
      (.data, [], .ignore, .ignore),
    ]
    for row in rows {
      var undecided = open()
      #expect(undecided.receive(header(row.0, .max, row.1)) == row.undecided)
      var machine = extended()
      #expect(machine.receive(header(row.0, .max, row.1)) == row.extended)
      var stock = open()
      _ = stock.assumeStock()
      #expect(stock.receive(header(row.0, .max, row.1)) == .ignore)
    }
    var stock = open()
    _ = stock.start(1, .unary)
    _ = stock.assumeStock()
    guard case .fail(.internal, _) = stock.receive(header(.credit, 1)) else {
      Issue.record("a stock server does not send CREDIT")
      return
    }
  }

  @Test("ends only the call whose frame is too large")
  func receiveOversize_byType() {
    var machine = extended()
    _ = machine.start(1, .unary)
    #expect(machine.receiveOversize(header(.response, 1)) == .fail(sendsCancel: false))
    #expect(machine.receiveOversize(header(.data, 1)) == .fail(sendsCancel: true))
    #expect(machine.receiveOversize(header(.data, 3)) == .ignore)
    _ = machine.end(StreamID(rawValue: 1))
    #expect(machine.receiveOversize(header(.response, 1)) == .ignore)
  }

  // MARK: - Dialect

  @Test("takes the first answer without HELLO for a stock server")
  func settleDialect_byFirstFrame() {
    for type in [FrameType.response, .data] {
      var machine = open()
      #expect(machine.settleDialect(by: header(.hello, .max)) == .unchanged)
      #expect(machine.settleDialect(by: header(.ping, .max)) == .unchanged)
      #expect(machine.dialect == .undecided)
      #expect(machine.settleDialect(by: header(type, 1)) == .resumeWriters)
      #expect(machine.dialect == .stock)
      #expect(machine.settleDialect(by: header(type, 1)) == .unchanged)
      #expect(machine.receive(header(.hello, .max)) == .ignore)
    }
    var agreed = extended()
    #expect(agreed.settleDialect(by: header(.response, 1)) == .unchanged)
  }

  // MARK: - Credit

  @Test("sends on the assumed window until HELLO, then corrects by the difference")
  func credit_isCorrectedByHello() {
    let id = StreamID(rawValue: 1)
    var machine = open()
    _ = machine.start(1, .bidirectional)
    machine.sent(id, payloadByteCount: (64 << 10) - 11)
    #expect(machine.admitMessage(id) == .send)
    machine.sent(id, payloadByteCount: 0)
    #expect(machine.admitMessage(id) == .wait)
    #expect(machine.hasStreamOutOfCredit() == true)
    var settings = ConnectionSettings()
    settings.streamWindowByteCount = (64 << 10) + 10
    machine.agree(settings)
    #expect(machine.admitMessage(id) == .send)
    #expect(machine.hasStreamOutOfCredit() == false)
    machine.sent(id, payloadByteCount: 0)
    #expect(machine.admitMessage(id) == .wait)
    // The debt of nine bytes is paid first.
    #expect(machine.addCredit(id, byteCount: 9) == true)
    #expect(machine.admitMessage(id) == .wait)
    #expect(machine.addCredit(id, byteCount: 1) == true)
    #expect(machine.admitMessage(id) == .send)
    #expect(machine.addCredit(StreamID(rawValue: 9), byteCount: 1) == false)
  }

  @Test("needs no credit toward a stock server, whatever was sent before")
  func credit_stock_isUnlimited() {
    let id = StreamID(rawValue: 1)
    var machine = open()
    _ = machine.start(1, .clientStreaming)
    machine.sent(id, payloadByteCount: 1 << 20)
    #expect(machine.admitMessage(id) == .wait)
    #expect(machine.assumeStock() == .resumeWriters)
    machine.sent(id, payloadByteCount: 1 << 20)
    #expect(machine.admitMessage(id) == .send)
    #expect(machine.consumed(id, cost: 1 << 20) == nil)
    _ = machine.start(2, .clientStreaming)
    #expect(machine.admitMessage(StreamID(rawValue: 3)) == .send)
  }

  @Test("does not overflow when a server grants without end")
  func credit_absurdGrants_saturate() {
    let id = StreamID(rawValue: 1)
    var machine = extended()
    _ = machine.start(1, .bidirectional)
    #expect(machine.addCredit(id, byteCount: .max) == true)
    #expect(machine.addCredit(id, byteCount: .max) == true)
    #expect(machine.admitMessage(id) == .send)
  }

  @Test("refuses messages on unary calls, after the end, and when the call is over")
  func admitMessage_refusals() {
    var machine = extended()
    _ = machine.start(1, .unary)
    _ = machine.start(2, .serverStreaming)
    _ = machine.start(3, .clientStreaming)
    #expect(machine.admitMessage(StreamID(rawValue: 1)) == .refuse)
    #expect(machine.admitMessage(StreamID(rawValue: 3)) == .refuse)
    let id = StreamID(rawValue: 5)
    #expect(machine.admitMessage(id) == .send)
    #expect(machine.finishSending(id) == true)
    #expect(machine.finishSending(id) == false)
    #expect(machine.admitMessage(id) == .refuse)
    #expect(machine.finishSending(StreamID(rawValue: 1)) == false)
    #expect(machine.finishSending(StreamID(rawValue: 99)) == false)
  }

  @Test("grants credit when half the window was consumed")
  func consumed_atHalfTheWindow_grants() {
    let id = StreamID(rawValue: 1)
    var machine = extended()
    _ = machine.start(1, .serverStreaming)
    #expect(machine.consumed(id, cost: 499) == nil)
    #expect(machine.consumed(id, cost: 1) == 500)
    #expect(machine.consumed(id, cost: 499) == nil)
    #expect(machine.consumed(StreamID(rawValue: 3), cost: 5000) == nil)
  }

  @Test("lets one message overdraw the window, and no more")
  func receive_windowExceeded_fails() {
    var machine = extended()
    _ = machine.start(1, .serverStreaming)
    #expect(machine.receive(header(.data, 1, byteCount: 980)) == .message(isLast: false))
    #expect(machine.receive(header(.data, 1, byteCount: 500)) == .message(isLast: false))
    guard case .fail(.resourceExhausted, _) = machine.receive(header(.data, 1, byteCount: 0))
    else {
      Issue.record("the window was not enforced")
      return
    }
  }

  @Test("takes no message when the window is used up exactly, as servers do")
  func receive_windowUsedUp_fails() {
    var machine = extended()
    _ = machine.start(1, .serverStreaming)
    #expect(machine.receive(header(.data, 1, byteCount: 990)) == .message(isLast: false))
    guard case .fail(.resourceExhausted, _) = machine.receive(header(.data, 1, byteCount: 0))
    else {
      Issue.record("a message was taken without credit")
      return
    }
  }

  // MARK: - GOAWAY

  @Test("hands back the calls that GOAWAY leaves out, in the order they began")
  func goAway_returnsTheRest() {
    var machine = extended()
    for call in 1...40 { _ = machine.start(call, .unary) }
    #expect(machine.goAway(lastAccepted: StreamID(rawValue: 5)) == Array(4...40))
    #expect(machine.phase == .draining)
    #expect(machine.start(41, .unary) == .refuseUnusable)
    // A second GOAWAY may accept fewer.
    #expect(machine.goAway(lastAccepted: StreamID(rawValue: 1)) == [2, 3])
    #expect(machine.close() == [1])
    #expect(machine.goAway(lastAccepted: .first) == [])
    #expect(machine.phase == .closed)
  }

  // MARK: - Keepalive

  @Test("asks after silence, is content with any byte, and gives up without one")
  func keepalive_table() {
    func at(_ seconds: Int64) -> MonotonicInstant {
      MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }
    func check(_ machine: inout Machine, _ now: Int64, lastRead: Int64) -> Machine.OnKeepalive {
      machine.checkKeepalive(
        now: at(now),
        lastRead: at(lastRead),
        interval: .seconds(30),
        timeout: .seconds(20)
      )
    }
    var machine = extended()
    #expect(check(&machine, 29, lastRead: 0) == .wait)
    #expect(check(&machine, 30, lastRead: 0) == .sendPing)
    #expect(check(&machine, 49, lastRead: 0) == .wait)
    #expect(check(&machine, 50, lastRead: 35) == .wait)
    #expect(machine.keepalive == .listening)
    #expect(check(&machine, 65, lastRead: 35) == .sendPing)
    #expect(check(&machine, 85, lastRead: 35) == .lost)
    var stock = open()
    _ = stock.assumeStock()
    #expect(check(&stock, 1000, lastRead: 0) == .wait)
    var undecided = open()
    #expect(check(&undecided, 1000, lastRead: 0) == .wait)
    _ = machine.close()
    #expect(check(&machine, 1000, lastRead: 0) == .wait)
  }
}
