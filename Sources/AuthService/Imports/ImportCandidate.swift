internal import PeerContracts
internal import AuthContracts
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
  struct Refusal: Error {
    let outcome: Auth_V1.ImportOutcome
  }

  private static let sourceIDByteCounts = 1...128
  private static let nameByteCountMax = 200
  private static let languageByteCountMax = 16

  /// Reads a row; `vouches` says whether the row's word on the address counts.
  init(_ row: Auth_V1.ImportRow, vouches: Bool, _ core: AuthCore) throws(Refusal) {
    guard Self.sourceIDByteCounts.contains(row.sourceId.utf8.count), Self.isOneLine(row.sourceId)
    else { throw Refusal(outcome: .sourceIdInvalid) }
    let email = EmailAddress(row.email)
    guard email.isMailable else { throw Refusal(outcome: .emailInvalid) }
    guard Self.isName(row.displayName), Self.isName(row.firstName), Self.isName(row.lastName) else {
      throw Refusal(outcome: .nameInvalid)
    }
    guard Self.isLanguage(row.language) else { throw Refusal(outcome: .languageInvalid) }
    let now = core.clock.now
    let created = row.createdAt?.milliseconds ?? now
    guard (0...now).contains(created) else { throw Refusal(outcome: .createdAtInvalid) }
    let id = core.identifiers.make(.user)
    (password, form) = try Self.password(row.passwordHash, of: id, core)
    user = UserRecord(
      id: id,
      email: row.email,
      isEmailVerified: vouches && row.emailVerified,
      displayName: row.displayName.isEmpty
        ? String(row.email.prefix { $0 != "@" }) : row.displayName,
      firstName: row.firstName,
      lastName: row.lastName,
      defaults: UserDefaults(),
      created: created,
      updated: now,
      language: row.language
    )
    sourceID = row.sourceId
    isDisabled = row.disabled
    content = core.secrets.lookup.code(
      of: Array("import \(vouches) ".utf8) + row.protobufBytes
    )
  }

  /// The stored form of a hash, and its format.
  private static func password(
    _ hash: String,
    of userID: String,
    _ core: AuthCore
  ) throws(Refusal) -> (text: String, form: String?) {
    guard !hash.isEmpty else { return ("", nil) }
    let foreign: ForeignHash
    do throws(ForeignHash.Objection) {
      foreign = try ForeignHash(hash)
    } catch {
      throw Refusal(outcome: error == .tooCostly ? .hashTooCostly : .hashUnknown)
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

  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= nameByteCountMax && isOneLine(text)
  }

  private static func isOneLine(_ text: String) -> Bool {
    var violations: [FieldViolation] = []
    TextRule.singleLine.check(text, path: "", into: &violations)
    return violations.isEmpty
  }

  /// As the pattern of `SignUpRequest.language`.
  private static func isLanguage(_ text: String) -> Bool {
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
