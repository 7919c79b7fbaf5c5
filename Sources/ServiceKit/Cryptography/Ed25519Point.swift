/// Points of Ed25519, as keys encode them (RFC 8032, section 5.1.2).
enum Ed25519Point {
  /// The second coordinate of all points whose order divides eight, least significant byte first, also as an
  /// encoding may write it that is not reduced.
  ///
  /// 0 and 1, both of order eight, then p - 1, p and p + 1, with p = 2^255 - 19.
  private static let smallOrders: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32),
    [1] + [UInt8](repeating: 0, count: 31),
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
      0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC,
      0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67,
      0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03,
      0x7A,
    ],
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
  ]

  /// Whether a point has so small an order that, as a key, it accepts signatures that nobody made with a
  /// secret: one of eight messages, for some points all of them.
  static func isOfSmallOrder(_ encoded: [UInt8]) -> Bool {
    guard encoded.count == 32 else { return false }
    // The highest bit is the sign of the first coordinate.
    return smallOrders.contains(Array(encoded[..<31]) + [encoded[31] & 0x7F])
  }
}
