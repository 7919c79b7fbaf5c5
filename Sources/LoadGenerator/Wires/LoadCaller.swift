internal import RPCKit

/// One connection that makes calls by one of the wires.
///
/// Loop only. In steady state a call allocates nothing.
protocol LoadCaller: AnyObject {
  /// Connects; the delegate is kept alive until the connection closes.
  func start(_ delegate: any LoadCallerDelegate)

  /// Sends a call; false when the connection takes none now, and the delegate hears nothing of `token`.
  ///
  /// `path` is for wires whose requests have one that differs from call to call, and empty for others.
  func send(path: Span<UInt8>, payload: Span<UInt8>, token: UInt64) -> Bool

  /// Gives up calls whose time is over, for wires that have no timers of their own.
  func endLateCalls()

  /// Ends every call and closes the connection.
  func close()
}

extension LoadCaller {
  func endLateCalls() {}
}

/// The delegate that hears how calls and the connection fare.
///
/// Loop only.
protocol LoadCallerDelegate: AnyObject {
  /// `send` works from now on.
  func callerReady()
  /// `send` works again after it did not.
  func callerHasRoom()
  /// The server takes no more calls on this connection.
  func callerDrains()
  /// A call is over. `answer` is the content of the answer, or for failures what they say; it is gone when
  /// the call returns.
  func callEnded(_ token: UInt64, _ end: CallEnd, _ answer: Span<UInt8>)
  /// The connection is gone; its calls have ended before. nil when this side closed it.
  func callerClosed(_ error: TransportError?)
}

/// How the server ended a call, or what kept it from doing so.
enum CallEnd: Sendable, Equatable {
  case succeeded
  case failed(StatusCode)
  /// The server surely did not begin the call, so that it may be sent again whatever it does.
  case notProcessed(StatusCode)
  /// A status of HTTP that is no success.
  case answered(status: Int)
}
