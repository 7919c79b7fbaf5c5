internal import CPostgreSQL

/// The library libpq, loaded when it is first needed.
enum PostgresLibrary {
  private static let isLoaded = CPostgreSQL_load()

  /// Loads the library, or throws the loader's reason.
  static func require(for path: String) throws(StoreError) {
    guard !isLoaded else { return }
    let reason = unsafe String(cString: CPostgreSQL_load_error())
    throw .cannotOpen(
      path: path,
      detail: "the library libpq.so.5 cannot be loaded (\(reason)): install the package libpq5"
    )
  }
}

/// A text of libpq without the line's end that it comes with; empty for none.
func postgresText(_ text: UnsafePointer<CChar>?) -> String {
  guard let text = unsafe text else { return "" }
  var sentence = unsafe String(cString: text)
  while sentence.last?.isWhitespace == true { sentence.removeLast() }
  return sentence.split(whereSeparator: \.isNewline).joined(separator: "; ")
}
