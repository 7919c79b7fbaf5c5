/// Runs handlers in tasks that serve one call after another, because making a task, and even
/// waking one, costs more than a short handler.
///
/// Calls wait in a `CallQueue`. One worker takes them in turn for as long as their handlers do not
/// suspend, so a batch of short handlers costs one wake-up. When a handler suspends, its worker
/// goes with it; what is left in the queue is seen at the end of the turn and more workers are
/// woken, twice as many each time in a row.
///
/// All workers together may use `nanosecondsPerTurnMax` of a turn. Then the loop writes the answers it has,
/// and reads: a busy server refuses what it cannot do while that is young, instead of letting it
/// grow old in the kernel.
///
/// The tasks are unstructured, since calls begin in events and not in a task; each lives until the
/// server stops, and prefers its loop's executor, so a handler that never suspends elsewhere runs
/// on the loop. Cancelling a call cancels the task it runs in, and as a task cannot be
/// un-cancelled, that one then ends and is replaced when there is need. Confined to one loop.
final class HandlerWorkers: TurnEndTarget, @unchecked Sendable {
  // @unchecked: everything here is touched on the loop only, which the workers prefer.

  /// A call that waits for a worker.
  struct Work: QueuedCall, Sendable {
    let call: CallContext
    let body: @Sendable () async throws -> Void

    var lineID: CallLineID {
      CallLineID(
        connection: ObjectIdentifier(call.connection),
        client: call.forwardedClient?.source
      )
    }
    var source: String { call.source }
    var byteCount: Int { call.requestByteCount }
  }

  /// Tasks that are kept although they have nothing to do.
  private static let idleCountMax = 1024
  /// Calls that begin before the loop looks for events again.
  private static let callsPerTurnMax = 512
  /// Time that calls may take before the loop looks for events again.
  ///
  /// Long enough that the loop's own part, 100 µs with a few busy connections, is a small one, and
  /// short enough that who is refused learns it within 10 ms.
  private static let nanosecondsPerTurnMax: Int64 = 5_000_000

  private let loop: any EventLoop
  private let confinedIdle = Confined<[HandlerWorker]>([])
  private let confinedWaiting = Confined(CallQueue<Work>())
  private var isWorkerWoken = false
  private var isTurnEndScheduled = false
  private var wakeCount = 1
  /// Calls taken in this turn.
  private var takenCount = 0
  /// The turn has had its share of handlers.
  private var isTurnUsedUp = false
  /// When the workers took their first call of this turn; nil before that.
  private var began: MonotonicInstant?
  /// When the last handler of this turn returned.
  private var lastReturn = MonotonicInstant(nanoseconds: 0)
  private var isStopped = false

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  private var idle: [HandlerWorker] {
    _read { yield confinedIdle.value }
    _modify { yield &confinedIdle.value }
  }

  private var waiting: CallQueue<Work> {
    _read { yield confinedWaiting.value }
    _modify { yield &confinedWaiting.value }
  }

  /// Runs a call's handler as soon as the loop gets to it.
  ///
  /// Loop only.
  func start(_ call: CallContext, _ body: @escaping @Sendable () async throws -> Void) {
    waiting.append(Work(call: call, body: body))
    guard !isWorkerWoken else { return }
    isWorkerWoken = true
    wake()
  }

  /// A worker begins to take calls.
  ///
  /// Loop only.
  func workerWoke() {
    isWorkerWoken = false
  }

  /// The next call that waits; nil when there is none.
  ///
  /// Loop only.
  func take() -> Work? {
    guard !waiting.isEmpty else { return nil }
    // Not only by workers that were woken: one whose handler was suspended comes here by itself.
    scheduleTurnEnd()
    guard !isTurnUsedUp, takenCount < Self.callsPerTurnMax else {
      isTurnUsedUp = true
      return nil
    }
    if began == nil { beginTurn() }
    takenCount += 1
    return waiting.popFirst()
  }

  /// The workers begin, after all that was read in this turn.
  ///
  /// Reading is not on their account: a server that has a lot to refuse would otherwise run one call in
  /// each turn, and have even more to refuse.
  private func beginTurn() {
    // One call needs no bound, and so no look at the clock.
    let now = waiting.count > 1 ? loop.preciseNow : loop.now
    began = now
    lastReturn = now
  }

  /// A waiting call that gives its place in admission control to a new one of `connection`, made for
  /// `client` if there is one; nil when those have their share.
  ///
  /// Loop only. Anyone who asks ends the call that gives its place.
  func takeToMakeRoom(
    for connection: CallHost,
    _ client: ForwardedClient?,
    requestByteCount: Int
  ) -> CallContext? {
    waiting.popToMakeRoom(
      for: CallLineID(connection: ObjectIdentifier(connection), client: client?.source),
      of: client?.source ?? connection.peer.source,
      byteCount: requestByteCount
    )?.call
  }

  /// Whether a call may be answered in the event that brought it (see `Reply`): none waits that
  /// came earlier, and the turn has not had its share.
  ///
  /// Loop only.
  var hasTimeNow: Bool {
    waiting.isEmpty && !isTurnUsedUp && takenCount < Self.callsPerTurnMax
  }

  /// A call was answered in the event that brought it, at `instant`.
  ///
  /// Loop only.
  func workedNow(until instant: MonotonicInstant) {
    scheduleTurnEnd()
    takenCount += 1
    if loop.now.nanoseconds(to: instant) > Self.nanosecondsPerTurnMax { isTurnUsedUp = true }
  }

  /// Places of the queue, those of calls that were taken included.
  var placeCount: Int { waiting.placeCount }

  /// The handler of a call returned at `instant`.
  ///
  /// Loop only.
  func worked(_ work: Work, until instant: MonotonicInstant) {
    // Nil for a handler that was suspended and ran on before any other was taken in this turn.
    guard let began else { return }
    waiting.charge(work, nanoseconds: lastReturn.nanoseconds(to: instant))
    lastReturn = instant
    if began.nanoseconds(to: instant) > Self.nanosecondsPerTurnMax { isTurnUsedUp = true }
  }

  /// The workers that ran in this turn suspended or had enough; others take what is left.
  func turnEnded() {
    isTurnEndScheduled = false
    let wasUsedUp = isTurnUsedUp
    isTurnUsedUp = false
    takenCount = 0
    began = nil
    let left = waiting.count
    // After a turn that was used up one worker is enough: handlers do not suspend.
    if left == 0 || wasUsedUp { wakeCount = 1 }
    guard left > 0 else { return }
    for _ in 0..<min(left, wakeCount) { wake() }
    wakeCount = min(wakeCount * 2, Self.idleCountMax)
  }

  private func scheduleTurnEnd() {
    guard !isTurnEndScheduled else { return }
    isTurnEndScheduled = true
    loop.atEndOfTurn(self)
  }

  private func wake() {
    if let parked = idle.popLast() {
      parked.resume()
    } else {
      HandlerWorker().begin(on: loop, workers: self)
    }
  }

  /// Keeps a worker for later; false when it should end.
  ///
  /// Loop only.
  func park(_ worker: HandlerWorker) -> Bool {
    guard !isStopped, idle.count < Self.idleCountMax else { return false }
    idle.append(worker)
    return true
  }

  /// Ends the idle workers, and the others when they are done.
  ///
  /// Loop only.
  func stop() {
    isStopped = true
    let workers = idle
    idle = []
    for worker in workers { worker.resume() }
  }
}
