internal import RPCKit
internal import ServiceKit

/// This installation's identity at Apple when authorization codes are exchanged and refresh tokens revoked.
///
/// ```json
/// {"team_id": "DEF123GHIJ", "key_id": "ABC123DEFG", "key_file": "AuthKey_ABC123DEFG.p8"}
/// ```
public struct AppleAuthorization: Hashable, Sendable {
  /// The developer team.
  public var teamID: String
  /// The name of the key.
  public var keyID: String
  /// The file with the key as Apple gives it out: P-256 in PEM, PKCS#8.
  public var keyFile: String
  /// Where Apple's endpoints begin.
  public var address = KeySetAddress(url: "https://appleid.apple.com")

  /// Reads the setting `authorization` of the provider `apple`.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    teamID = try Self.name(try members.required("team_id"))
    keyID = try Self.name(try members.required("key_id"))
    keyFile = try members.required("key_file").nonEmptyString()
    if let url = members.optional("url") {
      address.url = try url.string()
      guard KeySetAddress.isURL(address.url), !address.url.hasSuffix("/") else {
        throw url.error(
          "must be an https URL without user, password, fragment and slash at its end"
        )
      }
    }
    address.authorityFile = try members.optional("ca_file")?.nonEmptyString()
    if let isPrivate = members.optional("allow_private_addresses") {
      address.allowsPrivateAddresses = try isPrivate.boolean()
    }
    try members.finish()
  }

  private static func name(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard (1...64).contains(name.utf8.count), name.allSatisfy({ $0.isASCII && !$0.isWhitespace })
    else { throw field.error("must be 1 to 64 ASCII characters without blanks") }
    return name
  }

  /// Reads the key; throws `FileError` and `KeyError`.
  func readKey() throws -> SigningKey {
    try SigningKey(pem: FileBytes.read(keyFile, byteCountMax: 16 << 10))
  }
}
