internal import CPostgreSQL

/// The way to libpq's connections.
enum PostgresHandle {
  /// Parameters that hold unless the address has others; times in seconds, that of TCP in milliseconds.
  private static let defaults = [
    ("connect_timeout", "10"),
    ("keepalives_idle", "10"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "20000"),
    ("application_name", "gatehouse"),
    ("target_session_attrs", "read-write"),
  ]

  /// Connects to a host of an address and waits for it; nil when there is no memory.
  ///
  /// `parameters` count before those of the address.
  @unsafe
  static func open(
    _ location: PostgresLocation,
    with parameters: [String: String],
    counting warnings: UnsafeMutablePointer<UInt32>
  ) -> OpaquePointer? {
    // Later ones win; the encoding is not to be chosen.
    let all =
      defaults + [("dbname", location.address)] + parameters.map { ($0.key, $0.value) }
      + [("client_encoding", "UTF8")]
    return unsafe withTerminatedTexts(all.map(\.0)) { names in
      unsafe withTerminatedTexts(all.map(\.1)) { values in
        unsafe CPostgreSQL_connect(names, values, warnings)
      }
    }
  }
}

/// Lends texts as C has a list of them: its last pointer is null.
private func withTerminatedTexts<R>(
  _ texts: [String],
  _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R
) -> R {
  var bytes: [CChar] = []
  var starts: [Int] = []
  for text in texts {
    starts.append(bytes.count)
    bytes += text.utf8CString
  }
  return unsafe bytes.withUnsafeBufferPointer { buffer in
    var pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
      unsafe buffer.baseAddress.map { unsafe $0 + start }
    }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { list in
      guard let base = list.baseAddress else { preconditionFailure("it has one element") }
      return unsafe body(base)
    }
  }
}
