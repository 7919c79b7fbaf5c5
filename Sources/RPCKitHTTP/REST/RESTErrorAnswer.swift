package import RPCKit
internal import Reflection
package import StrictJSON
internal import TextEncodings

/// An error as this interface answers with it: `{"status": "error", "message": …, "details": {…}}`.
package struct RESTErrorAnswer {
  /// The status of HTTP.
  package var status: Int
  /// Header fields beside those of every answer.
  package var fields: HTTPFields = [:]
  /// The content.
  package let content: JSONValue

  /// `isPlain` is for methods without an envelope, whose errors are those of OAuth 2.0 (RFC 6749 section 5.2).
  package init(_ error: RPCError, isPlain: Bool, hadCredentials: Bool = false) {
    status = error.code.httpStatus
    content = isPlain ? Self.plain(error) : Self.envelope(error)
    fields = ["content-type": "application/json", "cache-control": "no-store"]
    fields.appendRetryAfter(error)
    if status == 401 {
      fields.append("www-authenticate", Self.challenge(error, hadCredentials: hadCredentials))
    }
  }

  /// Sends it as the whole answer to a request.
  func send(on exchange: HTTPExchange) {
    let content = content.bytes
    var head = HTTPResponseHead(status: status, fields: fields)
    head.fields.append("content-length", String(content.count))
    let hasContent = exchange.head.method != "HEAD"
    exchange.sendHead(head, isEnd: !hasContent)
    guard hasContent else { return }
    exchange.connection.sendBody(of: exchange) { $0.append(content.span) }
    exchange.connection.sendEnd(of: exchange, trailers: [:])
  }

  /// The members of the envelope, which the last line of a stream has too.
  static func envelope(_ error: RPCError) -> JSONValue {
    [
      "status": "error", "message": .string(error.message),
      "details": .object(details(of: error)),
    ]
  }

  private static func plain(_ error: RPCError) -> JSONValue {
    let name =
      switch error.code.httpStatus {
      case 400: "invalid_request"
      case 401: "invalid_client"
      case 403: "access_denied"
      case 503: "temporarily_unavailable"
      default: error.code.description.lowercased()
      }
    return ["error": .string(name), "error_description": .string(error.message)]
  }

  /// What there is for programs: the standard details as members, others as google.protobuf.Any.
  private static func details(of error: RPCError) -> JSONObject {
    var object: JSONObject = ["code": .string(error.code.description)]
    var others: [JSONValue] = []
    for detail in error.details {
      let limits = MessageLimits()
      let bytes = detail.value.span
      switch detail.typeURL.split(separator: "/").last {
      case "google.rpc.ErrorInfo":
        guard let info = try? Google_Rpc.ErrorInfo(protobuf: bytes, limits: limits) else {
          continue
        }
        object["reason"] = .string(info.reason)
        object["domain"] = .string(info.domain)
        var metadata = JSONObject()
        for (key, value) in info.metadata.sorted(by: { $0.key < $1.key }) {
          metadata[key] = .string(value)
        }
        if !info.metadata.isEmpty { object["metadata"] = .object(metadata) }
      case "google.rpc.BadRequest":
        guard let request = try? Google_Rpc.BadRequest(protobuf: bytes, limits: limits) else {
          continue
        }
        object["fieldViolations"] = .array(request.fieldViolations.map(Self.violation))
      case "google.rpc.RequestInfo":
        guard let info = try? Google_Rpc.RequestInfo(protobuf: bytes, limits: limits) else {
          continue
        }
        object["requestId"] = .string(info.requestId)
      // The field retry-after says it.
      case "google.rpc.RetryInfo": continue
      default:
        others.append([
          "@type": .string(detail.typeURL),
          "value": .string(Base64.encode(detail.value.span, isPadded: false)),
        ])
      }
    }
    if !others.isEmpty { object["others"] = .array(others) }
    return object
  }

  private static func violation(
    _ violation: Google_Rpc.BadRequest.FieldViolation
  ) -> JSONValue {
    var object: JSONObject = [
      // Bodies and queries spell fields as JSON does.
      "field": .string(JSONNames.lowerCamelCase(violation.field)),
      "description": .string(violation.description),
    ]
    if !violation.reason.isEmpty { object["reason"] = .string(violation.reason) }
    return .object(object)
  }

  /// How to prove who one is (RFC 6750 section 3, RFC 9470 section 3).
  private static func challenge(_ error: RPCError, hadCredentials: Bool) -> String {
    guard hadCredentials else { return "Bearer" }
    let needsMore = error.details.contains {
      (try? Google_Rpc.ErrorInfo(protobuf: $0.value.span, limits: MessageLimits()))?.reason
        == "STEP_UP_REQUIRED"
    }
    let code = needsMore ? "insufficient_user_authentication" : "invalid_token"
    return #"Bearer error="\#(code)""#
  }
}
