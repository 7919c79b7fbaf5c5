import Testing

@testable import RPCKit

@Suite("The server's connection machine")
struct ServerConnectionMachineTests {
  @Test("opens each call number once")
  func request_isOpenedOnce() {
    let stage = Stage()
    #expect(stage.receive(.request, 1) == .openCall)
    #expect(
      stage.receive(.request, 1)
        == .fail(.invalidArgument, "stream ID cannot be re-used and must increment")
    )
    #expect(stage.receive(.request, 3) == .openCall)
    #expect(stage.lastAccepted == StreamID(rawValue: 3))
  }

  @Test("refuses numbers that are even, and the connection's own for a call")
  func request_illegalNumber_isRefused() {
    let stage = Stage()
    #expect(stage.receive(.request, 2) == .fail(.invalidArgument, "stream ID must be odd"))
    #expect(stage.receive(.data, 0) == .fail(.invalidArgument, "stream ID must be odd"))
    #expect(stage.receive(.request, .max) == .fail(.invalidArgument, "stream ID is reserved"))
    #expect(stage.lastAccepted == nil)
    #expect(stage.receive(.request, 1) == .openCall)
  }

  @Test(
    "answers each frame of the extensions where it belongs, before and after HELLO",
    arguments: [false, true]
  )
  func controlFrames_dependOnTheDialect(isExtended: Bool) {
    let stage = Stage()
    if isExtended { stage.agree() }
    stage.open(1)
    // Settings are agreed on once.
    #expect(stage.receive(.hello, .max) == (isExtended ? .ignore : .hello))
    #expect(stage.receive(.hello, 1) == .ignore)
    #expect(stage.receive(.ping, .max) == (isExtended ? .answerPing : .ignore))
    #expect(stage.receive(.ping, .max, .acknowledgement) == (isExtended ? .pong : .ignore))
    #expect(stage.receive(.ping, 1) == .ignore)
    #expect(stage.receive(.cancel, 1) == .cancelCall)
    #expect(stage.receive(.cancel, 3) == .ignore)
    #expect(stage.receive(.credit, 1) == .credit)
    #expect(stage.receive(.credit, 3) == .ignore)
  }

  @Test("ignores responses, GOAWAY and unknown types, but not for ever")
  func unexpectedTypes_areIgnoredUpToTheBudget() {
    let stage = Stage { $0.protocolErrorCountMax = 3 }
    #expect(stage.receive(.response, 1) == .ignore)
    #expect(stage.receive(.goAway, .max) == .ignore)
    #expect(stage.receive(FrameType(rawValue: 0x7f), 1) == .ignore)
    #expect(stage.receive(.response, 1) == .close(.unexpectedType))
  }

  @Test("counts every violation against one budget, and closes with the last one's name")
  func violations_shareABudget() {
    let stage = Stage { $0.protocolErrorCountMax = 5 }
    stage.open(1, isUnary: true)
    _ = stage.receive(.request, 2)
    _ = stage.receive(.request, .max)
    _ = stage.receive(.request, 1)
    _ = stage.receive(.data, 1)
    #expect(stage.violate(.malformedEnvelope) == nil)
    #expect(stage.violate(.malformedControl) == .close(.malformedControl))
    #expect(stage.receive(.data, 99) == .close(.unknownStream))
    // What is no violation still continues.
    #expect(stage.receive(.cancel, 1) == .cancelCall)
  }

  @Test("delivers messages and the end of a stream, and nothing after it")
  func data_isDeliveredUntilTheEnd() {
    let stage = Stage()
    stage.open(1)
    #expect(stage.receive(.data, 1) == .deliver(hasMessage: true, isLast: false))
    #expect(stage.receive(.data, 1, .noData) == .deliver(hasMessage: false, isLast: false))
    #expect(
      stage.receive(.data, 1, [.noData, .remoteClosed])
        == .deliver(hasMessage: false, isLast: true)
    )
    #expect(
      stage.receive(.data, 1) == .fail(.invalidArgument, "data after the end of stream")
    )
  }

  @Test("takes the last message together with the end")
  func data_withTheEnd_isBoth() {
    let stage = Stage()
    stage.open(1)
    #expect(stage.receive(.data, 1, .remoteClosed) == .deliver(hasMessage: true, isLast: true))
  }

  @Test("refuses data for a call that takes one request, that is over, or that never was")
  func data_illegal_isRefused() {
    let stage = Stage()
    stage.open(1, isUnary: true)
    stage.open(5)
    #expect(
      stage.receive(.data, 1) == .fail(.invalidArgument, "the method takes a single request")
    )
    _ = stage.end(5)
    #expect(stage.receive(.data, 5) == .fail(.invalidArgument, "stream is no longer active"))
    #expect(stage.receive(.data, 7) == .fail(.invalidArgument, "stream is not open"))
  }

  @Test("ends each call once")
  func end_happensOnce() {
    let stage = Stage()
    let call = stage.open(1)
    #expect(stage.end(1) === call)
    #expect(stage.end(1) == nil)
    #expect(stage.receive(.cancel, 1) == .ignore)
  }

  @Test("refuses calls past the connection's limit, until one ends")
  func admission_hasALimit() {
    let stage = Stage { $0.streamsPerConnectionMax = 2 }
    stage.open(1)
    #expect(stage.admission(3) == .accept)
    stage.open(3)
    #expect(stage.admission(5) == .refuseTooManyStreams)
    _ = stage.end(1)
    #expect(stage.admission(5) == .accept)
  }

  @Test("hands all calls over when it closes, and ignores everything after")
  func close_isTerminal() {
    let stage = Stage()
    stage.open(1)
    stage.open(3)
    #expect(stage.close().count == 2)
    #expect(stage.phase == .closed && stage.stream(1) == nil)
    for type in [.request, .data, .response, .hello, .cancel, .ping, .credit] as [FrameType] {
      #expect(stage.receive(type, 1) == .ignore)
    }
    #expect(stage.receive(.request, 2) == .ignore)
    #expect(stage.oversize(.request, 5) == .ignore)
    #expect(stage.drain() == .ignore)
    #expect(stage.close().isEmpty)
  }

  @Test("tells an extended client the last call it serves, and refuses later ones")
  func drain_extended_sendsGoAway() {
    let stage = Stage()
    stage.agree()
    _ = stage.receive(.request, 5)
    stage.open(5)
    #expect(stage.drain() == .sendGoAway(lastAccepted: 5))
    #expect(stage.drain() == .ignore)
    #expect(!stage.isDrained)
    #expect(stage.receive(.request, 7) == .openCall)
    #expect(stage.admission(7) == .refuseDraining)
    #expect(stage.receive(.data, 5) == .deliver(hasMessage: true, isLast: false))
    #expect(stage.lastAccepted == StreamID(rawValue: 5))
    _ = stage.end(5)
    #expect(stage.isDrained)
  }

  @Test("reads on from a stock client when it drains, and refuses its new calls")
  func drain_stock_refusesNewCalls() {
    let stage = Stage()
    stage.open(1, isUnary: true)
    stage.open(3)
    #expect(stage.drain() == .finishCalls)
    #expect(!stage.isDrained && stage.reads)
    #expect(stage.receive(.data, 3) == .deliver(hasMessage: true, isLast: false))
    #expect(stage.receive(.request, 5) == .openCall)
    #expect(stage.admission(5) == .refuseDraining)
    _ = stage.end(3)
    #expect(!stage.finishDrain())
    _ = stage.end(1)
    #expect(stage.isDrained)
    #expect(stage.finishDrain() && !stage.finishDrain())
    #expect(stage.phase == .flushing && stage.reads)
  }

  @Test("looks at nothing once it only flushes, and lingers when that is done")
  func flushing_ignoresEverything() {
    let stage = Stage()
    stage.open(1)
    #expect(!stage.flushed())
    #expect(stage.abandonCalls()?.count == 1)
    #expect(stage.abandonCalls() == nil && stage.drain() == .ignore)
    for type in [.request, .data, .response, .hello, .cancel, .ping, .credit] as [FrameType] {
      #expect(stage.receive(type, 3) == .ignore)
    }
    #expect(stage.receive(.request, 2) == .ignore && stage.oversize(.request, 5) == .ignore)
    #expect(stage.flushed() && !stage.flushed())
    #expect(stage.phase == .lingering)
    #expect(stage.receive(.request, 7) == .ignore && stage.abandonCalls() == nil)
    #expect(stage.drain() == .ignore && !stage.finishDrain())
    #expect(stage.close().isEmpty && stage.phase == .closed && !stage.reads)
  }

  @Test("throws away what comes while it lingers, up to a limit")
  func lingering_readsUpToALimit() {
    let stage = Stage { $0.discardedByteCountMax = 100 }
    #expect(stage.abandonCalls()?.isEmpty == true)
    stage.discard(60)
    #expect(stage.flushed() && stage.reads)
    stage.discard(40)
    #expect(stage.reads)
    stage.discard(1)
    #expect(!stage.reads)
  }

  @Test("waits for the first frame when it drains before the client has said anything")
  func drain_untouched_awaitsFirstFrame() {
    let stage = Stage()
    #expect(stage.drain() == .awaitFirstFrame)
    #expect(stage.isDrained)
  }

  @Test("says zero when it drains before the first call")
  func drain_withoutCalls_saysZero() {
    let stage = Stage()
    stage.agree()
    #expect(stage.drain() == .sendGoAway(lastAccepted: 0))
  }

  @Test("skips frames that are too large, with an answer, and counts them")
  func oversize_isAnswered() {
    let stage = Stage { $0.protocolErrorCountMax = 1 }
    #expect(
      stage.oversize(.request, 1)
        == .fail(.resourceExhausted, "message length 5000000 exceeds the limit")
    )
    #expect(stage.oversize(.request, 3) == .close(.oversizeFrame))
  }

  /// The number of such a frame was noted whatever it was, so that one on the connection's own
  /// stream made every later call a repeated one.
  @Test("takes no call number from a frame that is too large for its own", arguments: [2, .max])
  func oversize_illegalNumber_isNotUsed(number: UInt32) {
    let stage = Stage()
    _ = stage.oversize(.request, number)
    #expect(stage.lastAccepted == nil)
    #expect(stage.receive(.request, 1) == .openCall)
    #expect(stage.receive(.request, 3) == .openCall)
  }

  // MARK: - Flow control

  @Test("lets a stock client send and be sent any amount")
  func stock_hasNoFlowControl() {
    let stage = Stage { $0.streamWindowByteCount = 10 }
    stage.open(1)
    for _ in 0..<100 {
      #expect(stage.receive(.data, 1, [], 1000) == .deliver(hasMessage: true, isLast: false))
      stage.sent(1, 1000)
      #expect(stage.maySend(1))
    }
  }

  @Test("sends while the credit is above zero, into debt, and again when the debt is paid")
  func sendCredit_mayGoIntoDebt() {
    let stage = Stage()
    stage.agree { $0.streamWindowByteCount = 100 }
    let call = stage.open(1)
    stage.sent(1, 89)
    #expect(stage.maySend(1), "1 is left")
    stage.sent(1, 990)
    #expect(!stage.maySend(1), "999 is owed")
    #expect(stage.addCredit(1, 999) === call)
    #expect(!stage.maySend(1), "nothing is left")
    #expect(stage.addCredit(1, 1) === call)
    #expect(stage.maySend(1))
    #expect(stage.addCredit(3, 1) == nil)
    #expect(!stage.maySend(3))
  }

  @Test("keeps credit from overflowing")
  func addCredit_saturates() {
    let stage = Stage()
    stage.open(1)
    stage.agree()
    // The call was opened before HELLO and has credit without end.
    _ = stage.addCredit(1, 1 << 31)
    _ = stage.addCredit(1, .max)
    #expect(stage.maySend(1))
    #expect(stage.stream(1)?.sendCredit == .max)
  }

  /// A client may send whatever it likes while it has one byte of credit (protocol 2.5); the ten
  /// bytes of the header were forgotten in the test for that.
  @Test("takes a message of any size while one byte of credit is left")
  func receiveCredit_lastByte_isEnough() {
    let stage = Stage { $0.streamWindowByteCount = 128 << 10 }
    stage.agree()
    stage.open(1)
    let message = (128 << 10) - 1 - 10
    #expect(stage.receive(.data, 1, [], message) == .deliver(hasMessage: true, isLast: false))
    #expect(stage.receive(.data, 1, [], 4 << 20) == .deliver(hasMessage: true, isLast: false))
    #expect(
      stage.receive(.data, 1, [], 0)
        == .fail(.resourceExhausted, "the stream's window is exceeded")
    )
  }

  @Test("refuses a message when the credit is used up exactly")
  func receiveCredit_usedUp_isExceeded() {
    let stage = Stage { $0.streamWindowByteCount = 128 << 10 }
    stage.agree()
    stage.open(1)
    #expect(
      stage.receive(.data, 1, [], (128 << 10) - 10) == .deliver(hasMessage: true, isLast: false)
    )
    #expect(stage.receive(.data, 1, .noData) == .deliver(hasMessage: false, isLast: false))
    #expect(
      stage.receive(.data, 1, [], 0)
        == .fail(.resourceExhausted, "the stream's window is exceeded")
    )
  }

  @Test("gives credit back once half the window was taken, and only while more can come")
  func consumed_returnsHalfAWindow() {
    let stage = Stage { $0.streamWindowByteCount = 256 << 10 }
    stage.agree()
    stage.open(1)
    // The protocol's document counts this out: messages of one byte cost eleven.
    var grants: [Int] = []
    for number in 1...11_916 {
      _ = stage.receive(.data, 1, [], 1)
      guard let grant = stage.consumed(1, 1) else { continue }
      grants.append(grant)
      #expect(number == 11_916)
    }
    #expect(grants == [131_076])
    #expect(stage.stream(1)?.receiveCredit == 256 << 10)
    _ = stage.receive(.data, 1, .remoteClosed, 200_000)
    #expect(stage.consumed(1, 200_000) == nil)
    _ = stage.end(1)
    #expect(stage.consumed(1, 200_000) == nil)
  }

  @Test("gives no credit to a stock client")
  func consumed_stock_returnsNothing() {
    let stage = Stage { $0.streamWindowByteCount = 16 }
    stage.open(1)
    #expect(stage.consumed(1, 1000) == nil)
  }
}

