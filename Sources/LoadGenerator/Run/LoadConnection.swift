internal import RPCKit

/// One connection of a worker.
///
/// Loop only.
final class LoadConnection: RawCallerDelegate {
  /// The worker outlives its connections: it closes them all before it ends.
  private unowned let worker: LoadWorker
  private(set) var caller: RawCaller?
  private(set) var isReady = false
  /// Calls that were sent and not answered.
  private(set) var openCount = 0

  init(_ worker: LoadWorker) {
    self.worker = worker
  }

  /// Connects, for the first time or again.
  func start(_ transport: any Transport, limits: Limits, isStock: Bool) {
    let caller = RawCaller(transport, limits: limits, sendsHello: !isStock)
    self.caller = caller
    caller.start(self)
  }

  /// Sends a call; false when the connection takes none now.
  func send(_ call: LoadCall, _ payload: Span<UInt8>, token: UInt64) -> Bool {
    guard isReady, let caller else { return false }
    let isSent = caller.send(
      service: call.service,
      method: call.method,
      payload: payload,
      timeout: call.timeout,
      metadata: call.metadata,
      token: token
    )
    if isSent { openCount += 1 }
    return isSent
  }

  func close() {
    isReady = false
    caller?.close()
  }

  func rawConnectionReady() {
    isReady = true
    worker.connectionReady(self)
  }

  func rawCallEnded(
    _ token: UInt64,
    _ code: StatusCode,
    _ answer: Span<UInt8>,
    isNotProcessed: Bool
  ) {
    openCount -= 1
    worker.callEnded(on: self, token, code, answer, isNotProcessed: isNotProcessed)
  }

  func rawConnectionClosed(_ error: TransportError?) {
    let wasReady = isReady
    isReady = false
    caller = nil
    worker.connectionClosed(error, wasReady: wasReady)
  }
}

/// The parts that all calls share.
struct LoadCall: Sendable {
  let service: String
  let method: String
  let metadata: Metadata
  let timeout: Duration?

  init(_ options: LoadOptions) {
    service = options.service
    method = options.method
    metadata = options.metadata
    timeout = options.timeout
  }
}
