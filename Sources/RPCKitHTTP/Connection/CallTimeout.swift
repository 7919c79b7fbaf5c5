internal import RPCKit
internal import TextEncodings

/// How long a call may take, as requests say it.
enum CallTimeout {
  /// Nanoseconds of `grpc-timeout`: one to eight digits and a unit (grpc/grpc doc/PROTOCOL-HTTP2.md); nil
  /// without the field, which is no deadline.
  ///
  /// Throws `malformed` for anything else.
  static func grpc(
    _ fields: HTTPFields,
    malformed: StatusCode = .internal
  ) throws(RPCError) -> Int64? {
    guard let text = try single("grpc-timeout", fields, malformed: malformed) else { return nil }
    guard let unit = text.utf8.last, let nanoseconds = nanoseconds(unit),
      let number = digits(text.utf8.dropLast(), countMax: 8)
    else {
      throw RPCError(
        malformed,
        .protocolViolation,
        "grpc-timeout is malformed; send one to eight digits and one of H, M, S, m, u, n"
      )
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: nanoseconds)
    return overflow ? .max : product
  }

  /// Nanoseconds of `connect-timeout-ms` (connectrpc.com/docs/protocol); nil without the field, which is no
  /// deadline.
  static func connect(_ fields: HTTPFields) throws(RPCError) -> Int64? {
    try milliseconds("connect-timeout-ms", fields)
  }

  /// Nanoseconds of what a call by REST may take; nil without a field that says so, which is no deadline.
  ///
  /// Callers say it by `grpc-timeout`, as to gateways from REST to gRPC, and Envoy by
  /// `x-envoy-expected-rq-timeout-ms`, which has the time after which it gives the request up
  /// (envoyproxy.io, "Router", HTTP headers); the shorter of both holds.
  static func rest(_ fields: HTTPFields) throws(RPCError) -> Int64? {
    let caller = try grpc(fields, malformed: .invalidArgument)
    let gateway = try milliseconds("x-envoy-expected-rq-timeout-ms", fields)
    guard let caller, let gateway else { return caller ?? gateway }
    return min(caller, gateway)
  }

  /// Nanoseconds of a field of one to ten digits; nil without the field.
  private static func milliseconds(
    _ name: String,
    _ fields: HTTPFields
  ) throws(RPCError) -> Int64? {
    guard let text = try single(name, fields, malformed: .invalidArgument) else { return nil }
    guard let number = digits(text.utf8[...], countMax: 10) else {
      throw RPCError(
        .invalidArgument,
        .protocolViolation,
        "\(name) is malformed; send one to ten digits"
      )
    }
    return number * 1_000_000
  }

  private static func single(
    _ name: String,
    _ fields: HTTPFields,
    malformed: StatusCode
  ) throws(RPCError) -> String? {
    guard let value = fields[name] else { return nil }
    guard fields.only(name) != nil else {
      throw RPCError(malformed, .protocolViolation, "\(name) is sent twice; send it once")
    }
    return value
  }

  private static func digits(_ text: Substring.UTF8View, countMax: Int) -> Int64? {
    guard (1...countMax).contains(text.count) else { return nil }
    var number: Int64 = 0
    for byte in text {
      guard byte.isASCIIDigit else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return number
  }

  private static func nanoseconds(_ unit: UInt8) -> Int64? {
    switch unit {
    case UInt8(ascii: "H"): 3_600_000_000_000
    case UInt8(ascii: "M"): 60_000_000_000
    case UInt8(ascii: "S"): 1_000_000_000
    case UInt8(ascii: "m"): 1_000_000
    case UInt8(ascii: "u"): 1000
    case UInt8(ascii: "n"): 1
    default: nil
    }
  }
}
