internal import CCrypt

/// The one function of libxcrypt that is used (crypt_rn(3)).
enum CryptLibrary {
  /// Hashes a password as `setting` says: method, cost and salt, with or without a hash behind them; nil when that
  /// fails, for want of memory or because the setting is none.
  ///
  /// The password must not have a NUL byte, and the setting must be of bounded cost: the library has no bound.
  static func hash(_ password: [UInt8], setting: String) -> [UInt8]? {
    precondition(!password.contains(0), "a C string ends with the first NUL byte")
    let byteCount = Int(CCrypt_data_byte_count)
    // The library wipes what it wrote there.
    var scratch = [UInt8](repeating: 0, count: byteCount)
    let phrase = password.map { CChar(bitPattern: $0) } + [0]
    return unsafe scratch.withUnsafeMutableBytes { scratch -> [UInt8]? in
      let output = unsafe crypt_rn(phrase, setting, scratch.baseAddress, CInt(byteCount))
      guard let output = unsafe output else { return nil }
      let hash = unsafe Array(String(cString: output).utf8)
      // What it answers for a failure when it is called in other ways.
      return hash.first == UInt8(ascii: "*") ? nil : hash
    }
  }
}
