/// Runs handlers in tasks that serve one call after another, because making a task costs more than
/// a short handler.
///
/// The tasks are unstructured, since calls begin in events and not in a task; each lives until the
/// server stops, and prefers its loop's executor, so a handler that never suspends elsewhere runs
/// on the loop. Cancelling a call cancels the task it runs in, and as a task cannot be
/// un-cancelled, that one then ends and is replaced when there is need. Confined to one loop.
final class HandlerWorkers: @unchecked Sendable {
  // @unchecked: the list of idle workers is touched on the loop only, which the workers prefer.

  /// What a worker does next.
  struct Work: Sendable {
    let call: CallContext
    let body: @Sendable () async throws -> Void
  }

  /// Tasks that are kept although they have nothing to do.
  private static let idleCountMax = 1024

  private let loop: any EventLoop
  private var idle: [HandlerWorker] = []
  private var isStopped = false

  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  /// Runs a call's handler as soon as the loop gets to it. Loop only.
  func start(_ call: CallContext, _ body: @escaping @Sendable () async throws -> Void) {
    let work = Work(call: call, body: body)
    let worker: HandlerWorker
    if let parked = idle.popLast() {
      worker = parked
      call.worker = worker
      worker.resume(work)
    } else {
      worker = HandlerWorker()
      call.worker = worker
      worker.begin(work, on: loop, workers: self)
    }
  }

  /// Keeps a worker for later; false when it should end. Loop only.
  func park(_ worker: HandlerWorker) -> Bool {
    guard !isStopped, idle.count < Self.idleCountMax else { return false }
    idle.append(worker)
    return true
  }

  /// Ends the idle workers, and the others when they are done. Loop only.
  func stop() {
    isStopped = true
    let workers = idle
    idle = []
    for worker in workers { worker.resume(nil) }
  }
}

/// One task that runs handlers. Confined to its loop.
///
/// `@unchecked Sendable`: `task` and `continuation` are touched on the loop only.
@safe
final class HandlerWorker: @unchecked Sendable {
  private var task: Task<Void, Never>?
  private var continuation: UnsafeContinuation<HandlerWorkers.Work?, Never>?

  /// Makes the task, with its first work.
  func begin(_ work: HandlerWorkers.Work, on loop: any EventLoop, workers: HandlerWorkers) {
    task = Task(executorPreference: loop) { [self] in
      var next: HandlerWorkers.Work? = work
      while let work = next {
        let call = work.call
        if call.isOver {
          // A call whose deadline passed while it waited for its turn is not worth starting.
          call.connection.core.observer.expiredBeforeStart()
        } else {
          do {
            try await CallContext.$current.withValue(call, operation: work.body)
          } catch {
            call.connection.finish(call, throwing: error)
          }
        }
        call.connection.handlerReturned(call)
        guard !Task.isCancelled else { break }
        next = await park(workers)
      }
      task = nil
    }
  }

  /// Gives a parked worker its next work; nil ends it.
  func resume(_ work: HandlerWorkers.Work?) {
    let parked = unsafe continuation.take()
    unsafe parked?.resume(returning: work)
  }

  /// Cancels the handler that runs now. The worker does not run another.
  func cancel() {
    task?.cancel()
  }

  private func park(_ workers: HandlerWorkers) async -> HandlerWorkers.Work? {
    await unsafe withUnsafeContinuation { continuation in
      unsafe self.continuation = continuation
      if !workers.park(self) { resume(nil) }
    }
  }
}
