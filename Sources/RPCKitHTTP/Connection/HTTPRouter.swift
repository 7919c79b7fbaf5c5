internal import RPCKit

/// Decides what a request is: which way of putting a call into HTTP it uses, or which document it asks for.
package protocol HTTPRouter: Sendable {
  /// Makes the exchange of a request; requests that are for nothing get one that says so.
  ///
  /// Loop only.
  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange

  /// Fields and content for a request of which little more than the path is known, as its head is too large or
  /// malformed.
  ///
  /// Nil for the way of the version of HTTP. Loop only.
  func refusal(
    at path: String,
    _ rejection: HTTP1Rejection
  ) -> (fields: HTTPFields, text: String)?

  /// The same refusal as an exchange of a connection.
  func makeRefusal(_ arrival: HTTPArrival, _ rejection: HTTP1Rejection) -> HTTPExchange?
}

extension HTTPRouter {
  /// The way of the version of HTTP.
  package func refusal(
    at path: String,
    _ rejection: HTTP1Rejection
  ) -> (fields: HTTPFields, text: String)? { nil }

  /// The way of the version of HTTP.
  package func makeRefusal(
    _ arrival: HTTPArrival,
    _ rejection: HTTP1Rejection
  ) -> HTTPExchange? { nil }
}
