import RPCKitTesting
import Synchronization
import Testing

@testable import RPCKit

/// A loop on a manual clock, for these tests only: timers fire when time is advanced.
final class AdminTestLoop: EventLoop {
  private struct State {
    var now = MonotonicInstant(nanoseconds: 0)
    var timers: [UInt64: Timer] = [:]
    var nextID: UInt64 = 1
  }

  private struct Timer {
    var id: TimerID
    var deadline: MonotonicInstant
    var token: UInt64
    var target: Target
  }

  /// The tests run on one thread at a time, so that the target is never used from two.
  private struct Target: @unchecked Sendable { weak var target: (any TimerTarget)? }

  private let state = Mutex(State())
  /// Timers that wait.
  var timerCount: Int { state.withLock { $0.timers.count } }

  var isCurrent: Bool { true }
  var now: MonotonicInstant { state.withLock { $0.now } }

  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    let target = Target(target: target)
    return state.withLock { state in
      let number = state.nextID
      state.nextID += 1
      let id = TimerID(index: 0, generation: UInt32(number))
      state.timers[number] = Timer(id: id, deadline: deadline, token: token, target: target)
      return id
    }
  }

  func cancel(_ timer: TimerID) {
    state.withLock { state in
      state.timers = state.timers.filter { $0.value.id != timer }
    }
  }

  /// Moves the clock and fires what is due, earliest first.
  func advance(by duration: Duration) {
    let end = now.advanced(by: duration)
    while true {
      let due = state.withLock { state -> Timer? in
        let next = state.timers.min { $0.value.deadline < $1.value.deadline }
        guard let next, next.value.deadline <= end else { return nil }
        state.timers.removeValue(forKey: next.key)
        state.now = max(state.now, next.value.deadline)
        return next.value
      }
      guard let due else { break }
      due.target.target?.timerFired(due.token)
    }
    state.withLock { $0.now = end }
  }

  func execute(_ work: @escaping @Sendable () -> Void) { Issue.record("not used here") }
  func atEndOfTurn(_ target: any TurnEndTarget) { Issue.record("not used here") }
  func randomNumber() -> UInt64 { 4 }
  func enqueue(_ job: consuming ExecutorJob) { Issue.record("not used here") }
}

/// A stream in memory whose other end is the test.
final class AdminTestTransport: Transport {
  let testLoop = AdminTestLoop()
  var loop: any EventLoop { testLoop }
  let peer: Peer
  private var receiver: (any TransportReceiver)?

  /// What was written and not read by the test yet.
  private(set) var written: [UInt8] = []
  /// How much the test lets wait.
  var room = Int.max
  private(set) var isReading = true
  private(set) var isOutputClosed = false
  private(set) var isClosed = false

  init(source: String = "test") {
    peer = Peer(address: source)
    Teardown.add { [self] in reportClosed() }
  }

  func start(_ receiver: any TransportReceiver) { self.receiver = receiver }

  func handOver(to receiver: any TransportReceiver) { self.receiver = receiver }

  func write(from output: inout ByteBuffer) {
    #expect(!isClosed && !isOutputClosed)
    let count = min(output.byteCount, room - written.count)
    output.withBytes { bytes in
      for index in 0..<count { written.append(bytes[index]) }
    }
    output.consume(count)
  }

  func setReading(_ isReading: Bool) { self.isReading = isReading }
  func closeOutput() { isOutputClosed = true }
  func close() { isClosed = true }

  func connect() { receiver?.transportConnected() }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    receiver?.transportReceived(bytes.span)
  }

  func sendEnd() { receiver?.transportReceivedEnd() }

  /// What a transport does last: report, and let go of its receiver.
  func reportClosed() {
    receiver?.transportClosed(nil)
    receiver = nil
  }

  /// Takes what was written and reports room.
  func read() -> String {
    let text = String(decoding: written, as: UTF8.self)
    written = []
    if !isClosed { receiver?.transportBecameWritable() }
    return text
  }
}