private final class Handle {}

/// A machine that expectations can ask.
private final class Stage {
  private var machine: ServerConnectionMachine<Handle>

  init(_ change: (inout Limits) -> Void = { _ in }) {
    var limits = Limits()
    change(&limits)
    machine = ServerConnectionMachine(limits: limits)
  }

  var phase: ServerConnectionMachine<Handle>.Phase { machine.phase }

  var isDrained: Bool { machine.isDrained }

  var reads: Bool { machine.reads }

  var lastAccepted: StreamID? { machine.lastAccepted }

  func stream(_ number: UInt32) -> ServerConnectionMachine<Handle>.Stream? {
    machine.streams[StreamID(rawValue: number)]
  }

  func receive(
    _ type: FrameType,
    _ number: UInt32,
    _ flags: FrameFlags = [],
    _ payloadByteCount: Int = 0
  ) -> ServerConnectionMachine<Handle>.OnFrame {
    machine.receive(
      FrameHeader(
        payloadByteCount: payloadByteCount,
        streamID: StreamID(rawValue: number),
        type: type,
        flags: flags
      )
    )
  }

  func oversize(_ type: FrameType, _ number: UInt32) -> ServerConnectionMachine<Handle>.OnFrame {
    machine.receiveOversize(
      FrameHeader(
        payloadByteCount: 5_000_000,
        streamID: StreamID(rawValue: number),
        type: type
      )
    )
  }

