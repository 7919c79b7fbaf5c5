internal import RPCKit

/// The parts that all calls by HTTP share.
struct HTTPCall: Sendable {
  /// A field; names are in lower case.
  struct Field: Sendable, Hashable {
    let name: String
    let value: String
  }

  /// `POST`.
  let method: String
  /// nil when it differs from call to call.
  let path: String?
  let authority: String
  let isSecure: Bool
  /// Fields of the head beside those that the wire itself needs.
  let fields: [Field]
  let timeout: Duration?
  /// Whether messages are enveloped and answers end with a status of gRPC.
  let isGRPC: Bool

  /// The longest answer that is taken.
  static let answerByteCountMax = 16 << 20

  /// A call of gRPC (grpc/grpc doc/PROTOCOL-HTTP2.md).
  static func grpc(
    service: String,
    method: String,
    authority: String,
    isSecure: Bool,
    metadata: Metadata,
    timeout: Duration?
  ) -> HTTPCall {
    HTTPCall(
      method: "POST",
      path: "/\(service)/\(method)",
      authority: authority,
      isSecure: isSecure,
      fields: [
        Field(name: "content-type", value: "application/grpc"),
        Field(name: "te", value: "trailers"),
      ] + common(metadata, timeout),
      timeout: timeout,
      isGRPC: true
    )
  }

  /// A call by REST, with JSON.
  static func rest(
    method: String,
    path: String?,
    authority: String,
    isSecure: Bool,
    hasContent: Bool,
    metadata: Metadata,
    timeout: Duration?
  ) -> HTTPCall {
    HTTPCall(
      method: method,
      path: path,
      authority: authority,
      isSecure: isSecure,
      fields: (hasContent ? [Field(name: "content-type", value: "application/json")] : [])
        + [Field(name: "accept", value: "application/json")] + common(metadata, timeout),
      timeout: timeout,
      isGRPC: false
    )
  }

  private static func common(_ metadata: Metadata, _ timeout: Duration?) -> [Field] {
    [Field(name: "user-agent", value: "rpcload")]
      + (timeout.map { [Field(name: "grpc-timeout", value: text(of: $0))] } ?? [])
      + metadata.entries.map { Field(name: $0.key, value: $0.value) }
  }

  /// At most eight digits and a unit, rounded up: the server does not give up first.
  private static func text(of timeout: Duration) -> String {
    var number = max(1, timeout.nanosecondsSaturated)
    for unit in ["n", "u", "m"] {
      if number < 100_000_000 { return "\(number)\(unit)" }
      number = (number + 999) / 1000
    }
    return "\(number)S"
  }
}
