/// The protocols that a server speaks by HTTP, and their settings.
package struct HTTPConfiguration: Sendable {
  /// Whether connections may speak HTTP/1.1 (and HTTP/1.0).
  package var servesHTTP1 = true
  /// Whether connections may speak HTTP/2.
  package var servesHTTP2 = true
  /// The bounds.
  package var limits = HTTPLimits()
  /// The proxies that are trusted about the clients of requests.
  package var trustedProxies = TrustedProxies()
  /// The date of answers.
  package var dates = HTTPDates()
  /// Makes the exchange of each request.
  package var router: any HTTPRouter

  /// Makes a configuration with the defaults.
  package init(router: any HTTPRouter) {
    self.router = router
  }
}
