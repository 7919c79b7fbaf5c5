/// The kinds of ASCII characters, as bytes.
extension UInt8 {
  /// `0` to `9`.
  @inlinable package var isASCIIDigit: Bool {
    self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
  }

  /// `a` to `z`.
  @inlinable package var isASCIILowercase: Bool {
    self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z")
  }

  /// `A` to `Z`.
  @inlinable package var isASCIIUppercase: Bool {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z")
  }

  /// A letter of either case.
  @inlinable package var isASCIILetter: Bool { (self | 0x20).isASCIILowercase }

  /// A letter of either case or a digit.
  @inlinable package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// The letter in lower case; any other byte as it is.
  @inlinable package var lowercasedASCII: UInt8 { isASCIIUppercase ? self | 0x20 : self }

  /// The value of a hexadecimal digit of either case; nil for any other byte.
  @inlinable package var hexadecimalValue: UInt8? {
    if isASCIIDigit { return self - UInt8(ascii: "0") }
    let letter = self | 0x20
    guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") else { return nil }
    return letter - UInt8(ascii: "a") + 10
  }
}
