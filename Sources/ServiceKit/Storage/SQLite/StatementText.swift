internal import PackedTables

/// The text of a statement, as the name under which it is kept compiled.
///
/// Equal when all of the text is. Hashed by a few of its words: the whole of a statement takes longer to
/// hash than SQLite takes to run some, and a program has few statements, none of them made by callers.
struct StatementText: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  func hash(into hasher: inout Hasher) {
    let bytes = text.utf8.span
    var word = UInt64(truncatingIfNeeded: bytes.count)
    if bytes.count >= 8 {
      for eighth in 3...8 {
        // An odd factor, so that no bit of the words before is lost.
        let next = bytes.littleEndianWord(at: (bytes.count - 8) * eighth / 8)
        word = (word ^ next) &* 0x9E37_79B9_7F4A_7C15
      }
    }
    hasher.combine(word)
  }
}
