package import RPCKit
internal import Reflection
internal import StrictJSON
internal import TextEncodings

/// An error as this interface answers with it: `{"status": "error", "message": …, "details": {…}}`, unless a
/// standard has another form.
package struct RESTErrorAnswer {
  /// The status of HTTP.
  package var status: Int
  /// Header fields beside those of every answer.
  package var fields: HTTPFields = [:]
  /// The content.
  package let text: String

  /// `key` is what the path of the request names by that, for the form that repeats it.
  package init(
    _ error: RPCError,
    form: HTTPBinding.Errors = .envelope,
    key: String? = nil,
    hadCredentials: Bool = false
  ) {
    status = error.httpStatus
    text =
      switch form {
      case .envelope: Self.envelope(error).text
      case .oauth: Self.oauth(error).text
      case .text: error.message
      case .flag: Self.flag(error, key: key).text
      }
    // By that status OFREP says that there is no such flag, and nothing else.
    if form == .flag, status == 404, Self.flagCode(error) != "FLAG_NOT_FOUND" { status = 400 }
    let type = form == .text ? "text/plain; charset=utf-8" : "application/json"
    fields = ["content-type": type, "cache-control": "no-store"]
    fields.appendLimit(of: error)
    if status == 401 {
      fields.append("www-authenticate", error.challenge(hadCredentials: hadCredentials))
    }
  }

  /// The answer to what is refused before there is a call.
  init(_ failure: RESTFailure, form: HTTPBinding.Errors = .envelope) {
    self.init(failure.error, form: form)
    if let status = failure.status { self.status = status }
    for field in failure.fields.fields { fields.append(field.name, field.value) }
  }

  /// Sends it as the whole answer to a request.
  func send(on exchange: HTTPExchange) {
    let content = Array(text.utf8)
    var head = HTTPResponseHead(status: status, fields: fields, contentLength: content.count)
    if let requestID = exchange.head.requestID { head.fields.append("x-request-id", requestID) }
    exchange.send(head, content.span)
  }

  /// The members of the envelope, which the last line of a stream has too.
  static func envelope(_ error: RPCError) -> JSONValue {
    [
      "status": "error", "message": .string(error.message),
      "details": .object(details(of: error)),
    ]
  }

  private static func oauth(_ error: RPCError) -> JSONValue {
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

  /// An answer of the OpenFeature Remote Evaluation Protocol (open-feature/protocol, service/openapi.yaml).
  private static func flag(_ error: RPCError, key: String?) -> JSONValue {
    var object = JSONObject()
    if [400, 404].contains(error.code.httpStatus) {
      if let key, !key.isEmpty { object["key"] = .string(key) }
      object["errorCode"] = .string(flagCode(error))
    }
    object["errorDetails"] = .string(error.message)
    return .object(object)
  }

  /// One of the codes that the protocol has: the reason if it is one, and else what is nearest to it.
  private static func flagCode(_ error: RPCError) -> String {
    let reasons = error.details.compactMap { $0.message(Google_Rpc.ErrorInfo.self)?.reason }
    let codes = ["TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND"]
    if let code = codes.first(where: { reasons.contains($0) }) { return code }
    let isOfContext =
      error.code == .notFound || reasons.contains(LibraryReason.fieldViolations.rawValue)
    if isOfContext { return "INVALID_CONTEXT" }
    return reasons.contains(LibraryReason.malformedRequest.rawValue) ? "PARSE_ERROR" : "GENERAL"
  }

  /// The details for programs: the standard ones as members, others as google.protobuf.Any.
  private static func details(of error: RPCError) -> JSONObject {
    var object: JSONObject = ["code": .string(error.code.description)]
    var others: [JSONValue] = []
    for detail in error.details {
      switch detail.typeURL.split(separator: "/").last {
      case "google.rpc.ErrorInfo":
        guard let info = detail.message(Google_Rpc.ErrorInfo.self) else { continue }
        object["reason"] = .string(info.reason)
        object["domain"] = .string(info.domain)
        var metadata = JSONObject()
        for (key, value) in info.metadata.sorted(by: { $0.key < $1.key }) {
          metadata[key] = .string(value)
        }
        if !info.metadata.isEmpty { object["metadata"] = .object(metadata) }
      case "google.rpc.BadRequest":
        guard let request = detail.message(Google_Rpc.BadRequest.self) else { continue }
        object["fieldViolations"] = .array(request.fieldViolations.map(Self.violation))
      case "google.rpc.RequestInfo":
        guard let info = detail.message(Google_Rpc.RequestInfo.self) else { continue }
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
      "field": .string(violation.field),
      "description": .string(violation.description),
    ]
    if !violation.reason.isEmpty { object["reason"] = .string(violation.reason) }
    return .object(object)
  }
}

extension HTTPRequestHead {
  /// The client's name of its request, to be repeated in the answer; nil if there is none, or more than one.
  var requestID: String? {
    fields.only("x-request-id")
  }
}
