package import RPCKit

/// Decides what a request is: which way of putting a call into HTTP it uses, or which document it asks for.
package protocol HTTPRouter: Sendable {
  /// Makes the exchange of a request; requests that are for nothing get one that says so.
  ///
  /// Loop only.
  func makeExchange(
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection
  ) -> HTTPExchange

  /// How a request is refused of which little more than the path is known: its head is too large, or it is none.
  ///
  /// Nil for the way of the version of HTTP. Loop only.
  func refusal(at path: String, _ rejection: HTTP1Rejection) -> RESTErrorAnswer?
}

extension HTTPRouter {
  /// The way of the version of HTTP.
  package func refusal(at path: String, _ rejection: HTTP1Rejection) -> RESTErrorAnswer? { nil }
}
