public import ServiceKit

/// A device that has signed in to an account before.
public struct KnownDevice: Hashable, Sendable {
  /// The name that distinguishes it from the account's other devices.
  public let name: [UInt8]
  /// When it signed in last, as its token says, in milliseconds since 1970.
  var lastSignIn = Int64.max

  /// The device, if it has signed in to this account, and not to one that had the address before.
  func known(to user: UserRecord) -> KnownDevice? { lastSignIn >= user.created ? self : nil }
}

/// Tokens by which a device that signed in to an account is known again.
///
/// A token is `version ‖ time ‖ name ‖ HMAC`, the HMAC over the account too: it is of no use for
/// another account, and the store holds nothing of it (OWASP: "Slow down online guessing attacks
/// with device cookies"). It proves no one's identity; who shows it has attempts of its own, and does
/// not wait for those of strangers.
public struct DeviceTokens: Sendable {
  /// How long a token counts after the sign-in that gave it out, in milliseconds: 90 days.
  public static let lifetime: Int64 = 90 * 86_400_000

  private static let version: UInt8 = 1
  private static let nameByteCount = 16
  private static let macByteCount = 32
  /// Version and time.
  private static let headByteCount = 9

  private let key: HMACKey

  /// Makes tokens under a key of their own, derived from `secret`.
  public init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of device tokens".utf8)))
  }

  /// A device that was not known before its session began; always the same one for a session.
  public func device(of sessionID: String) -> KnownDevice {
    let digest = key.code(of: Array("name \(sessionID)".utf8))
    return KnownDevice(name: Array(digest.prefix(Self.nameByteCount)))
  }

  /// The token of a device that signed in to `account` at `now`, in milliseconds since 1970.
  public func token(_ device: KnownDevice, of account: [UInt8], now: Int64) -> String {
    precondition(device.name.count == Self.nameByteCount, "a device's name has 16 bytes")
    let time = (0..<8).map { UInt8(truncatingIfNeeded: now >> (56 - 8 * $0)) }
    let body = [Self.version] + time + device.name
    return Base64URL.encode(body + mac(body, account))
  }

  /// The device that an authentic token of `account` names; nil for every other text, and for one
  /// that is too old.
  public func read(_ text: String, of account: [UInt8], now: Int64) -> KnownDevice? {
    guard !text.isEmpty, text.utf8.count <= 256, let bytes = Base64URL.decode(text),
      bytes.count == Self.headByteCount + Self.nameByteCount + Self.macByteCount,
      bytes[0] == Self.version
    else { return nil }
    let body = Array(bytes.dropLast(Self.macByteCount))
    guard Digests.areEqual(mac(body, account), Array(bytes.suffix(Self.macByteCount))) else {
      return nil
    }
    let time = body[1..<Self.headByteCount].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard now.subtractingSaturated(time) < Self.lifetime else { return nil }
    return KnownDevice(name: Array(body[Self.headByteCount...]), lastSignIn: time)
  }

  private func mac(_ body: [UInt8], _ account: [UInt8]) -> [UInt8] {
    key.code(of: Array("token ".utf8) + body + account)
  }
}
