/// The metrics of the connections that others opened.
public struct ConnectionMetrics: Sendable {
  /// Connections open now.
  public let open: Gauge
  /// Connections accepted.
  public let opened: Counter
  /// Bytes read from the transports, after TLS.
  public let bytesReceived: Counter
  /// Bytes handed to the transports, before TLS.
  public let bytesSent: Counter
  /// Frames decoded.
  public let framesReceived: Counter
  /// Times a stream had to wait for credit of the peer.
  public let streamCreditStalls: Counter
  /// Streams failed because the peer gave no credit for too long.
  public let streamsStalledFailed: Counter
  /// TLS handshakes that succeeded.
  public let tlsHandshakesSucceeded: Counter
  /// TLS handshakes that failed or took too long.
  public let tlsHandshakesFailed: Counter

  private let role = "server"
  private let closedByReason: MetricFamily<Counter>
  private let refusedByReason: MetricFamily<Counter>
  private let protocolErrorsByKind: MetricFamily<Counter>

  init(registry: MetricRegistry) {
    let role = role
    func counter(_ name: String, _ help: String) -> Counter {
      registry.counters(name, help: help, labels: ["role"]).series(role)
    }
    func gauge(_ name: String, _ help: String) -> Gauge {
      registry.gauges(name, help: help, labels: ["role"]).series(role)
    }
    func family(_ name: String, _ help: String, _ label: String) -> MetricFamily<Counter> {
      registry.counters(name, help: help, labels: ["role", label])
    }
    open = gauge("rpckit_connections_open", "Connections open now.")
    opened = counter("rpckit_connections_opened_total", "Connections accepted or established.")
    bytesReceived = counter("rpckit_bytes_received_total", "Bytes read, without TLS.")
    bytesSent = counter("rpckit_bytes_sent_total", "Bytes written, without TLS.")
    framesReceived = counter("rpckit_frames_received_total", "Frames decoded.")
    streamCreditStalls = counter(
      "rpckit_stream_credit_stalls_total",
      "Times a stream waited for credit of the peer."
    )
    streamsStalledFailed = counter(
      "rpckit_streams_stalled_failed_total",
      "Streams failed because the peer gave no credit for too long."
    )
    let handshakes = family(
      "rpckit_tls_handshakes_total",
      "TLS handshakes that ended, by result.",
      "result"
    )
    tlsHandshakesSucceeded = handshakes.series(role, "ok")
    tlsHandshakesFailed = handshakes.series(role, "failed")
    closedByReason = family(
      "rpckit_connections_closed_total",
      "Connections closed, by reason.",
      "reason"
    )
    refusedByReason = family(
      "rpckit_connections_refused_total",
      "Connections refused before or instead of being served, by reason.",
      "reason"
    )
    protocolErrorsByKind = family(
      "rpckit_protocol_errors_total",
      "Violations of the protocol by peers, by kind.",
      "kind"
    )
  }

  /// The counter of connections closed for a reason, such as `peer`, `idle`, `drained`.
  ///
  /// Takes a lock, which is nothing beside closing a connection.
  public func closed(_ reason: String) -> Counter { closedByReason.series(role, reason) }

  /// The counter of connections refused for a reason, such as `connections`, `descriptors`.
  public func refused(_ reason: String) -> Counter { refusedByReason.series(role, reason) }

  /// The counter of protocol violations of a kind, such as `frame_too_large`.
  ///
  /// The kind is one of a closed set of the caller, never text from the peer.
  public func protocolError(_ kind: String) -> Counter { protocolErrorsByKind.series(role, kind) }
}
