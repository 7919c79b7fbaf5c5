public import RPCKit

extension StoreError {
  /// The error for callers, in all services, without internals.
  ///
  /// `domain` is the service's: `gatehouse.tenancy`. A broken rule of the schema is INTERNAL here,
  /// because a service finds out before it writes; where it does not, it maps that itself.
  public func rpcError(domain: String) -> RPCError {
    let errors = ErrorCatalog(domain: domain)
    return switch self {
    case .unavailable, .conflict, .moved:
      errors.unavailable(
        "STORE_UNAVAILABLE",
        "storage is unavailable; retry after the given delay",
        cause: self
      )
    case .overloaded:
      errors.error(
        .resourceExhausted,
        "STORE_OVERLOADED",
        "storage is overloaded; retry after the given delay",
        retryAfter: .milliseconds(200),
        cause: self
      )
    case .callerOverloaded:
      errors.error(
        .resourceExhausted,
        "STORE_OVERLOADED",
        "too many of your calls are waiting for storage; send fewer at a time",
        retryAfter: .milliseconds(200),
        cause: self
      )
    case .unstorable(let what):
      errors.error(
        .invalidArgument,
        "TEXT_UNSTORABLE",
        "the store cannot keep \(what); leave it out",
        cause: self
      )
    default:
      errors.error(
        .internal,
        "STORE_FAILED",
        "storage failed; report the request id to the operator",
        cause: self
      )
    }
  }
}
