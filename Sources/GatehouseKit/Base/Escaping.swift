/// Escapes of URLs and of names of files.
enum Escaping {
  /// A text as one segment of a path or one value of a query.
  static func escaped(_ text: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
    var escaped = ""
    for byte in text.utf8 {
      if plain.contains(byte) {
        escaped.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return escaped
  }
}
