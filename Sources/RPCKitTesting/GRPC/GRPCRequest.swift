internal import RPCKit

/// The head of a request by gRPC (grpc/grpc doc/PROTOCOL-HTTP2.md).
enum GRPCRequest {
  /// The fields of a call.
  static func fields(
    of request: TranslatedRequest,
    authority: String
  ) -> [TranslatedRequest.Field] {
    var fields: [TranslatedRequest.Field] = [
      (":method", "POST"), (":scheme", "http"), (":authority", authority), (":path", request.path),
      ("te", "trailers"), ("content-type", "application/grpc"),
      // What frames deflate is gRPC's "deflate": a zlib stream (RFC 1950).
      ("grpc-encoding", "deflate"), ("grpc-accept-encoding", "deflate"),
    ]
    if request.timeoutNanoseconds > 0 {
      fields.append(("grpc-timeout", timeout(nanoseconds: request.timeoutNanoseconds)))
    }
    return fields + request.metadata
  }

  /// `grpc-timeout` in the finest unit that leaves eight digits, rounded up: the server does not give up first.
  static func timeout(nanoseconds: UInt64) -> String {
    let units: [(String, UInt64)] = [
      ("n", 1), ("u", 1000), ("m", 1_000_000), ("S", 1_000_000_000), ("M", 60_000_000_000),
    ]
    for (unit, length) in units {
      let count = nanoseconds / length + (nanoseconds % length == 0 ? 0 : 1)
      if count < 100_000_000 { return "\(count)\(unit)" }
    }
    return "\(nanoseconds / 3_600_000_000_000 + 1)H"
  }
}
