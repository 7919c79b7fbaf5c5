public import ServiceKit

extension IdentifierPrefix {
  /// Of an user.
  public static let user = IdentifierPrefix("usr")
  /// Of a session.
  public static let session = IdentifierPrefix("ses")
  /// Of an authenticator app.
  public static let authenticatorApp = IdentifierPrefix("otp")
  /// Of a mail.
  public static let mail = IdentifierPrefix("eml")
  /// Of an identity at a provider.
  public static let identity = IdentifierPrefix("idt")
  /// Of the deletion of an account.
  public static let deletion = IdentifierPrefix("dln")
  /// Of a change that operators make in an account.
  static let accountChange = IdentifierPrefix("chg")
  /// Of an access token that comes without a refresh token.
  static let accessToken = IdentifierPrefix("atk")
  /// Of a passkey.
  public static let passkey = IdentifierPrefix("pky")
}
