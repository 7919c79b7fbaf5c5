internal import RPCKit

extension RPCError {
  /// Keys in `google.rpc.ErrorInfo.metadata` by which an UNAUTHENTICATED error says what a further proof is for
  /// or what it must be like; one without them refuses the credentials themselves.
  private static let proofKeys = ["acr_values", "max_age_seconds", "action"]

  /// The field `www-authenticate` of a 401: how to prove who one is (RFC 6750 section 3, RFC 9470 section 3).
  func challenge(hadCredentials: Bool) -> String {
    guard hadCredentials else { return "Bearer" }
    let needsMore = details.contains { detail in
      let info = detail.message(Google_Rpc.ErrorInfo.self)
      return Self.proofKeys.contains { info?.metadata[$0] != nil }
    }
    let code = needsMore ? "insufficient_user_authentication" : "invalid_token"
    return #"Bearer error="\#(code)""#
  }
}
