/// A signature of ECDSA on P-256: two numbers of 32 bytes, r and s.
struct ECDSASignature: Equatable {
  /// r and s one after the other, as JSON Web Signature has them (RFC 7518, section 3.4): 64 bytes.
  let raw: [UInt8]

  static let byteCount = 64
  private static let numberByteCount = 32

  /// The order of the curve's group, n (SEC 2, section 2.4.2).
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  /// Takes 64 bytes whose halves lie between 1 and n − 1; nil for everything else.
  ///
  /// Libraries that left this out accepted r = s = 0 as the signature of anything
  /// (CVE-2022-21449).
  init?(raw: [UInt8]) {
    guard raw.count == Self.byteCount else { return nil }
    for half in [raw.prefix(Self.numberByteCount), raw.suffix(Self.numberByteCount)] {
      guard half.contains(where: { $0 != 0 }), half.lexicographicallyPrecedes(Self.order) else {
        return nil
      }
    }
    self.raw = raw
  }

  /// Reads `SEQUENCE { INTEGER r, INTEGER s }`, as OpenSSL writes it.
  init?(der: [UInt8]) {
    guard der.count > 2, der[0] == 0x30, der[1] < 0x80, Int(der[1]) == der.count - 2 else {
      return nil
    }
    var rest = der.dropFirst(2)
    guard let r = Self.takeInteger(&rest), let s = Self.takeInteger(&rest), rest.isEmpty else {
      return nil
    }
    self.init(raw: r + s)
  }

  /// `SEQUENCE { INTEGER r, INTEGER s }`, as OpenSSL reads it; at most 72 bytes.
  var der: [UInt8] {
    var der: [UInt8] = [0x30, 0]
    der.reserveCapacity(2 + 2 * (3 + Self.numberByteCount))
    Self.append(raw[..<Self.numberByteCount], to: &der)
    Self.append(raw[Self.numberByteCount...], to: &der)
    der[1] = UInt8(der.count - 2)
    return der
  }

  /// Appends the shortest encoding of a number that is not negative.
  private static func append(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
    let digits = number.drop { $0 == 0 }
    let needsZero = digits.first.map { $0 >= 0x80 } ?? true
    der += [0x02, UInt8(digits.count + (needsZero ? 1 : 0))]
    if needsZero { der.append(0) }
    der += digits
  }

  private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.count >= 2, rest.removeFirst() == 0x02 else { return nil }
    let count = Int(rest.removeFirst())
    guard count > 0, count <= rest.count else { return nil }
    let digits = rest.prefix(count).drop { $0 == 0 }
    rest = rest.dropFirst(count)
    guard digits.count <= numberByteCount else { return nil }
    return [UInt8](repeating: 0, count: numberByteCount - digits.count) + digits
  }
}
