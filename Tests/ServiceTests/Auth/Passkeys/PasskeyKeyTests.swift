import ServiceKit
import Testing

@testable import AuthService

@Suite("Keys of passkeys")
struct PasskeyKeyTests {
  private static let x = SoftAuthenticator.bytes(good.key.verificationKey.x)
  private static let y = SoftAuthenticator.bytes(good.key.verificationKey.y)
  private static let good = SoftAuthenticator()

  private func key(_ bytes: [UInt8]) -> PasskeyFault? {
    fault { _ = try PasskeyKey(encoded: bytes) }
  }

  private static func map(_ members: [UInt8]...) -> [UInt8] {
    members.reduce([0xA0 | UInt8(members.count)]) { $0 + $1 }
  }

  @Test("A point of the curve is a key, under the labels that belong to it and no others")
  func es256_labels_mustAgree() {
    let (x, y) = (Self.x, Self.y)
    #expect(key(Self.map([1, 2], [3, 0x26], [0x20, 1], [0x21] + x, [0x22] + y)) == nil)
    for members in [
      // Another kind, algorithm or curve.
      [[1, 1], [3, 0x26], [0x20, 1], [0x21] + x, [0x22] + y],
      [[1, 2], [3, 0x27], [0x20, 1], [0x21] + x, [0x22] + y],
      [[1, 2], [3, 0x28], [0x20, 1], [0x21] + x, [0x22] + y],
      [[1, 2], [3, 0x26], [0x20, 2], [0x21] + x, [0x22] + y],
      // Something left out or too much: an algorithm, y, a label of nobody.
      [[1, 2], [0x20, 1], [0x21] + x, [0x22] + y], [[1, 2], [3, 0x26], [0x20, 1], [0x21] + x],
      [[1, 2], [2, 0x40], [3, 0x26], [0x20, 1], [0x21] + x, [0x22] + y],
      // A compressed point says only whether y is odd.
      [[1, 2], [3, 0x26], [0x20, 1], [0x21] + x, [0x22, 0xF5]],
      // Numbers in place of bytes, coordinates that are exchanged, too short or too long.
      [[1, 2], [3, 0x26], [0x20, 1], [0x21, 1], [0x22] + y],
      [[1, 2], [3, 0x26], [0x20, 1], [0x21] + y, [0x22] + x],
      [[1, 2], [3, 0x26], [0x20, 1], [0x21] + SoftAuthenticator.bytes([1]), [0x22] + y],
      [
        [1, 2], [3, 0x26], [0x20, 1],
        [0x21] + SoftAuthenticator.bytes([0] + Self.good.key.verificationKey.x), [0x22] + y,
      ],
      [[1, 2], [3, 0x26], [0x20, 1], [0x21] + zero, [0x22] + zero],
    ] {
      let bytes = members.reduce([0xA0 | UInt8(members.count)]) { $0 + $1 }
      #expect(key(bytes) == .key, "\(members.map { $0.prefix(2) })")
    }
    #expect(key([0x80]) == .key)
    #expect(key([0xA0]) == .key)
    // In another order it has a second spelling.
    #expect(key(Self.map([3, 0x26], [1, 2], [0x20, 1], [0x21] + x, [0x22] + y)) == .cbor)
  }

  private var zero: [UInt8] { SoftAuthenticator.bytes([UInt8](repeating: 0, count: 32)) }

  private func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> PasskeyFault? {
    key(
      Self.map(
        [1, 3],
        [3, 0x39, 1, 0],
        [0x20] + SoftAuthenticator.bytes(modulus),
        [0x21] + SoftAuthenticator.bytes(exponent)
      )
    )
  }

  @Test("An RSA modulus has 2,048 to 4,096 bits, an exponent is odd and short")
  func rs256_sizes_areBounded() {
    func modulus(_ bits: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
      bytes[0] = 1 << UInt8((bits - 1) % 8)
      bytes[bytes.count - 1] |= 1
      return bytes
    }
    let e: [UInt8] = [1, 0, 1]
    for bits in [2048, 2049, 3072, 3482, 4096] { #expect(rsa(modulus(bits), e) == nil) }
    for bits in [512, 1024, 2047, 4097, 8192] { #expect(rsa(modulus(bits), e) == .key) }
    #expect(rsa([0] + modulus(2048), e) == .key)
    #expect(rsa(modulus(2048).dropLast() + [2], e) == .key)
    #expect(rsa(modulus(2048), [3]) == nil)
    for exponent: [UInt8] in [[], [1], [2], [1, 0], [0, 3], [1, 0, 0, 0, 1], [0]] {
      #expect(rsa(modulus(2048), exponent) == .key, "\(exponent)")
    }
    #expect(rsa([], e) == .key)
  }

  @Test("A key of Ed25519 has 32 bytes and its own curve")
  func eddsa_sizes_areBounded() {
    func eddsa(_ bytes: [UInt8], curve: UInt8 = 6) -> PasskeyFault? {
      key(Self.map([1, 1], [3, 0x27], [0x20, curve], [0x21] + SoftAuthenticator.bytes(bytes)))
    }
    let bytes = [UInt8](repeating: 9, count: 32)
    #expect(eddsa(bytes) == nil)
    #expect(eddsa(bytes, curve: 7) == .key)
    #expect(eddsa(Array(bytes.dropLast())) == .key)
    #expect(eddsa(bytes + [0]) == .key)
    #expect(eddsa([]) == .key)
    // Of small order: signatures of it need no secret.
    #expect(eddsa([1] + [UInt8](repeating: 0, count: 31)) == .key)
  }
}
