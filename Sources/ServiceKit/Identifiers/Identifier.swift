public import RPCKit

/// Makes identifiers: a prefix that says of what, then time and chance.
///
/// Opaque to everyone else and compared byte by byte. The first 48 bits are milliseconds since 1970,
/// so that identifiers made later sort later and new rows lie together in an index; the other 80 are
/// random, so that none can be guessed or met twice. Crockford's base 32 in lower case keeps them
/// readable and free of look-alikes.
public struct IdentifierFactory: Sendable {
  private let clock: any WallClock
  private let random: any RandomSource

  /// Makes a factory on the given clock and source of chance.
  public init(clock: any WallClock, random: any RandomSource) {
    self.clock = clock
    self.random = random
  }

  /// A new identifier, for example `usr_06xrk5tq8k…`; 30 bytes with a prefix of three letters.
  public func make(_ prefix: IdentifierPrefix) -> String {
    let milliseconds = UInt64(clamping: clock.now)
    var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(8 * (5 - $0))) }
    bytes += random.bytes(10)
    return "\(prefix.text)_\(Self.base32(bytes))"
  }

  /// Five bits a letter, the first ones first; the last letter is filled up with zero bits.
  private static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    var letters: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        letters.append(alphabet[Int(bits >> bitCount & 31)])
      }
    }
    if bitCount > 0 { letters.append(alphabet[Int(bits << (5 - bitCount) & 31)]) }
    return String(decoding: letters, as: UTF8.self)
  }
}

/// What an identifier is of.
///
/// Services declare their own: `extension IdentifierPrefix`.
public struct IdentifierPrefix: Hashable, Sendable {
  /// Three letters.
  public let text: String

  /// Makes a prefix.
  public init(_ text: StaticString) { self.text = "\(text)" }

  /// Makes a prefix that configuration has named; `text` must be a few lower-case letters.
  public init(configured text: String) { self.text = text }
}
