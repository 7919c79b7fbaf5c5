/// Why a server refuses a call to protect itself and the calls that it has begun.
public enum ShedReason: String, Hashable, Sendable, CaseIterable {
  /// More calls come than the server does (`AdmissionControl`).
  case overloaded
  /// As many handlers run as memory should hold (`Limits.runningHandlersMax`).
  case runningHandlers = "running_handlers"
  /// The connection has `Limits.streamsPerConnectionMax` calls open.
  case callsPerConnection = "calls_per_connection"
  /// The connection has `Limits.streamingCallsPerConnectionMax` streaming calls open.
  case streamingCallsPerConnection = "streaming_calls_per_connection"
  /// The caller has as many streaming calls open as one of its kind may.
  case streamingCallsPerCaller = "streaming_calls_per_caller"
  /// All streaming calls together, or those of callers of this kind, have reached their bound.
  case streamingCalls = "streaming_calls"

  /// Its place in `allCases`.
  var index: Int {
    switch self {
    case .overloaded: 0
    case .runningHandlers: 1
    case .callsPerConnection: 2
    case .streamingCallsPerConnection: 3
    case .streamingCallsPerCaller: 4
    case .streamingCalls: 5
    }
  }
}
