internal import RPCKit
internal import ServiceKit

extension Google_Protobuf.Timestamp {
  /// Milliseconds since 1970, fractions of one cut off; INVALID_ARGUMENT outside the years 1 to 9999.
  func milliseconds(field: String) throws(RPCError) -> Int64 {
    // 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range that timestamp.proto allows.
    guard (-62_135_596_800...253_402_300_799).contains(seconds), (0...999_999_999).contains(nanos)
    else { throw ErrorCatalog.tenancy.invalid(field, "TIMESTAMP_INVALID", "must be a valid time") }
    return seconds * 1000 + Int64(nanos / 1_000_000)
  }
}