  func violate(_ kind: ProtocolViolation) -> ServerConnectionMachine<Handle>.OnFrame? {
    machine.countViolation(kind)
  }

  /// Receives the request of a call and opens it.
  @discardableResult
  func open(_ number: UInt32, isUnary: Bool = false) -> Handle {
    let call = Handle()
    _ = receive(.request, number)
    machine.open(
      StreamID(rawValue: number),
      call: call,
      isUnaryRequest: isUnary,
      isInboundOpen: !isUnary
    )
    return call
  }

  func agree(_ change: (inout ConnectionSettings) -> Void = { _ in }) {
    var settings = ConnectionSettings()
    change(&settings)
    machine.agree(settings)
  }

  func admission(_ number: UInt32) -> ServerConnectionMachine<Handle>.OnOpen {
    machine.admission(StreamID(rawValue: number))
  }

  func end(_ number: UInt32) -> Handle? { machine.end(StreamID(rawValue: number)) }

  func close() -> [Handle] { machine.close() }

  func drain() -> ServerConnectionMachine<Handle>.OnDrain { machine.drain() }

  func finishDrain() -> Bool { machine.finishDrain() }

  func abandonCalls() -> [Handle]? { machine.abandonCalls() }

  func flushed() -> Bool { machine.flushed() }

  func discard(_ byteCount: Int) { machine.discard(byteCount: byteCount) }

  func maySend(_ number: UInt32) -> Bool { machine.maySend(StreamID(rawValue: number)) }

  func sent(_ number: UInt32, _ byteCount: Int) {
    machine.sent(StreamID(rawValue: number), payloadByteCount: byteCount)
  }

  func addCredit(_ number: UInt32, _ byteCount: Int) -> Handle? {
    machine.addCredit(StreamID(rawValue: number), byteCount: byteCount)
  }

  func consumed(_ number: UInt32, _ byteCount: Int) -> Int? {
    machine.consumed(StreamID(rawValue: number), cost: byteCount + FrameHeader.byteCount)
  }
}
