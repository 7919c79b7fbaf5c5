internal import PackedTables
internal import RPCKit

/// A token as it was received, to be passed on when acting for its user.
///
/// Shows nothing of itself, so that printing what holds one is not a leak.
public struct BearerToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The token, behind the scheme of the metadata that it came in, if it did: a copy without it would
  /// cost every call memory, and few calls pass the token on.
  private let value: String
  private let prefixByteCount: Int

  /// The scheme and its first blank, in lower case, as a number with the first byte lowest.
  private static let scheme: UInt64 = 0x20_72_65_72_61_65_62
  private static let schemeByteCount = 7

  /// Wraps a token.
  public init(_ text: String) {
    value = text
    prefixByteCount = 0
  }

  /// The token of a credential, `Bearer` and blanks before it (RFC 9110, section 11.4); nil without those
  /// or without a token.
  init?(credential: String) {
    let bytes = credential.utf8.span
    guard bytes.count > Self.schemeByteCount else { return nil }
    // The scheme is compared without case (RFC 9110, section 11.1); no byte but the two cases of a
    // letter becomes that letter when this bit is set. The eighth byte is the token's.
    let word = bytes.littleEndianWord(at: 0) & 0xff_ffff_ffff_ffff
    guard word | 0x20_20_20_20_20_20 == Self.scheme else { return nil }
    var start = Self.schemeByteCount
    while start < bytes.count, bytes[start] == UInt8(ascii: " ") { start += 1 }
    guard start < bytes.count else { return nil }
    value = credential
    prefixByteCount = start
  }

  /// The token itself.
  public var text: String {
    prefixByteCount == 0 ? value : String(value.utf8.dropFirst(prefixByteCount)) ?? ""
  }

  /// Runs `body` with the bytes of the token, which are not copied.
  func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(value.utf8.span.extracting(prefixByteCount...))
  }

  /// Whether both are the same token, however they came.
  public static func == (left: BearerToken, right: BearerToken) -> Bool { left.text == right.text }

  /// Hashes the token.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Always the same.
  public var description: String { "[redacted]" }
  /// Always empty.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Where credentials travel in metadata.
enum CredentialMetadata {
  /// The user's access token.
  static let user = "authorization"
  /// The calling service's own token.
  static let service = "service-authorization"

  static func bearer(_ token: String) -> String { "Bearer \(token)" }

  /// The token of a key that is there exactly once; nil without the key.
  ///
  /// Two values are refused: what reads the first and what reads the last would see two callers.
  static func token(_ key: String, in metadata: Metadata) throws(TokenFault) -> BearerToken? {
    var credential: String?
    for index in metadata.entries.indices where metadata.entries[index].key == key {
      guard credential == nil else { throw .encoding }
      credential = metadata.entries[index].value
    }
    guard let credential else { return nil }
    guard let token = BearerToken(credential: credential) else { throw .encoding }
    return token
  }
}
