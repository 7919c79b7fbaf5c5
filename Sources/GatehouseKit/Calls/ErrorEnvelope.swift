import Foundation

/// The error envelope of the services, and the kind of error that it is for an app.
struct ErrorEnvelope: Decodable {
  struct Details: Decodable {
    var code = ""
    var reason: String?
    var requestId: String?
    var metadata: [String: String]?
    var fieldViolations: [FieldProblem]?
  }

  var status: String
  var details: Details

  /// The error of an answer that is no success.
  ///
  /// An answer in another form is not the server's: a portal of a hotel, a proxy.
  static func error(of answer: HTTPAnswer) -> KitError {
    let delay = answer.fields["retry-after"].flatMap(Double.init)
    guard let envelope = try? Wire.decode(ErrorEnvelope.self, from: answer.body),
      envelope.status == "error"
    else { return KitError(.offline, reason: "NOT_UNDERSTOOD", retryAfter: delay) }
    let details = envelope.details
    return KitError(
      kind(answer.status, details.code, details.reason ?? ""),
      reason: details.reason ?? "",
      details: details.metadata ?? [:],
      fields: details.fieldViolations ?? [],
      retryAfter: delay,
      requestID: details.requestId ?? answer.fields["x-request-id"] ?? ""
    )
  }

  private static let kindsOfReasons: [String: KitError.Kind] = [
    "CREDENTIALS_INVALID": .signedOut, "PROOF_ENDED": .signedOut, "SESSION_ENDED": .signedOut,
    "REFRESH_TOKEN_INVALID": .signedOut, "SUBJECT_SUSPENDED": .signedOut,
    "STEP_UP_REQUIRED": .stepUpNeeded, "FEATURE_NOT_AVAILABLE": .featureNeeded,
    "LIMIT_EXCEEDED": .limitReached, "SERVICE_UNKNOWN": .updateNeeded,
    "PIN_INVALID": .wrongCredentials, "CODE_INVALID": .wrongCredentials,
    "DEVICE_OFFLINE": .refused,
  ]

  private static func kind(_ status: Int, _ code: String, _ reason: String) -> KitError.Kind {
    if let kind = kindsOfReasons[reason] { return kind }
    return switch code {
    case "UNAUTHENTICATED": .wrongCredentials
    case "PERMISSION_DENIED": .denied
    case "INVALID_ARGUMENT", "OUT_OF_RANGE": .invalid
    case "FAILED_PRECONDITION": .refused
    case "ALREADY_EXISTS", "ABORTED": .conflict
    case "NOT_FOUND": .gone
    case "RESOURCE_EXHAUSTED": .tooMany
    case "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED": .offline
    case "UNIMPLEMENTED": .updateNeeded
    default: .server
    }
  }
}
