internal import PeerContracts
internal import RPCKit

/// Where the codes of second factors come from.
enum SecondFactorSource {
  /// A code of an authenticator app, or a recovery code.
  static func code(_ context: CommandContext) throws -> String {
    if let code = context.environment[Secret.code.variable] { return code }
    return try context.console.askSecret(.code, "Code: ")
  }

  /// Whether a code is none of an app, which has six digits.
  static func isRecoveryCode(_ code: String) -> Bool {
    code.utf8.count != 6 || !code.allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// The answer to a sign-in, whose second half this does if the account has a second factor.
  static func complete(
    _ response: Auth_V1.SignInResponse,
    _ context: CommandContext
  ) async throws -> Auth_V1.SignInResponse {
    guard let needed = response.secondFactor else { return response }
    let code = try code(context)
    let isRecoveryCode = isRecoveryCode(code)
    let request = Auth_V1.CompleteSignInRequest(
      secondFactorToken: needed.token,
      code: isRecoveryCode ? "" : code,
      recoveryCode: isRecoveryCode ? code : ""
    )
    return try await context.withChannel(to: "auth") { channel in
      try await Auth_V1.AuthenticationClient(channel).completeSignIn(
        request,
        timeout: context.callTimeout
      )
    }
  }
}
