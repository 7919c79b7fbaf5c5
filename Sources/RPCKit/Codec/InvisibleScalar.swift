/// Where a character that is invisible by itself changes what is shown, so that a name may need it.
enum InvisibleScalar {
  /// Whether the invisible character at `index` has an effect that a reader sees.
  static func isShown(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    let previous = index > 0 ? scalars[index - 1] : nil
    let next = index + 1 < scalars.count ? scalars[index + 1] : nil
    switch scalars[index].value {
    case 0x200C: return isShownNonJoiner(previous, next)
    case 0x200D: return isShownNonJoiner(previous, next) || isJoinerOfEmoji(previous, next)
    case 0xFE0E, 0xFE0F: return isSelectorOfEmoji(previous, next)
    case 0xE0020...0xE007F: return isTagOfFlag(index, scalars)
    default: return false
    }
  }

  /// Between letters of a script that joins them, or after a virama (UAX #31, rules A1, A2 and B).
  private static func isShownNonJoiner(_ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool
  {
    guard let previous, let next, isLetter(next) else { return false }
    if previous.properties.canonicalCombiningClass == .virama { return true }
    return joins(previous) && joins(next)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !scalar.properties.isDefaultIgnorableCodePoint
  }

  /// Arabic, Syriac, N'Ko, Mandaic, Mongolian, Hanifi Rohingya and Adlam.
  private static func joins(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0600...0x074F, 0x0750...0x077F, 0x07C0...0x07FF, 0x0840...0x08FF, 0x1820...0x18AA,
      0xFB50...0xFDFF, 0xFE70...0xFEFC, 0x10D00...0x10D3F, 0x1E900...0x1E95F:
      // Marks over a letter belong to it.
      isLetter(scalar) || scalar.properties.generalCategory == .nonspacingMark
    default: false
    }
  }

  /// A family, a profession: two emoji that become one.
  private static func isJoinerOfEmoji(_ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool
  {
    guard let previous, let next, isEmoji(next) else { return false }
    return isEmoji(previous) || previous == "\u{FE0F}"
  }

  /// Digits are emoji to Unicode, but only in a keycap: `1`, selector, U+20E3.
  private static func isSelectorOfEmoji(
    _ previous: Unicode.Scalar?,
    _ next: Unicode.Scalar?
  ) -> Bool {
    guard let previous, previous.properties.isEmoji else { return false }
    return !previous.isASCII || next == "\u{20E3}"
  }

  private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmoji && !scalar.isASCII
  }

  /// The flag of a part of a country: a black flag, some tags that spell it, and the closing tag.
  private static func isTagOfFlag(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    // A code has three to six characters (UTS #51, ED-14a).
    let tags = UInt32(0xE0020)...0xE007E
    var start = index
    while start > 0, index - start < 7, scalars[start - 1].value >= 0xE0020,
      scalars[start - 1].value <= 0xE007E
    {
      start -= 1
    }
    var end = start
    while end < scalars.count, end - start < 7, tags.contains(scalars[end].value) { end += 1 }
    return start > 0 && scalars[start - 1] == "\u{1F3F4}" && (3...6).contains(end - start)
      && end < scalars.count && scalars[end] == "\u{E007F}" && index <= end
  }
}
