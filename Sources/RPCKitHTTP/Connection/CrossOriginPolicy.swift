/// Which web pages may call: those of the origins that are listed (fetch.spec.whatwg.org, "CORS protocol").
///
/// It keeps browsers from reading answers for pages of other origins. It is no access control: anyone who is no
/// browser is not asked for an origin.
package struct CrossOriginPolicy: Hashable, Sendable {
  /// Origins as browsers send them: `https://app.example.com`, with the port unless it is the scheme's own.
  package var origins: Set<String>
  /// Whether pages may have the browser send its own credentials, cookies and certificates.
  package var allowsCredentials = false
  /// Seconds for which a browser may remember what it was allowed; Chromium takes no more than these.
  package var ageMax = 7200

  /// The methods for pages.
  static let methods = "GET, POST, PUT, PATCH, DELETE"
  /// The request fields for pages.
  static let requestFields = [
    "authorization", "connect-accept-encoding", "connect-content-encoding",
    "connect-protocol-version",
    "connect-timeout-ms", "content-type", "grpc-timeout", "idempotency-key", "if-none-match",
    "last-event-id", "traceparent", "tracestate", "x-grpc-web", "x-request-id", "x-user-agent",
  ]

  /// Makes a policy for pages of these origins.
  package init(origins: Set<String>) {
    self.origins = origins
  }

  /// The answer about a request's origin.
  func answer(to head: HTTPRequestHead) -> CrossOriginAnswer {
    let values = head.fields.values("origin")
    let origin = values.count == 1 && origins.contains(values[0]) ? values[0] : nil
    return CrossOriginAnswer(origin: origin, allowsCredentials: allowsCredentials)
  }

  /// Whether a browser asks by this request what a page may do.
  static func isPreflight(_ head: HTTPRequestHead) -> Bool {
    head.method == "OPTIONS" && head.fields["origin"] != nil
      && head.fields["access-control-request-method"] != nil
  }

  /// The fields of the answer to a preflight; without permission for an origin that is not listed.
  func preflightFields(_ head: HTTPRequestHead) -> HTTPFields {
    var fields: HTTPFields = [
      "vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
    ]
    guard let origin = answer(to: head).origin else { return fields }
    fields.append("access-control-allow-origin", origin)
    if allowsCredentials { fields.append("access-control-allow-credentials", "true") }
    fields.append("access-control-allow-methods", Self.methods)
    fields.append("access-control-allow-headers", Self.requestFields.joined(separator: ", "))
    fields.append("access-control-max-age", String(ageMax))
    return fields
  }
}

/// The fields about the origin of a request beside its answer.
struct CrossOriginAnswer {
  /// The origin whose pages may read the answer; nil for none.
  let origin: String?
  let allowsCredentials: Bool

  /// The fields that pages may read of every answer, beside those of this one.
  private static let exposed = [
    "grpc-status", "grpc-message", "grpc-status-details-bin", "retry-after",
  ]
  /// The fields that pages may read anyway, or that are not for them.
  private static let unexposed: Set<String> = [
    "cache-control", "content-language", "content-length", "content-type", "date", "set-cookie",
    "vary",
  ]

  /// Adds it to the head of an answer.
  func append(to fields: inout HTTPFields) {
    var names = Self.exposed
    for field in fields.fields
    where !Self.unexposed.contains(field.name) && !names.contains(field.name) {
      names.append(field.name)
    }
    // Without an origin as well: a cache must not give that answer to a page that is listed.
    fields.append("vary", "Origin")
    guard let origin else { return }
    fields.append("access-control-allow-origin", origin)
    if allowsCredentials { fields.append("access-control-allow-credentials", "true") }
    fields.append("access-control-expose-headers", names.joined(separator: ", "))
  }
}
