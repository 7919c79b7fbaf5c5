internal import ServiceKit

/// The token in a mail that proves that somebody read it, as the store keeps it: without the token itself.
struct MailToken: Hashable, Sendable {
  /// The one purpose of a token.
  enum Purpose: String, CaseIterable, Sendable {
    case verifyEmail = "verify_email"
    case resetPassword = "reset_password"
    case changeEmail = "change_email"
    case undoEmailChange = "undo_email_change"
    case refuseChange = "refuse_change"
    case takeOver = "take_over"

    /// The last part of the links that have it.
    var linkPath: String {
      switch self {
      case .verifyEmail: "verify-email"
      case .resetPassword: "reset-password"
      case .changeEmail: "confirm-email"
      case .undoEmailChange: "undo-email"
      case .refuseChange: "stop-change"
      case .takeOver: "take-over"
      }
    }

    /// How long it works, in milliseconds.
    var lifetime: Int64 {
      switch self {
      case .verifyEmail, .takeOver: 24 * 3_600_000
      case .resetPassword: 30 * 60_000
      case .changeEmail: 3_600_000
      case .undoEmailChange: 7 * 24 * 3_600_000
      case .refuseChange: 72 * 3_600_000
      }
    }
  }

  /// The key it is found by; see `MailTokenKey`.
  var digest: [UInt8]
  /// The purpose.
  var purpose: Purpose
  /// The user; nil for a reset as long as nobody looked whether there is an account.
  var userID: String?
  /// The key of the address that the account must have; of an undo, of the one that it gets back.
  var addressKey: String
  /// The address that the account gets; of a token that stops a change of operators, which; empty otherwise.
  var address = ""
  /// The session that stays when the address changes; empty for none.
  var sessionID = ""
  /// Of an undo, whether the address was verified when the account had it.
  var wasVerified = false
  /// When it was made, in milliseconds since 1970.
  var created: Int64
  /// When it was used; nil when it was not.
  var used: Int64?

  /// When it ends to work.
  var expires: Int64 { created.addingSaturated(purpose.lifetime) }

  /// Whether it can be used for the first time.
  func isUsable(now: Int64) -> Bool { used == nil && now < expires && userID != nil }
}

/// Makes tokens, and the digests that they are found by.
///
/// A token has 255 random bits. Its digest is keyed and depends on the purpose, so that the store has
/// nothing that opens an account, and a token of one mail is nothing for another.
struct MailTokenKey: Sendable {
  private static let byteCount = 32

  private let key: HMACKey

  /// Works under a key of its own, derived from `secret`.
  init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of mail tokens".utf8)))
  }

  /// A new token with what the store keeps of it: for an account, or for an address that may have one.
  ///
  /// Its first bit is always 0: so it does not begin with a hyphen, and a command line takes it for what it
  /// is.
  func issue(
    _ purpose: MailToken.Purpose,
    of user: UserRecord? = nil,
    addressKey: String = "",
    now: Int64,
    _ random: any RandomSource
  ) -> (text: String, token: MailToken) {
    var bytes = random.bytes(Self.byteCount)
    bytes[0] &= 0x7F
    let token = MailToken(
      digest: digest(of: bytes, purpose),
      purpose: purpose,
      userID: user?.id,
      addressKey: user?.address.key ?? addressKey,
      created: now
    )
    return (Base64URL.encode(bytes), token)
  }

  /// The digest that a token is found by; nil for a text that cannot be one.
  func digest(of token: String, _ purpose: MailToken.Purpose) -> [UInt8]? {
    guard token.utf8.count <= 64, let bytes = Base64URL.decode(token),
      bytes.count == Self.byteCount
    else { return nil }
    return digest(of: bytes, purpose)
  }

  private func digest(of bytes: [UInt8], _ purpose: MailToken.Purpose) -> [UInt8] {
    key.code(of: Array("\(purpose.rawValue) ".utf8) + bytes)
  }
}
