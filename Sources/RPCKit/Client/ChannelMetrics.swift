/// Counts what happens in a channel: a `ClientObserver` over `RPCMetrics`.
///
/// ```swift
/// configuration.observer = ChannelMetrics(metrics, target: "tenancy")
/// ```
public final class ChannelMetrics: ClientObserver {
  private let client: ClientMetrics
  private let connections: ClientConnectionMetrics
  private let target: TargetMetrics
  private let methods = Lock<[MethodDescriptor: MethodMetrics]>([:])

  /// Makes an observer.
  ///
  /// `target` is the label under which this channel counts: a name from the configuration, never
  /// text from a peer.
  public init(_ metrics: RPCMetrics, target: String) {
    client = metrics.client
    connections = metrics.clientConnections
    self.target = metrics.client.target(target)
  }

  /// Counts a connection that is being made.
  public func connectionOpened() {
    connections.opened.increment()
    connections.open.increment()
  }

  /// Counts a connection that is gone, by the reason.
  public func connectionClosed(_ error: TransportError?) {
    connections.open.decrement()
    let reason = ClientCloseReason(error)
    connections.closed(reason.rawValue).increment()
    switch reason {
    case .unused: break
    case .connectFailed, .handshakeTimedOut: target.connectFailures.increment()
    case .connectionLost, .tlsFailed: target.lostConnections.increment()
    }
  }

  /// Counts the beginning of a call.
  public func callStarted(_ method: MethodDescriptor) {
    metrics(of: method).callStarted()
  }

  /// Counts the end of a call.
  public func callEnded(_ method: MethodDescriptor, _ code: StatusCode, duration: Duration) {
    metrics(of: method).callEnded(code, nanoseconds: duration.nanosecondsSaturated)
  }

  /// Counts one more attempt.
  public func callRetried(_ method: MethodDescriptor, after code: StatusCode) {
    target.retries.increment()
  }

  /// Counts an attempt that was not made.
  public func retryBudgetExhausted(_ method: MethodDescriptor) {
    target.retryBudgetExhausted.increment()
  }

  /// Shows how many calls wait for a connection.
  public func waitingCallsChanged(_ count: Int) {
    target.queuedCalls.set(count)
  }

  private func metrics(of method: MethodDescriptor) -> MethodMetrics {
    methods.withLock { methods in
      if let known = methods[method] { return known }
      let metrics = client.method(method)
      methods[method] = metrics
      return metrics
    }
  }
}

/// Why a connection that this process opened ended: a label in metrics.
enum ClientCloseReason: String, CaseIterable {
  /// It was no longer needed.
  case unused
  /// It could not be made.
  case connectFailed = "connect_failed"
  /// It was made and then lost.
  case connectionLost = "connection_lost"
  /// TLS refused the server, or the server this side.
  case tlsFailed = "tls_failed"
  /// The handshake did not finish in time.
  case handshakeTimedOut = "handshake_timed_out"

  /// The reason of an error; nil for none.
  init(_ error: TransportError?) {
    self =
      switch error?.reason {
      case nil: .unused
      case .connectFailed: .connectFailed
      case .connectionLost: .connectionLost
      case .tlsFailed: .tlsFailed
      case .handshakeTimedOut: .handshakeTimedOut
      }
  }
}
