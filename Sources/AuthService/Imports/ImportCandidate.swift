internal import RPCKit
internal import ServiceKit

/// A row of an import that is well formed in itself: an account that could be made.
struct ImportCandidate: Sendable {
  /// The account.
  let user: UserRecord
  /// The stored form of its password; empty for none.
  let password: String
  /// The text of the form of its hash; nil for a fast digest and for none.
  let form: String?
  /// Its identifier in the other system.
  let sourceID: String
  /// Tells the row from others under the same identifier, keyed: it holds an address and a hash.
  let content: [UInt8]
  /// Whether nobody may sign in to it.
  let isDisabled: Bool

  /// Why a row is refused for itself.
  enum Refusal: Error {
    case sourceID
    case email
    case name
    case language
    case hashUnknown
    case hashTooCostly
    case createdAt
  }

  static let sourceIDByteCounts = 1...128
  private static let nameByteCountMax = 200
  private static let languageByteCountMax = 16

  /// The stored form of a hash, and its format.
  static func password(
    _ hash: String,
    of userID: String,
    _ core: AuthCore
  ) throws(Refusal) -> (text: String, form: String?) {
    guard !hash.isEmpty else { return ("", nil) }
    let foreign: ForeignHash
    do throws(ForeignHash.Objection) {
      foreign = try ForeignHash(hash)
    } catch {
      throw error == .tooCostly ? .hashTooCostly : .hashUnknown
    }
    let isFast = if case .salted = foreign { true } else { false }
    let text = StoredPassword.text(
      of: hash,
      isFast: isFast,
      for: userID,
      core.secrets.sealing,
      random: core.random
    )
    return (text, foreign.formText)
  }

  static func isName(_ text: String) -> Bool {
    text.utf8.count <= nameByteCountMax && isOneLine(text)
  }

  static func isOneLine(_ text: String) -> Bool {
    var violations: [FieldViolation] = []
    TextRule.singleLine.check(text, path: "", into: &violations)
    return violations.isEmpty
  }

  /// As the pattern of `SignUpRequest.language`.
  static func isLanguage(_ text: String) -> Bool {
    text.utf8.count <= languageByteCountMax
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
