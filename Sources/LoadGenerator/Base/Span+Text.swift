internal import TextEncodings

extension Span<UInt8> {
  /// Whether the bytes are those of a text.
  func isEqual(_ text: String) -> Bool {
    let wanted = text.utf8.span
    guard count == wanted.count else { return false }
    for index in indices where self[index] != wanted[index] { return false }
    return true
  }

  /// Whether the bytes are those of a text in lower case, or are letters of it in upper case.
  func isEqualIgnoringCase(_ text: String) -> Bool {
    let wanted = text.utf8.span
    guard count == wanted.count else { return false }
    for index in indices where self[index].lowercasedASCII != wanted[index] { return false }
    return true
  }

  /// Where a byte stands, not before `start`.
  func place(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// The number that nine digits or fewer are; nil for anything else.
  var decimal: Int? {
    guard (1...9).contains(count) else { return nil }
    var number = 0
    for index in indices {
      guard self[index].isASCIIDigit else { return nil }
      number = number * 10 + Int(self[index] - 48)
    }
    return number
  }
}
