internal import RPCKit

/// One connection of a worker.
///
/// Loop only.
final class LoadConnection: LoadCallerDelegate {
  /// The worker outlives its connections: it closes them all before it ends.
  private unowned let worker: LoadWorker
  private(set) var caller: (any LoadCaller)?
  private(set) var isReady = false
  private var wasReady = false
  /// Calls that were sent and not answered.
  private(set) var openCount = 0

  init(_ worker: LoadWorker) {
    self.worker = worker
  }

  /// Connects, for the first time or again.
  func start(_ caller: any LoadCaller) {
    self.caller = caller
    caller.start(self)
  }

  /// Sends a call; false when the connection takes none now.
  func send(path: Span<UInt8>, payload: Span<UInt8>, token: UInt64) -> Bool {
    guard isReady, let caller else { return false }
    let isSent = caller.send(path: path, payload: payload, token: token)
    if isSent { openCount += 1 }
    return isSent
  }

  func close() {
    isReady = false
    caller?.close()
  }

  func callerReady() {
    isReady = true
    wasReady = true
    worker.connectionHasRoom(self, isNew: true)
  }

  func callerHasRoom() { worker.connectionHasRoom(self, isNew: false) }

  func callerDrains() { isReady = false }

  func callEnded(_ token: UInt64, _ end: CallEnd, _ answer: Span<UInt8>) {
    openCount -= 1
    worker.callEnded(on: self, token, end, answer)
  }

  func callerClosed(_ error: TransportError?) {
    let wasReady = wasReady
    isReady = false
    self.wasReady = false
    caller = nil
    worker.connectionClosed(error, wasReady: wasReady)
  }
}
