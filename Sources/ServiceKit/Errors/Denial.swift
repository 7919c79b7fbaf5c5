public import RPCKit

/// A denial, for the log and the metrics.
///
/// The true reason, also where the caller learns less: it travels as the cause of the error, which never
/// leaves the process.
public struct Denial: Error, Hashable, Sendable {
  /// The requested action, in the words of the policy: `unit.update`.
  public let action: String
  /// On what.
  public let object: String
  /// Why not: a reason code.
  public let reason: String
}

/// Is notified of a denied call, on any thread; must not take long.
public typealias DenialObserver = @Sendable (_ denial: Denial, _ call: CallContext) -> Void

extension RPCError {
  /// The same answer, with what it hides from the caller for the log.
  public func denying(_ action: String, on object: String, because reason: String) -> RPCError {
    var error = self
    error.cause = Denial(action: action, object: object, reason: reason)
    return error
  }
}
