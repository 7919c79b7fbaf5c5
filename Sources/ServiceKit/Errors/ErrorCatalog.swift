public import RPCKit

/// The errors of one domain, one function for each kind.
///
/// An entry gives its reason, which is SCREAMING_SNAKE_CASE, unique in the domain and stable, and a sentence
/// for people; the kind adds the status code and its details. Everything but `cause` goes to the caller.
/// Entries are grouped by feature, in the folder of the feature:
///
///     enum StreamError {
///       static let ended = errors.unauthenticated(
///         "PROOF_ENDED",
///         "the credentials of this stream expired; open it again with new ones"
///       )
///     }
public struct ErrorCatalog: Sendable {
  /// The domain of the reasons in `google.rpc.ErrorInfo`: `gatehouse.tenancy`.
  public let domain: String

  /// The catalogue of a domain.
  public init(domain: String) {
    self.domain = domain
  }

  /// INVALID_ARGUMENT: a field is wrong in itself, whatever the state of the service.
  ///
  /// `field` is its path in the request, `checks[2].as_of`; `problem` completes "the field …": `must be set`.
  public func invalid(
    _ field: String,
    _ reason: String,
    _ problem: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    var error = invalidRequest(reason, "\(field): \(problem)", metadata)
    error.details.append(.badRequest([FieldViolation(field: field, description: problem)]))
    return error
  }

  /// INVALID_ARGUMENT: the request is wrong as a whole, or a field that must not be named.
  public func invalidRequest(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.invalidArgument, reason, message, metadata)
  }

  /// UNAUTHENTICATED: there is no proof of who the caller is, or not enough of it.
  public func unauthenticated(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.unauthenticated, reason, message, metadata)
  }

  /// PERMISSION_DENIED: the caller is known and may not do this.
  public func denied(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.permissionDenied, reason, message, metadata)
  }

  /// NOT_FOUND: the object does not exist, or the caller may not know that it does.
  public func notFound(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.notFound, reason, message, metadata)
  }

  /// ALREADY_EXISTS: there is one already.
  public func exists(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.alreadyExists, reason, message, metadata)
  }

  /// FAILED_PRECONDITION: not in this state; something else has to be done first.
  public func precondition(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.failedPrecondition, reason, message, metadata)
  }

  /// ABORTED: another call changed the same thing; the caller reads again, or repeats after `retryAfter`.
  public func conflict(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:],
    retryAfter: Duration? = nil
  ) -> RPCError {
    error(.aborted, reason, message, metadata, retryAfter: retryAfter)
  }

  /// RESOURCE_EXHAUSTED: a limit is reached, until `retryAfter` has passed.
  public func limited(
    _ reason: String,
    _ message: String,
    retryAfter: Duration,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    error(.resourceExhausted, reason, message, metadata, retryAfter: retryAfter)
  }

  /// UNAVAILABLE: something that the answer needs is away; the caller repeats after `retryAfter`.
  public func unavailable(
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:],
    retryAfter: Duration = .seconds(1),
    cause: (any Error)? = nil
  ) -> RPCError {
    error(.unavailable, reason, message, metadata, retryAfter: retryAfter, cause: cause)
  }

  /// An error of any code, for the few entries whose code depends on what happened.
  public func error(
    _ code: StatusCode,
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:],
    retryAfter: Duration? = nil,
    cause: (any Error)? = nil
  ) -> RPCError {
    RPCError(
      code,
      reason: reason,
      domain: domain,
      message: message,
      metadata: metadata,
      retryAfter: retryAfter,
      cause: cause
    )
  }
}
