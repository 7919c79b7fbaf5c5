/// What outgoing calls inherit from the call that is being served.
///
/// The server sets both around each handler; a client call started inside takes the earlier of its
/// own and the inherited deadline, so that a chain of services gives up together.
public enum CallScope {
  /// When the call that is being served must be answered; nil means no deadline.
  @TaskLocal public static var deadline: MonotonicInstant?
  /// The W3C trace context of the call that is being served, sent on as metadata `traceparent`.
  @TaskLocal public static var traceparent: String?
}
