package import RPCKit

/// What callers are told who are not let in.
package enum IdentityError {
  private static let domain = "gatehouse.auth"

  /// No credentials, or none that are good: one answer, whatever is wrong with them.
  package static let unauthenticated = refusal(
    .unauthenticated,
    "CREDENTIALS_INVALID",
    "valid credentials are needed"
  )

  /// Known, but not one of those who may call this method.
  package static let callerNotAllowed = refusal(
    .permissionDenied,
    "CALLER_NOT_ALLOWED",
    "this caller may not call this method"
  )

  /// A user, but without the proof that this method asks for.
  package static func stepUpRequired(_ stepUp: String, ageMax: Int64) -> RPCError {
    refusal(
      .unauthenticated,
      "STEP_UP_REQUIRED",
      "a fresh proof of who you are is needed",
      ["step_up": stepUp, "max_age_seconds": "\(ageMax / 1000)"]
    )
  }

  /// The state of a session cannot be found out now, and this method must know it.
  package static let cannotTell: RPCError = {
    var error = refusal(
      .unavailable,
      "REVOCATIONS_UNKNOWN",
      "whether the session lives cannot be told at the moment"
    )
    error.details.append(.retryInfo(.seconds(1)))
    return error
  }()

  private static func refusal(
    _ code: StatusCode,
    _ reason: String,
    _ message: String,
    _ metadata: [String: String] = [:]
  ) -> RPCError {
    let info = Google_Rpc.ErrorInfo(reason: reason, domain: domain, metadata: metadata)
    var body = ByteBuffer()
    info.append(to: &body) { _, _ in }
    let type = "type.googleapis.com/\(Google_Rpc.ErrorInfo.protobufName)"
    let value = body.withBytes { bytes in
      var value: [UInt8] = []
      for index in bytes.indices { value.append(bytes[index]) }
      return value
    }
    let detail = RPCError.Detail(typeURL: type, value: value)
    return RPCError(code, message, details: [detail])
  }
}
