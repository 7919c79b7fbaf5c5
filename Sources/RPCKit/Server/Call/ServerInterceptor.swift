/// Looks at every call of a server before its handler runs and when it fails or ends: authentication,
/// logging, tracing.
///
/// Interceptors are asked in the order they were given. One of them is notified about the end of a
/// call, those inside of it were notified before.
public protocol ServerInterceptor: Sendable {
  /// Says how a call continues, or throws to refuse it; what is thrown is the call's status, once the
  /// interceptors before this one have seen it.
  ///
  /// Runs on the call's loop, in the event that brought the call, so it must neither block nor take
  /// long: work such as verifying a signature belongs in `Interception.around`. `CallContext.current`
  /// is nil.
  func begin(_ call: CallContext) throws -> Interception

  /// The error that a call ends with instead of `error`, which is what this returns unless it has
  /// something to say.
  ///
  /// Called on the call's loop for calls that this interceptor let in, whether the handler, another
  /// interceptor or the decoding of the request threw. An error that ends a call from outside, such as
  /// its deadline or a lost connection, is not seen.
  func failed(_ call: CallContext, _ error: any Error) -> any Error

  /// A call that this interceptor let in is over and its handler has returned.
  ///
  /// Called on the call's loop, once, however the call ended.
  func ended(_ call: CallContext)
}

extension ServerInterceptor {
  /// Every call continues.
  public func begin(_ call: CallContext) throws -> Interception { .proceed }

  /// Errors stay what they are.
  public func failed(_ call: CallContext, _ error: any Error) -> any Error { error }

  /// There is nothing to do.
  public func ended(_ call: CallContext) {}
}

/// How a call continues.
public enum Interception: Sendable {
  /// The call continues now.
  case proceed
  /// The call continues in a task, in which this function runs: it waits for whatever the interceptor
  /// needs, and then calls `next` once, or throws to refuse the call.
  ///
  /// Cancelling the call cancels that task. A function that returns without having called `next` is a
  /// mistake, and the call ends with INTERNAL.
  case around(Around)

  /// The part of an interceptor that runs in a call's task.
  public typealias Around =
    @Sendable (_ call: CallContext, _ next: () async throws -> Void) async throws -> Void
}
