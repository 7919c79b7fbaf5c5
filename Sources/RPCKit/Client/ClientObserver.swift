/// Hears what happens in a channel, for metrics.
///
/// Called on loops and on callers' threads, so it must be quick and must not call the channel.
/// Every method does nothing by default.
public protocol ClientObserver: Sendable {
  /// A connection is being made.
  func connectionOpened()
  /// A connection is gone, or could not be made; nil when it was no longer needed.
  func connectionClosed(_ error: TransportError?)
  /// A call begins.
  func callStarted(_ method: MethodDescriptor)
  /// A call ended, its retries included.
  func callEnded(_ method: MethodDescriptor, _ code: StatusCode, duration: Duration)
  /// A call is sent again.
  func callRetried(_ method: MethodDescriptor, after code: StatusCode)
  /// A call that could have been sent again was not, because the channel retries too much already.
  func retryBudgetExhausted(_ method: MethodDescriptor)
  /// So many calls wait for a connection now.
  func waitingCallsChanged(_ count: Int)
}

extension ClientObserver {
  /// Does nothing.
  public func connectionOpened() {}
  /// Does nothing.
  public func connectionClosed(_ error: TransportError?) {}
  /// Does nothing.
  public func callStarted(_ method: MethodDescriptor) {}
  /// Does nothing.
  public func callEnded(_ method: MethodDescriptor, _ code: StatusCode, duration: Duration) {}
  /// Does nothing.
  public func callRetried(_ method: MethodDescriptor, after code: StatusCode) {}
  /// Does nothing.
  public func retryBudgetExhausted(_ method: MethodDescriptor) {}
  /// Does nothing.
  public func waitingCallsChanged(_ count: Int) {}
}
