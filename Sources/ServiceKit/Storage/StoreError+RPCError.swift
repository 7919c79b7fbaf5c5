public import RPCKit

extension StoreError {
  /// The error for callers, in all services, without internals.
  ///
  /// `domain` is the service's: `gatehouse.tenancy`. A broken rule of the schema is INTERNAL here,
  /// because a service finds out before it writes; where it does not, it maps that itself.
  public func rpcError(domain: String) -> RPCError {
    switch self {
    case .unavailable:
      RPCError(
        .unavailable,
        reason: "STORE_UNAVAILABLE",
        domain: domain,
        message: "storage is unavailable; retry after the given delay",
        retryAfter: .seconds(1),
        cause: self
      )
    case .overloaded:
      RPCError(
        .resourceExhausted,
        reason: "STORE_OVERLOADED",
        domain: domain,
        message: "storage is overloaded; retry after the given delay",
        retryAfter: .milliseconds(200),
        cause: self
      )
    case .callerOverloaded:
      RPCError(
        .resourceExhausted,
        reason: "STORE_OVERLOADED",
        domain: domain,
        message: "too many of your calls are waiting for storage; send fewer at a time",
        retryAfter: .milliseconds(200),
        cause: self
      )
    default:
      RPCError(
        .internal,
        reason: "STORE_FAILED",
        domain: domain,
        message: "storage failed; report the request id to the operator",
        cause: self
      )
    }
  }
}
