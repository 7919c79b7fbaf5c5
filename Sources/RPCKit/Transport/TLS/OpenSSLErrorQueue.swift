internal import COpenSSL

/// The error queue that OpenSSL keeps per thread.
///
/// What a call leaves there would be mistaken for the failure of the next one, on whatever
/// connection that is: clear it before each call and drain it after (`SSL_get_error(3)`).
enum OpenSSLErrorQueue {
  static func clear() {
    ERR_clear_error()
  }

  /// Takes everything off the queue: reasons with their details, oldest first.
  static func drain() -> String {
    var reasons: [String] = []
    while true {
      var data: UnsafePointer<CChar>?
      var flags: CInt = 0
      let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
      guard code != 0 else { break }
      var text = "error \(String(code, radix: 16))"
      if let reason = unsafe ERR_reason_error_string(code) {
        text = unsafe String(cString: reason)
        // What OpenSSL calls a record that begins like nothing of TLS.
        if text == "wrong version number" { text += ": the peer seems to speak no TLS" }
      }
      if flags & ERR_TXT_STRING != 0, let data = unsafe data, unsafe data.pointee != 0 {
        text += unsafe " (\(String(cString: data)))"
      }
      reasons.append(text)
    }
    return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
  }
}
