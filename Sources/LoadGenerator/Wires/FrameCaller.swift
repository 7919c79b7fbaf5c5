internal import RPCKit

/// Calls by frames: RPCKit's own caller.
///
/// Loop only.
final class FrameCaller: LoadCaller, RawCallerDelegate {
  /// The parts that all calls share.
  struct Call: Sendable {
    let service: String
    let method: String
    let metadata: Metadata
    let timeout: Duration?
  }

  private let caller: RawCaller
  private let call: Call
  private var delegate: (any LoadCallerDelegate)?

  init(_ transport: any Transport, _ call: Call, limits: Limits, isStock: Bool) {
    caller = RawCaller(transport, limits: limits, sendsHello: !isStock)
    self.call = call
  }

  func start(_ delegate: any LoadCallerDelegate) {
    self.delegate = delegate
    caller.start(self)
  }

  func send(path: Span<UInt8>, payload: Span<UInt8>, token: UInt64) -> Bool {
    caller.send(
      service: call.service,
      method: call.method,
      payload: payload,
      timeout: call.timeout,
      metadata: call.metadata,
      token: token
    )
  }

  func close() { caller.close() }

  func rawConnectionReady() { delegate?.callerReady() }

  func rawCallEnded(
    _ token: UInt64,
    _ code: StatusCode,
    _ answer: Span<UInt8>,
    isNotProcessed: Bool
  ) {
    let end: CallEnd =
      code == .ok ? .succeeded : isNotProcessed ? .notProcessed(code) : .failed(code)
    delegate?.callEnded(token, end, answer)
  }

  func rawConnectionClosed(_ error: TransportError?) {
    delegate.take()?.callerClosed(error)
  }
}
