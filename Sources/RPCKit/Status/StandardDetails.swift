extension RPCError.Detail {
  /// `google.rpc.BadRequest { repeated FieldViolation field_violations=1; }`, each with
  /// `string field=1; string description=2; string reason=3;`.
  public static func badRequest(_ violations: [FieldViolation]) -> RPCError.Detail {
    var body = ByteBuffer()
    for violation in violations {
      let reasonCount = violation.reason.utf8.count
      let length =
        fieldByteCount(1, length: violation.field.utf8.count)
        + fieldByteCount(2, length: violation.description.utf8.count)
        + (reasonCount > 0 ? fieldByteCount(3, length: reasonCount) : 0)
      body.append(varint: 1 << 3 | 2)
      body.append(varint: UInt64(length))
      body.append(field: 1, utf8: violation.field)
      body.append(field: 2, utf8: violation.description)
      if reasonCount > 0 { body.append(field: 3, utf8: violation.reason) }
    }
    return RPCError.Detail("google.rpc.BadRequest", body)
  }

  /// `google.rpc.RetryInfo { google.protobuf.Duration retry_delay=1; }`.
  public static func retryInfo(_ delay: Duration) -> RPCError.Detail {
    let nanoseconds = max(0, delay.nanosecondsSaturated)
    var duration = ByteBuffer()
    duration.append(field: 1, varint: UInt64(nanoseconds / 1_000_000_000))
    duration.append(field: 2, varint: UInt64(nanoseconds % 1_000_000_000))
    var body = ByteBuffer()
    body.append(1 << 3 | 2)
    body.append(varint: UInt64(duration.byteCount))
    duration.withBytes { body.append($0) }
    return RPCError.Detail("google.rpc.RetryInfo", body)
  }

  private init(_ type: String, _ body: borrowing ByteBuffer) {
    self.init(
      typeURL: "type.googleapis.com/\(type)",
      value: body.withBytes { Array($0) }
    )
  }
}
