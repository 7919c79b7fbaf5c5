internal import RPCKit

/// The part of a run that one event loop does: some of the connections, their calls, and the counts.
///
/// `@unchecked Sendable`: `init` sets constants; everything else is touched on `loop` only, which
/// the callers it takes its work from check.
final class LoadWorker: TimerTarget, @unchecked Sendable {
  enum Phase {
    /// Connections are being made.
    case connecting
    /// One call per connection. Next: `driving`, `closing`.
    case touching
    /// Calls are made.
    case driving
    /// The time is over; what was due is followed. Next: `closing`.
    case draining
    /// Whatever is open is given up.
    case closing
  }

  private enum Tick: UInt64 {
    case regular
    case connectTimeout
    case begin
  }

  /// Attempts to connect, and first calls, that run at a time: more would overflow a listener's queue.
  private static let connectingMax = 128
  private static let connectTimeout = Duration.seconds(10)
  /// How often the worker looks whether the run is over.
  private static let tickInterval = Duration.milliseconds(10)
  /// How often it makes lost connections again.
  private static let ticksPerReconnect = 10
  /// How long before a call is due the loop stops sleeping: timers of the kernel are late by 50 µs
  /// (prctl(2), PR_SET_TIMERSLACK), and waking up takes as long again.
  private static let spinNanoseconds: Int64 = 150_000
  /// Calls sent before answers are looked for again.
  private static let sendsPerTurnMax = 1024
  private static let exampleByteCountMax = 200

  let loop: EpollEventLoop
  let plan: LoadPlan
  private let index: Int
  private var connections: [LoadConnection] = []
  private var phase = Phase.connecting
  private var requests: RequestSource
  private var random: SplitMix64
  private var recorder: LoadRecorder
  private var pacer: ArrivalPacer?
  /// Where the search for a free place begins.
  private var turn = 0
  private var startInstant: Int64 = 0
  private var endInstant: Int64 = 0
  private var drainEnd: Int64 = 0
  private var readyCount = 0
  private var startedCount = 0
  private var lostCount = 0
  private var tickCount = 0
  private var touchFailure: String?
  private var touchedCount = 0
  private var answeredCount = 0
  private var connecting: CheckedContinuation<Void, any Error>?
  private var finishing: CheckedContinuation<WorkerResult, Never>?
  private var touching: CheckedContinuation<String?, Never>?

  init(_ plan: LoadPlan, index: Int, loop: EpollEventLoop) {
    self.plan = plan
    self.index = index
    self.loop = loop
    let options = plan.options
    requests = RequestSource(
      plan.content,
      path: plan.path,
      first: index,
      step: options.threadCount,
      seed: options.seed &+ UInt64(index)
    )
    random = SplitMix64(seed: ~options.seed &+ UInt64(index))
    recorder = LoadRecorder(isOpenLoop: plan.isOpenLoop, windowStart: 0, windowEnd: 0)
    for number in 0..<options.connectionCount where number % options.threadCount == index {
      connections.append(LoadConnection(self))
    }
  }

  // MARK: - From other threads

  /// Makes all connections.
  func connect() async throws {
    try await withCheckedThrowingContinuation { continuation in
      loop.execute { [self] in
        connecting = continuation
        _ = loop.schedule(
          at: loop.now.advanced(by: Self.connectTimeout),
          target: self,
          token: Tick.connectTimeout.rawValue
        )
        connectMore()
      }
    }
  }

