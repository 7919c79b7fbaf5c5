internal import ServiceKit

/// The keys that refresh tokens are made with, by version.
///
/// A token is `version ‖ generation ‖ session ‖ HMAC`, so that the store holds no secret and a made-up
/// token is distinguished from a real one without asking it.
public struct RefreshTokenKeys: Sendable {
  /// The version that new tokens get.
  public let current: UInt8
  private let keys: [UInt8: HMACKey]

  private static let macByteCount = 32
  private static let sessionByteCountMax = 64
  /// Version and generation.
  private static let headByteCount = 5

  /// Makes a set whose newest version is current; nil without any, or when a key has fewer than 16
  /// bytes.
  public init?(_ keys: [UInt8: [UInt8]]) {
    guard let current = keys.keys.max(), keys.values.allSatisfy({ $0.count >= 16 }) else {
      return nil
    }
    self.current = current
    self.keys = keys.mapValues(HMACKey.init)
  }

  /// The token of a generation of a session: always the same one.
  public func token(session: String, generation: UInt32) -> String {
    guard let key = keys[current] else { preconditionFailure("the current key is missing") }
    let head = [current] + (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) }
    let body = head + Array(session.utf8)
    return Base64URL.encode(body + Self.mac(key, body))
  }

  /// The contents of an authentic token; nil for everything that was not made here.
  public func read(_ text: String) -> (session: String, generation: UInt32)? {
    guard text.utf8.count <= 512, let bytes = Base64URL.decode(text) else { return nil }
    let sessionByteCount = bytes.count - Self.headByteCount - Self.macByteCount
    guard (1...Self.sessionByteCountMax).contains(sessionByteCount), let key = keys[bytes[0]] else {
      return nil
    }
    let body = Array(bytes.dropLast(Self.macByteCount))
    guard Digests.areEqual(Self.mac(key, body), Array(bytes.suffix(Self.macByteCount))) else {
      return nil
    }
    let generation = body[1..<Self.headByteCount].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return (String(decoding: body[Self.headByteCount...], as: UTF8.self), generation)
  }

  private static func mac(_ key: HMACKey, _ body: [UInt8]) -> [UInt8] {
    key.code(of: Array("refresh ".utf8) + body)
  }
}
