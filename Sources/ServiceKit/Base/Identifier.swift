public import RPCKit

/// Makes identifiers: a prefix that says of what, then time and chance.
///
/// Opaque to everyone else and compared byte by byte. The first 48 bits are milliseconds since 1970,
/// so that identifiers made later sort later and new rows lie together in an index; the other 80 are
/// random, so that none can be guessed or met twice. Crockford's base 32 in lower case keeps them
/// readable and free of look-alikes.
public struct IdentifierFactory: Sendable {
  private let clock: any WallClock
  private let reserve: ChanceReserve

  /// Makes a factory on the given clock and source of chance.
  public init(clock: any WallClock, random: any RandomSource) {
    self.clock = clock
    reserve = ChanceReserve(random)
  }

  /// A new identifier, for example `usr_06xrk5tq8k…`; 30 bytes with a prefix of three letters.
  public func make(_ prefix: IdentifierPrefix) -> String {
    let value = UInt128(UInt64(clamping: clock.now) & 0xFFFF_FFFF_FFFF) << 80 | reserve.take()
    // Once for all letters: each look at a global asks whether it has its value yet.
    let alphabet = Self.alphabet
    let prefix = prefix.text.utf8.span
    let letters = [UInt8](capacity: prefix.count + 1 + Self.letterCount) { letters in
      for index in prefix.indices { letters.append(prefix[index]) }
      letters.append(UInt8(ascii: "_"))
      // Five bits a letter, the first ones first; the last letter is filled up with zero bits.
      for place in 1..<Self.letterCount {
        letters.append(alphabet[Int(truncatingIfNeeded: value >> (128 - 5 * place)) & 31])
      }
      letters.append(alphabet[Int(truncatingIfNeeded: value << 2) & 31])
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  /// Letters for 128 bits.
  private static let letterCount = 26
}

/// The random bits of identifiers, drawn for several at a time: a generator takes about as long for ten
/// bytes as for a hundred and sixty.
private final class ChanceReserve: Sendable {
  private static let byteCount = 10
  private static let count = 16

  private let random: any RandomSource
  private let left = Lock<[UInt128]>([])

  init(_ random: any RandomSource) { self.random = random }

  /// 80 bits that nobody gets twice.
  func take() -> UInt128 {
    if let next = left.withLock({ $0.popLast() }) { return next }
    let bytes = random.bytes(Self.count * Self.byteCount)
    var drawn = (0..<Self.count).map { place in
      bytes[place * Self.byteCount..<(place + 1) * Self.byteCount].reduce(UInt128(0)) {
        $0 << 8 | UInt128($1)
      }
    }
    let next = drawn.removeLast()
    let rest = drawn
    left.withLock { $0 = rest }
    return next
  }
}

/// The kind of thing that an identifier is of.
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
