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
}
