internal import CPostgreSQL

/// The values of a statement in the binary format.
struct PostgresValues {
  /// Their types; 0 leaves one to the server, for NULL.
  private(set) var types: [UInt32] = []
  /// Whether one is a text with U+0000, which PostgreSQL cannot keep.
  private(set) var hasNUL = false
  private var bytes: [UInt8] = []
  /// Where each begins, or nil for NULL.
  private var starts: [Int?] = []
  private var lengths: [Int32] = []

  init(_ values: [SQLValue]) {
    for value in values { append(value) }
    // An empty buffer has no address, and without an address a value is NULL.
    bytes.append(0)
  }

  private mutating func append(_ value: SQLValue) {
    let start = bytes.count
    switch value {
    case .null: types.append(CPostgreSQL_UNKNOWN.rawValue)
    case .integer(let number):
      types.append(CPostgreSQL_INT8.rawValue)
      append(UInt64(bitPattern: number))
    case .real(let number):
      types.append(CPostgreSQL_FLOAT8.rawValue)
      append(number.bitPattern)
    case .text(let text):
      types.append(CPostgreSQL_TEXT.rawValue)
      bytes += text.utf8
      hasNUL = hasNUL || text.utf8.contains(0)
    case .blob(let blob):
      types.append(CPostgreSQL_BYTEA.rawValue)
      bytes += blob
    }
    starts.append(value == .null ? nil : start)
    lengths.append(Int32(clamping: bytes.count - start))
  }

  private mutating func append(_ word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  /// Bytes of the values.
  var byteCount: Int { bytes.count }

  /// Runs a prepared statement with them; its answer, if there is one.
  @unsafe
  func run(_ name: String, on handle: OpaquePointer) -> OpaquePointer? {
    unsafe withPointers { pointers, formats in
      unsafe CPostgreSQL_run_prepared(
        handle,
        name,
        Int32(starts.count),
        pointers,
        lengths,
        formats
      )
    }
  }

  /// Sends a prepared statement with them into a pipeline; whether it could.
  @unsafe
  func send(_ name: String, on handle: OpaquePointer) -> Bool {
    unsafe withPointers { pointers, formats in
      unsafe CPostgreSQL_send_prepared(
        handle,
        name,
        Int32(starts.count),
        pointers,
        lengths,
        formats
      )
    }
  }

  @unsafe
  private func withPointers<R>(_ body: ([UnsafePointer<CChar>?], [Int32]) -> R) -> R {
    unsafe bytes.withUnsafeBytes { bytes in
      let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress
      let pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
        guard let start, let base = unsafe base else { return nil }
        return unsafe base + start
      }
      return unsafe body(pointers, [Int32](repeating: 1, count: starts.count))
    }
  }
}
