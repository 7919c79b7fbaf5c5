import Foundation
import Synchronization
import Testing

@testable import RPCKit

/// The production loop on real threads, descriptors and time.
@Suite("An epoll event loop", .timeLimit(.minutes(1)))
struct EpollEventLoopTests {
  /// Runs `body` with a loop that is stopped afterwards.
  private static func withLoop(_ body: (EpollEventLoop) async throws -> Void) async throws {
    let loop = try EpollEventLoop(name: "test")
    defer { loop.stop() }
    try await body(loop)
  }

  /// Runs `body` on the loop and returns what it returns.
  private static func on<Result: Sendable>(
    _ loop: EpollEventLoop,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      loop.execute { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  // MARK: - The end

  @Test("lets go of timers, handlers and work when it stops, although they hold the loop")
  func stop_withTimersAndHandlers_freesThem() async throws {
    let holders = try await Self.heldByStoppedLoop()
    #expect(holders.allSatisfy { $0.holder == nil })
  }

  /// What a loop that was stopped held, weakly.
  private static func heldByStoppedLoop() async throws -> [WeakHolder] {
    let loop = try EpollEventLoop(name: "test")
    let holders = try await on(loop) {
      let timer = Holder(loop)
      _ = loop.schedule(at: loop.now.advanced(byNanoseconds: .max / 4), target: timer, token: 0)
      return [WeakHolder(timer)]
    }
    loop.stop()
    let late = Holder(loop)
    loop.execute { late.timerFired(0) }
    return holders + [WeakHolder(late)]
  }

  private final class Holder: TimerTarget, Sendable {
    let loop: EpollEventLoop

    init(_ loop: EpollEventLoop) { self.loop = loop }

    func timerFired(_ token: UInt64) {}
  }

  private final class WeakHolder: Sendable {
    private let reference: @Sendable () -> Holder?

    init(_ holder: Holder) {
      reference = { [weak holder] in holder }
    }

    var holder: Holder? { reference() }
  }

  @Test("lets go of whom a connection tells when it stops, although they hold the connection")
  func stop_withOpenConnection_freesBothEnds() async throws {
    let receivers = try await Self.receiversOnStoppedLoop()
    #expect(receivers.allSatisfy { $0() == nil })
  }

  /// Both ends of a connection on a loop that was stopped, weakly.
  private static func receiversOnStoppedLoop() async throws -> [@Sendable () -> Receiver?] {
    let loop = try EpollEventLoop(name: "test")
    let (network, connected) = (SocketNetwork(), OneTimeEvent<@Sendable () -> Receiver?>())
    let listener = try await network.listen(
      at: .ipv4([127, 0, 0, 1], port: 0),
      on: loop,
      options: ListenOptions()
    ) { incoming in
      loop.execute { Receiver(incoming.open(on: loop), connected).start() }
    }
    let address = listener.address
    loop.execute { Receiver(network.connect(to: address, on: loop), connected).start() }
    let receivers = [try await connected.value(), try await connected.value()]
    listener.close()
    loop.stop()
    return receivers
  }

  /// `@unchecked Sendable`: confined to the loop.
  private final class Receiver: TransportReceiver, @unchecked Sendable {
    private let transport: any Transport
    private let connected: OneTimeEvent<@Sendable () -> Receiver?>

    init(_ transport: any Transport, _ connected: OneTimeEvent<@Sendable () -> Receiver?>) {
      self.transport = transport
      self.connected = connected
    }

    func start() { transport.start(self) }

    func transportConnected() { connected.happened { [weak self] in self } }
    func transportReceived(_ bytes: Span<UInt8>) {}
    func transportReceivedEnd() {}
    func transportBecameWritable() {}
    func transportClosed(_ error: TransportError?) {}
  }

  // MARK: - Timers

  @Test("fires timers in the order of their deadlines, none early, and no cancelled one")
  func timers_manyAndCancelled_fireInOrder() async throws {
    try await Self.withLoop { loop in
      let (recorder, over) = (TimerRecorder(loop), OneTimeEvent<Void>())
      try await Self.on(loop) {
        let start = loop.now
        for milliseconds in [30, 5, 20, 1, 12] {
          recorder.schedule(start, milliseconds)
        }
        loop.cancel(recorder.schedule(start, 8))
        recorder.onFire = { if $0 == 30 { over.happened() } }
      }
      try await over.value()
      let fired = try await Self.on(loop) { recorder.fired }
      #expect(fired.map(\.token) == [1, 5, 12, 20, 30])
      for (token, lateness) in fired {
        #expect(lateness >= 0, "the timer at \(token) ms was early")
      }
    }
  }

  @Test("does not fire a timer that another one of the same turn cancels")
  func timer_cancelledByAnother_doesNotFire() async throws {
    try await Self.withLoop { loop in
      let (recorder, over) = (TimerRecorder(loop), OneTimeEvent<Void>())
      try await Self.on(loop) {
        let start = loop.now
        let (first, second) = (recorder.schedule(start, 2), recorder.schedule(start, 2))
        recorder.schedule(start, 10)
        recorder.onFire = { token in
          // Whichever comes first takes the other back.
          loop.cancel(first)
          loop.cancel(second)
          if token == 10 { over.happened() }
        }
      }
      try await over.value()
      let fired = try await Self.on(loop) { recorder.fired }
      #expect(fired.map(\.token) == [2, 10])
    }
  }

  @Test("sleeps until a timer that is set while it sleeps without limit")
  func timer_setFromElsewhere_wakesTheLoop() async throws {
    try await Self.withLoop { loop in
      for _ in 0..<20 {
        let start = ContinuousClock.now
        await loop.sleep(.milliseconds(2))
        #expect(ContinuousClock.now - start >= .milliseconds(2))
      }
    }
  }

  // MARK: - Work from other threads

  @Test("is woken by each of many pieces of work, one at a time")
  func execute_oneAtATime_wakesEachTime() async throws {
    try await Self.withLoop { loop in
      var sum = 0
      for number in 0..<5000 { sum += try await Self.on(loop) { loop.isCurrent ? number : -1 } }
      #expect(sum == 5000 * 4999 / 2)
    }
  }

  @Test("runs the work of many threads, that of each in its order")
  func execute_manyThreads_keepsTheOrderOfEach() async throws {
    try await Self.withLoop { loop in
      let (threadCount, workCount) = (8, 2000)
      let seen = (0..<threadCount).map { _ in Log() }
      await withTaskGroup { group in
        for log in seen {
          group.addTask {
            for number in 0..<workCount { loop.execute { log.note("\(number)") } }
          }
        }
      }
      // Submitted after all the others, so it runs after them.
      try await Self.on(loop) {}
      let expected = (0..<workCount).map { "\($0)" }
      for log in seen { #expect(log.lines == expected) }
    }
  }

  @Test("runs tasks that prefer it, and takes them back from elsewhere")
  func tasks_preferringTheLoop_runOnIt() async throws {
    try await Self.withLoop { loop in
      await withTaskGroup { group in
        for _ in 0..<100 {
          group.addTask(executorPreference: loop) {
            var onLoop = 0
            for _ in 0..<50 {
              if loop.isCurrent { onLoop += 1 }
              await Elsewhere.shared.visit()
            }
            return onLoop
          }
        }
        for await onLoop in group { #expect(onLoop == 50) }
      }
    }
  }

  @Test("tells who is at the end of a turn after the tasks of the turn ran")
  func endOfTurn_afterTasks_isTold() async throws {
    try await Self.withLoop { loop in
      let events = Log()
      let over = OneTimeEvent<Void>()
      let target = TurnEndRecorder {
        events.note("end")
        over.happened()
      }
      loop.execute {
        loop.atEndOfTurn(target)
        Task(executorPreference: loop) { events.note("task") }
      }
      try await over.value()
      #expect(events.lines == ["task", "end"])
    }
  }

  // MARK: - Descriptors

  @Test("tells of a descriptor while it is ready and watched, and no longer")
  func descriptor_readyAndWatched_isTold() async throws {
    try await Self.withLoop { loop in
      let pipe = Pipe()
      let ready = OneTimeEvent<DescriptorReadiness>()
      let watch = Watch(pipe.fileHandleForReading, on: loop) { watch, readiness in
        watch.setInterest([])
        ready.happened(readiness)
      }
      try await Self.on(loop) { try watch.register(.readable) }
      for byte in UInt8(0)..<3 {
        try pipe.fileHandleForWriting.write(contentsOf: [byte])
        #expect(try await ready.value() == .readable)
        // Not watched, and the byte is still there: each turn would tell of it.
        for _ in 0..<5 { try await Self.on(loop) {} }
        #expect(watch.count.value == Int(byte) + 1)
        #expect(try pipe.fileHandleForReading.read(upToCount: 1) == Data([byte]))
        try await Self.on(loop) { watch.setInterest(.readable) }
      }
      try pipe.fileHandleForWriting.close()
      #expect(try await ready.value() == .hangUp)
      try await Self.on(loop) { watch.unregister() }
    }
  }

  @Test("drops events that were fetched for a registration that has ended since")
  func descriptor_unregisteredInTheSameTurn_isNotTold() async throws {
    try await Self.withLoop { loop in
      let pipes = [Pipe(), Pipe()]
      let replacement = Pipe()
      let over = OneTimeEvent<Void>()
      let watches = Lock<[Watch]>([])
      let late = Watch(replacement.fileHandleForReading, on: loop) { _, _ in
        Issue.record("the new registration was told of the old one's event")
      }
      for pipe in pipes {
        let watch = Watch(pipe.fileHandleForReading, on: loop) { watch, _ in
          // Both are ready in one turn. The first ends both, and takes the place of the other.
          for other in watches.withLock({ $0 }) { other.unregister() }
          try? late.register(.readable)
          over.happened()
        }
        watches.withLock { $0.append(watch) }
        try pipe.fileHandleForWriting.write(contentsOf: [1])
      }
      try await Self.on(loop) {
        for watch in watches.withLock({ $0 }) { try watch.register(.readable) }
      }
      try await over.value()
      try await Self.on(loop) { late.unregister() }
      #expect(watches.withLock { $0.reduce(0) { $0 + $1.count.value } } == 1)
      // Each of them holds the list.
      watches.withLock { $0 = [] }
    }
  }

  // MARK: - The end

  @Test("stops after its turn: what is queued behind does not run, and the thread is gone")
  func stop_withWorkAndTimers_endsTheThread() async throws {
    let loop = try EpollEventLoop(name: "stopping")
    let recorder = TimerRecorder(loop)
    let (began, ran) = (OneTimeEvent<Void>(), Tally())
    let gate = DispatchSemaphore(value: 0)
    loop.execute {
      recorder.schedule(loop.now, 60_000)
      began.happened()
      gate.wait()
      ran.add()
    }
    try await began.value()
    let stopped = Task.detached { loop.stop() }
    gate.signal()
    await stopped.value
    #expect(ran.value == 1)
    loop.execute { ran.add() }
    #expect(ran.value == 1 && !loop.isCurrent)
  }
}

/// An actor of Swift's own pool.
private actor Elsewhere {
  static let shared = Elsewhere()
  private var visits = 0

  func visit() { visits += 1 }
}

private final class TurnEndRecorder: TurnEndTarget, Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func turnEnded() { body() }
}

/// A watched descriptor.
///
/// `@unchecked Sendable`: used on its loop only, but for the count.
private final class Watch: ReadinessHandler, @unchecked Sendable {
  let count = Tally()
  private let loop: EpollEventLoop
  private let descriptor: FileDescriptor
  private var name: UInt64?
  private let body: (Watch, DescriptorReadiness) -> Void

  /// Watches a duplicate, because the handle closes its own.
  init(
    _ handle: FileHandle,
    on loop: EpollEventLoop,
    _ body: @escaping (Watch, DescriptorReadiness) -> Void
  ) {
    self.loop = loop
    self.body = body
    descriptor = FileDescriptor(owning: dup(handle.fileDescriptor))
  }

  func register(_ interest: DescriptorReadiness) throws {
    name = try loop.register(descriptor, interest, handler: self)
  }

  func setInterest(_ interest: DescriptorReadiness) {
    guard let name else { return }
    do { try loop.modify(descriptor, interest, name: name) } catch { Issue.record(error) }
  }

  func unregister() {
    guard let name else { return }
    self.name = nil
    loop.unregister(descriptor, name: name)
  }

  func becameReady(_ readiness: DescriptorReadiness) {
    count.add()
    body(self, readiness)
  }
}
