/// Requests that a part of the server answers in its own way: REST, documents.
package protocol HTTPRoutes: Sendable {
  /// Makes the exchange of a request, or leaves it to others with nil.
  ///
  /// Anyone who answers a path answers it for every method, so that a wrong one gets 405. Loop only.
  func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange?
}
