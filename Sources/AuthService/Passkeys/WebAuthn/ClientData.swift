internal import ServiceKit

/// The browser's statement about the page that used a passkey (WebAuthn, section 5.8.1).
///
/// Only the names that matter are looked at: browsers add others, some on purpose and at random.
struct ClientData: Hashable, Sendable {
  /// The action of the page.
  enum Kind: String, Sendable {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  private static let limits = JSONLimits(byteCountMax: 8 * 1024, depthMax: 8, valueCountMax: 200)
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let type: String
  private let challenge: [UInt8]
  private let origin: String
  private let isInForeignFrame: Bool
  /// SHA-256 of the bytes as they came, which the authenticator signed.
  let hash: [UInt8]

  /// Reads client data; a name that is there twice is refused, as readers differ in which one
  /// counts.
  init(_ bytes: [UInt8]) throws(PasskeyFault) {
    let text = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
    let value: JSONValue
    do {
      value = try JSONReader.read(text, limits: Self.limits)
    } catch {
      throw .clientData
    }
    guard let object = value.object, let type = object["type"]?.string,
      let challenge = object["challenge"]?.string.flatMap(Base64URL.decodeAllowingPadding),
      let origin = object["origin"]?.string
    else { throw .clientData }
    self.type = type
    self.challenge = challenge
    self.origin = origin
    switch object["crossOrigin"] {
    case nil, .boolean(false)?: isInForeignFrame = object["topOrigin"] != nil
    case .boolean(true)?: isInForeignFrame = true
    default: throw .clientData
    }
    hash = Digests.sha256(bytes)
  }

  /// Returns when a page of one of the origins did what was asked with the challenge that was
  /// issued, and throws otherwise.
  func check(
    _ kind: Kind,
    challenge: [UInt8],
    origins: Set<String>
  ) throws(PasskeyFault) {
    guard type == kind.rawValue else { throw .type }
    guard Digests.areEqual(self.challenge, challenge) else { throw .challenge }
    guard origins.contains(origin) else { throw .origin }
    guard !isInForeignFrame else { throw .crossOrigin }
  }
}