  /// Makes one call on each connection; returns why one failed.
  func touch() async -> String? {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in
        touching = continuation
        phase = .touching
        touchMore()
      }
    }
  }

  /// Makes load from `start` on; returns when it is over and the connections are closed.
  func drive(from start: MonotonicInstant) async -> WorkerResult {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in
        finishing = continuation
        prepare(start)
      }
    }
  }

  /// The counts so far.
  func progress() async -> WorkerProgress {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in
        continuation.resume(
          returning: WorkerProgress(
            recorder: recorder,
            inFlight: connections.reduce(0) { $0 + $1.openCount },
            waiting: pacer?.waitingCount ?? 0
          )
        )
      }
    }
  }

  /// Gives up what is open and closes.
  func close() async {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in
        closeAll()
        continuation.resume()
      }
    }
  }

  // MARK: - Connections

  private func connectMore() {
    while startedCount < connections.count, startedCount - readyCount < Self.connectingMax {
      guard start(connections[startedCount]) else { return }
      startedCount += 1
    }
    guard readyCount == connections.count else { return }
    connecting.take()?.resume()
  }

  private func start(_ connection: LoadConnection) -> Bool {
    do {
      connection.start(try plan.caller(on: loop))
      return true
    } catch {
      connecting.take()?.resume(throwing: RunError("no connection to the server: \(error)"))
      return false
    }
  }

  /// A connection takes calls: it is made, or has room again.
  func connectionHasRoom(_ connection: LoadConnection, isNew: Bool) {
    switch phase {
    case .connecting:
      guard isNew else { break }
      readyCount += 1
      connectMore()
    case .driving:
      if pacer == nil { fill(connection) } else { sendDue(preciseNow) }
    case .touching, .draining, .closing:
      break
    }
  }

  func connectionClosed(_ error: TransportError?, wasReady: Bool) {
    switch phase {
    case .connecting:
      let place = "\(plan.address): "
      let cause = error?.description ?? "it was closed"
      let text = cause.hasPrefix(place) ? cause : place + cause
      connecting.take()?.resume(throwing: RunError("no connection to the server: \(text)"))
    case .driving, .draining:
      // A regular tick connects again.
      if wasReady { lostCount += 1 }
    case .touching, .closing:
      break
    }
  }

  // MARK: - Time

  /// Nanoseconds from the start.
  private var preciseNow: Int64 { loop.preciseNow.nanoseconds - startInstant }

  private func prepare(_ start: MonotonicInstant) {
    let options = plan.options
    startInstant = start.nanoseconds
    let warmup = options.warmup.nanosecondsSaturated
    endInstant = warmup + options.measured.nanosecondsSaturated
    drainEnd = endInstant + plan.drainNanoseconds
    recorder = LoadRecorder(
      isOpenLoop: plan.isOpenLoop,
      windowStart: warmup,
      windowEnd: endInstant
    )
    if plan.isOpenLoop {
      let schedule = ArrivalSchedule(
        rate: options.rate,
        isPoisson: options.isPoisson,
        share: index,
        of: options.threadCount,
        seed: options.seed
      )
      pacer = ArrivalPacer(
        schedule,
        end: endInstant,
        waitingMax: options.backlogMax / options.threadCount
      )
    }
    phase = .driving
    _ = loop.schedule(at: start, target: self, token: Tick.begin.rawValue)
  }

  func timerFired(_ token: UInt64) {
    switch Tick(rawValue: token) {
    case .connectTimeout:
      connecting.take()?.resume(
        throwing: RunError(
          "\(readyCount) of \(connections.count) connections were made in "
            + "\(Self.connectTimeout.components.seconds) s"
        )
      )
    case .begin: begin()
    case .regular: tick()
    case nil: preconditionFailure("a timer of the worker has an unknown name")
    }
  }

  private func begin() {
    if pacer == nil {
      for connection in connections { fill(connection) }
    } else {
      // Unowned: `finish` takes the hook away.
      loop.turnHook = { [unowned self] in pace() }
    }
    scheduleTick()
  }

  private func scheduleTick() {
    _ = loop.schedule(
      at: loop.now.advanced(by: Self.tickInterval),
      target: self,
      token: Tick.regular.rawValue
    )
  }

  private func tick() {
    let now = preciseNow
    if plan.control.isStopped, now < endInstant {
      endInstant = now
      drainEnd = now + plan.drainNanoseconds
      recorder.finish(at: now)
      pacer?.finish(at: now)
    }
    if phase == .driving, now >= endInstant { phase = .draining }
    if phase == .draining, isDrained || now >= drainEnd {
      finish(now)
      return
    }
    if plan.options.timeout != nil {
      for connection in connections { connection.caller?.endLateCalls() }
    }
    tickCount += 1
    if tickCount.isMultiple(of: Self.ticksPerReconnect) {
      for connection in connections where connection.caller == nil { _ = start(connection) }
    }
    if phase == .driving, pacer == nil {
      for connection in connections { fill(connection) }
    }
    scheduleTick()
  }

  private var isDrained: Bool {
    (pacer?.isDone ?? true) && connections.allSatisfy { $0.openCount == 0 }
  }

  private func finish(_ now: Int64) {
    while let due = pacer?.takeWaiting() {
      recorder.record(start: due, end: now, isSlow: false, .unsent)
    }
    closeAll()
    finishing.take()?.resume(
      returning: WorkerResult(recorder: recorder, pacer: pacer, lostCount: lostCount)
    )
  }

  private func closeAll() {
    phase = .closing
    loop.turnHook = nil
    for connection in connections { connection.close() }
  }

  // MARK: - Calls

  /// Keeps a connection of a closed loop full.
  private func fill(_ connection: LoadConnection) {
    while connection.openCount < plan.options.inFlightMax {
      let now = preciseNow
      guard now < endInstant, plan.control.takeCall() else { return }
      guard send(on: connection, start: now) else {
        plan.control.putCallBack()
        return
      }
    }
  }

  /// Sends what is due in an open loop; returns how long the loop may sleep.
  private func pace() -> Int64? {
    let now = preciseNow
    if sendDue(now) { return 0 }
    guard let nanoseconds = pacer?.nanosecondsToNext(now) else { return nil }
    return max(0, nanoseconds - Self.spinNanoseconds)
  }

  /// Sends calls that are due and have a place; true when there may be more.
  @discardableResult
  private func sendDue(_ now: Int64) -> Bool {
    for _ in 0..<Self.sendsPerTurnMax {
      let connection = freeConnection()
      switch pacer?.takeDue(now, hasPlace: connection != nil) {
      case .due(let due):
        guard let connection, send(on: connection, start: due) else {
          // The server takes fewer calls than there are places: the call is first in line again.
          pacer?.putBack(due)
          return false
        }
      case .dropped(let due):
        recorder.record(start: due, end: now, isSlow: false, .dropped)
        plan.control.countError()
      case .some(.none), nil:
        return false
      }
    }
    return true
  }

  /// The next connection in turn that has a place.
  private func freeConnection() -> LoadConnection? {
    for _ in connections.indices {
      turn = turn + 1 < connections.count ? turn + 1 : 0
      let connection = connections[turn]
      if connection.isReady, connection.openCount < plan.options.inFlightMax { return connection }
    }
    return nil
  }

  private func send(on connection: LoadConnection, start: Int64) -> Bool {
    let percent = plan.options.slowPercent
    let isSlow = percent > 0 && random.unitInterval() * 100 < percent
    // All that is to be known of a call when it ends, so that no table is needed.
    let token = UInt64(bitPattern: start) << 1 | (isSlow ? 1 : 0)
    let isSent = requests.withNext(isSlow: isSlow) { path, payload in
      connection.send(path: path, payload: payload, token: token)
    }
    if isSent { requests.advance() }
    return isSent
  }

  func callEnded(
    on connection: LoadConnection,
    _ token: UInt64,
    _ end: CallEnd,
    _ answer: Span<UInt8>
  ) {
    let now = preciseNow
    let outcome = outcome(end, answer)
    guard phase != .touching else {
      // A server that has just taken thousands of connections may be too busy for a call; what was to
      // be shown, that it answers here, it has shown.
      if outcome != .succeeded, !Self.isBusy(end) {
        touchFailure = "\(outcome.name) \(Self.text(answer))"
      }
      answeredCount += 1
      touchMore()
      return
    }
    // A closed loop forgets the calls that the end cut off; they are no failures.
    if outcome == .unfinished, pacer == nil { return }
    recorder.record(
      start: Int64(bitPattern: token >> 1),
      end: now,
      isSlow: token & 1 == 1,
      outcome,
      message: end == .succeeded ? "" : Self.text(answer)
    )
    if outcome != .succeeded { plan.control.countError() }
    switch phase {
    case .driving where pacer == nil:
      plan.control.countEnd()
      if now < endInstant { fill(connection) }
    case .driving, .draining:
      sendWaiting(on: connection)
    case .connecting, .touching, .closing:
      break
    }
  }

  /// Gives the place that a call left to the one that has waited longest.
  private func sendWaiting(on connection: LoadConnection) {
    guard connection.isReady, let due = pacer?.takeWaiting() else { return }
    if !send(on: connection, start: due) { pacer?.putBack(due) }
  }

  private func outcome(_ end: CallEnd, _ answer: Span<UInt8>) -> LoadRecorder.Outcome {
    guard phase != .closing else { return .unfinished }
    switch end {
    case .failed(let code): return .failed(code)
    case .notProcessed(let code): return .refused(code)
    case .answered(let status): return .answered(status: status)
    case .succeeded:
      guard let wanted = plan.answer else { return .succeeded }
      return Self.isEqual(answer, wanted) ? .succeeded : .wrongAnswer
    }
  }

  private static func isBusy(_ end: CallEnd) -> Bool {
    switch end {
    case .failed(.resourceExhausted), .notProcessed(.resourceExhausted): true
    case .answered(let status): status == 429
    default: false
    }
  }

  private static func isEqual(_ bytes: Span<UInt8>, _ wanted: [UInt8]) -> Bool {
    guard bytes.count == wanted.count else { return false }
    for index in bytes.indices where bytes[index] != wanted[index] { return false }
    return true
  }

  private static func text(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    for index in 0..<min(bytes.count, exampleByteCountMax) { text.append(bytes[index]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Makes the next calls, a few at a time: ten thousand at once would be refused as a flood.
  private func touchMore() {
    while touchFailure == nil, touchedCount < connections.count,
      touchedCount - answeredCount < Self.connectingMax
    {
      touchedCount += 1
      guard send(on: connections[touchedCount - 1], start: 0) else {
        touchFailure = "a connection takes no call"
        break
      }
    }
    guard touchFailure != nil || answeredCount == connections.count else { return }
    touching.take()?.resume(returning: touchFailure)
  }
}
