/// One task that runs handlers.
///
/// Confined to its loop.
///
/// `@unchecked Sendable`: everything here is touched on the loop only.
@safe
final class HandlerWorker: @unchecked Sendable {
  private var task: Task<Void, Never>?
  private var continuation: UnsafeContinuation<Void, Never>?
  /// Asked more often than `Task.isCancelled` is worth: nobody else has the task.
  private var isCancelled = false

  /// Makes the task, which takes calls at once.
  func begin(on loop: any EventLoop, workers: HandlerWorkers) {
    task = Task(executorPreference: loop) { [self] in
      var isKept = true
      while isKept, !isCancelled {
        workers.workerWoke()
        while !isCancelled, let work = workers.take() {
          let call = work.call
          call.worker = self
          if call.isOver {
            // A call whose deadline passed while it waited for its turn is not worth starting.
            call.connection.core.observer.expiredBeforeStart()
          } else {
            do {
              try await CallContext.$current.withValue(call, operation: work.body)
            } catch {
              call.finish(throwing: error)
            }
          }
          workers.worked(work, until: call.handlerReturned())
        }
        isKept = await park(workers)
      }
      task = nil
    }
  }

  /// Lets a parked worker look for calls, or end.
  func resume() {
    let parked = unsafe continuation.take()
    unsafe parked?.resume()
  }

  /// Cancels the handler that runs now.
  ///
  /// The worker does not run another.
  func cancel() {
    isCancelled = true
    task?.cancel()
  }

  /// Waits until there is work; false when the worker is no longer needed.
  private func park(_ workers: HandlerWorkers) async -> Bool {
    guard !isCancelled, workers.park(self) else { return false }
    await unsafe withUnsafeContinuation { continuation in
      unsafe self.continuation = continuation
    }
    return true
  }
}
