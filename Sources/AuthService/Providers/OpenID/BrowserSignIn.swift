internal import ServiceKit

/// How browsers sign in with a provider, by the implicit flow (OpenID Connect Core 1.0, section 3.2).
///
/// ```json
/// {"client_id": "console.example.org", "authorization_url": "https://login.example.org/authorize"}
/// ```
public struct BrowserSignIn: Hashable, Sendable {
  /// The provider's authorization endpoint, an https URL.
  public var authorizationURL: String
  /// The client that asks, one of the provider's.
  public var clientID: String
  /// The scopes that it asks for, with spaces; empty for none.
  public var scope: String

  /// Reads the settings; Apple and Google have their endpoints built in.
  init(_ field: JSONField, of provider: String, clients: Set<String>) throws(JSONDecodingError) {
    var members = try field.members()
    let client = try members.required("client_id")
    clientID = try client.string()
    guard clients.contains(clientID) else { throw client.error("must be one of client_ids") }
    let known = Self.known[provider]
    if let field = members.optional("authorization_url") {
      authorizationURL = try field.string()
      guard HTTPFetch.isURL(authorizationURL) else {
        throw field.error("must be an https URL without user, password and fragment")
      }
    } else if let known {
      authorizationURL = known.url
    } else {
      throw field.error("needs authorization_url: the provider's authorization_endpoint")
    }
    scope = try members.optional("scope")?.string() ?? known?.scope ?? "openid email"
    guard scope.utf8.count <= 255 else { throw field.error("has a scope of more than 255 bytes") }
    try members.finish()
  }

  /// Those of well-known providers.
  ///
  /// Apple answers in the fragment only when it is asked for no scope.
  private static let known = [
    IdentityProvider.apple: (url: "https://appleid.apple.com/auth/authorize", scope: ""),
    IdentityProvider.google: (
      url: "https://accounts.google.com/o/oauth2/v2/auth", scope: "openid email profile"
    ),
  ]
}
