public import RPCKit

extension StoreError {
  /// What a caller is told: nothing of what is inside.
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
    default:
      RPCError(.internal, "an internal error", cause: self)
    }
  }
}

/// Turns what the store throws into a status, so that handlers need not catch it.
///
/// ```swift
/// Server(…, interceptors: [StoreErrorInterceptor(domain: "gatehouse.tenancy"), …])
/// ```
public struct StoreErrorInterceptor: ServerInterceptor {
  private let domain: String

  /// Makes an interceptor for the service whose reasons belong to `domain`.
  public init(domain: String) { self.domain = domain }

  /// See `ServerInterceptor.failed`.
  public func failed(_ call: CallContext, _ error: any Error) -> any Error {
    (error as? StoreError)?.rpcError(domain: domain) ?? error
  }
}
