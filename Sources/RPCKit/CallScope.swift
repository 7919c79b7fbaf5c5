/// What outgoing calls inherit from the call that is being served by the current task.
///
/// A client call takes the earlier of its own and the inherited deadline, so that a chain of
/// services gives up together, and passes the trace on.
public enum CallScope {
  /// When the call that is being served must be answered; nil means no deadline.
  public static var deadline: MonotonicInstant? {
    guard let deadline = CallContext.current?.deadline, deadline != .distantFuture else {
      return nil
    }
    return deadline
  }

  /// The W3C trace context of the call that is being served, for the metadata `traceparent`.
  public static var traceparent: String? {
    CallContext.current?.metadata["traceparent"]
  }
}
