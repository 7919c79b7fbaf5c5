internal import RPCKit

/// One step of a trace that is over: a call that was served, or one that was made for it.
///
/// Named and described by OpenTelemetry's semantic conventions for RPC. It says nothing of people: no addresses,
/// no users, no messages.
struct CallSpan: Sendable {
  /// Which side of a call it is; numbered as in OTLP.
  enum Kind: UInt64 {
    /// A call that was served.
    case server = 2
    /// A call that was made.
    case client = 3
  }

  /// A further attribute: name and text.
  typealias Attribute = (name: String, value: String)

  let kind: Kind
  /// The trace and the span's own id.
  let context: TraceContext
  /// The span that caused it; nil for the first of a trace.
  let parent: TraceContext?
  /// The state that came with the trace for other tracing systems.
  let traceState: String?
  /// The method: `tenancy.v1.Devices/List`.
  let name: String
  let start: MonotonicInstant
  let end: MonotonicInstant
  let attributes: [Attribute]
  /// Whether it counts as failed.
  let isError: Bool
}

extension CallSpan {
  /// A call that was served.
  static func served(
    _ call: CallContext,
    _ context: TraceContext,
    until end: MonotonicInstant,
    _ outcome: Outcome
  ) -> CallSpan {
    let parent = call.trace
    return CallSpan(
      kind: .server,
      context: context,
      parent: parent,
      traceState: parent.flatMap { _ in call.traceState?.text },
      name: call.method.fullName,
      start: call.received,
      end: end,
      attributes: attributes(call.method, outcome, outcome.isServerError, call.caller.service),
      isError: outcome.isServerError
    )
  }

  /// A call that was made while another one was served.
  static func made(
    _ method: MethodDescriptor,
    _ context: TraceContext,
    parent: TraceContext,
    traceState: String?,
    from start: MonotonicInstant,
    to end: MonotonicInstant,
    peer: String,
    _ outcome: Outcome
  ) -> CallSpan {
    CallSpan(
      kind: .client,
      context: context,
      parent: parent,
      traceState: traceState,
      name: method.fullName,
      start: start,
      end: end,
      attributes: attributes(method, outcome, outcome.isClientError, peer),
      isError: outcome.isClientError
    )
  }

  private static func attributes(
    _ method: MethodDescriptor,
    _ outcome: Outcome,
    _ isError: Bool,
    _ peer: String?
  ) -> [Attribute] {
    var attributes: [Attribute] = [
      // On every wire: the codes and the names of methods are those of gRPC.
      ("rpc.system.name", "grpc"), ("rpc.method", method.fullName),
      ("rpc.response.status_code", outcome.code.description),
      ("gatehouse.request_id", outcome.requestID),
    ]
    if isError { attributes.append(("error.type", outcome.code.description)) }
    if let peer { attributes.append(("service.peer.name", peer)) }
    if let reason = outcome.reason { attributes.append(("gatehouse.reason", reason)) }
    return attributes
  }

  /// How a call ended.
  struct Outcome: Sendable {
    let code: StatusCode
    /// Why, as `google.rpc.ErrorInfo` says it.
    let reason: String?
    /// The name of the request in logs.
    let requestID: String

    /// Whether a server is at fault (semantic conventions for gRPC): what it refuses is none of its errors.
    var isServerError: Bool {
      switch code {
      case .unknown, .deadlineExceeded, .unimplemented, .internal, .unavailable, .dataLoss: true
      default: false
      }
    }

    /// Whether a client did not get what it asked for.
    var isClientError: Bool { code != .ok }
  }
}
