/// A suspended caller, to be resumed exactly once.
///
/// The unchecked continuation costs no allocation. That it is resumed once is ensured by `take`
/// semantics in its owners: anyone who ends a call removes it from the connection's table first.
@safe
struct CallContinuation<Success>: Sendable {
  private let continuation: UnsafeContinuation<Result<Success, RPCError>, Never>

  /// Suspends the task until `body`'s continuation is resumed.
  ///
  /// `body` runs at once.
  static func suspend(
    _ body: (CallContinuation) -> Void
  ) async -> sending Result<Success, RPCError> {
    await unsafe withUnsafeContinuation { continuation in
      unsafe body(CallContinuation(continuation: continuation))
    }
  }

  func resume(_ outcome: sending Result<Success, RPCError>) {
    unsafe continuation.resume(returning: outcome)
  }
}
