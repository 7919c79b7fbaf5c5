@_spi(_Unicode) import Swift

extension StringProtocol {
  /// The text with characters composed (NFC, UAX #15), so that the two spellings of `ü` are one.
  ///
  /// The standard library compares text by this form and does not publish it; Foundation does, and is not
  /// linked with the services.
  package var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return String(self) }
    var scalars = String.UnicodeScalarView()
    for scalar in String(self)._nfc { scalars.append(scalar) }
    return String(scalars)
  }
}
