internal import CSQLite

/// A compiled statement; finalized with its last reference.
///
/// Confined to the thread of its connection.
@safe
final class SQLiteStatement: StoreCursor {
  let sql: String
  /// Set while a caller steps through it, so that the cache does not hand it out twice.
  var isInUse = false
  /// The first column that did not hold what was asked of it.
  private(set) var mismatch: StoreError?
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let failures: SQLiteFailures

  /// Takes over a compiled statement.
  init(
    owning handle: OpaquePointer,
    of connection: OpaquePointer,
    sql: String,
    failures: SQLiteFailures
  ) {
    unsafe self.handle = handle
    unsafe self.connection = connection
    self.sql = sql
    self.failures = failures
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  /// Binds the values to the parameters in order; their number must match.
  func bind(_ values: [SQLValue]) throws(StoreError) {
    let count = unsafe Int(sqlite3_bind_parameter_count(handle))
    guard count == values.count else {
      throw .statement("\(count) parameters and \(values.count) values: \(sql)")
    }
    for (offset, value) in values.enumerated() {
      let result = bind(value, at: Int32(offset) + 1)
      guard result == SQLITE_OK else {
        let error = unsafe SQLiteError(result, on: nil)
        throw .statement("value \(offset) does not fit: \(error): \(sql)")
      }
    }
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        // An empty string may have no address, and a null pointer would bind NULL.
        guard let start = bytes.baseAddress else {
          return unsafe CSQLite_bind_text(handle, index, "", 0)
        }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          unsafe CSQLite_bind_text(handle, index, $0, UInt64(bytes.count))
        }
      }
    case .blob(let blob):
      return unsafe blob.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
          return unsafe sqlite3_bind_zeroblob(handle, index, 0)
        }
        return unsafe CSQLite_bind_blob(handle, index, start, UInt64(bytes.count))
      }
    }
  }

  /// Goes to the next row; false when there is none.
  func step() throws(StoreError) -> Bool {
    let result = unsafe sqlite3_step(handle)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failures.note(unsafe SQLiteError(result, on: connection))
    }
  }

  /// Makes the statement ready to be used again, and forgets its values: they may be secrets.
  func close() {
    // Repeats the error of the last step, which was thrown there already.
    _ = unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
    mismatch = nil
    isInUse = false
  }

  func finish() throws(StoreError) {
    guard unsafe sqlite3_stmt_readonly(handle) == 0 else { return }
    while try step() {}
  }

  /// Whether the column holds NULL.
  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  func integer(_ column: Int) -> Int64 {
    expect(column, SQLITE_INTEGER) ? unsafe sqlite3_column_int64(handle, Int32(column)) : 0
  }

  func real(_ column: Int) -> Double {
    // A whole number in a REAL column is one too (sqlite.org/datatype3.html).
    if type(column) == SQLITE_INTEGER { return Double(integer(column)) }
    return expect(column, SQLITE_FLOAT) ? unsafe sqlite3_column_double(handle, Int32(column)) : 0
  }

  func text(_ column: Int) -> String {
    guard expect(column, SQLITE_TEXT),
      let start = unsafe sqlite3_column_text(handle, Int32(column))
    else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: count),
      as: UTF8.self
    )
  }

  func blob(_ column: Int) -> [UInt8] {
    guard expect(column, SQLITE_BLOB),
      let start = unsafe sqlite3_column_blob(handle, Int32(column))
    else { return [] }
    let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private func type(_ column: Int) -> Int32 {
    // SQLite answers NULL to a column that does not exist.
    guard column >= 0, column < Int(Int32.max) else { return SQLITE_NULL }
    return unsafe sqlite3_column_type(handle, Int32(column))
  }

  private func expect(_ column: Int, _ expected: Int32) -> Bool {
    let found = type(column)
    guard found != expected else { return true }
    if mismatch == nil {
      let words = "\(Self.noun(found)) and not \(Self.noun(expected))"
      mismatch = .statement("\(name(column)) holds \(words): \(sql)")
    }
    return false
  }

  private func name(_ column: Int) -> String {
    guard let name = unsafe sqlite3_column_name(handle, Int32(clamping: column)) else {
      return "column \(column)"
    }
    return unsafe String(cString: name)
  }

  private static func noun(_ type: Int32) -> String {
    switch type {
    case SQLITE_INTEGER: "a whole number"
    case SQLITE_FLOAT: "a number"
    case SQLITE_TEXT: "text"
    case SQLITE_BLOB: "bytes"
    default: "nothing"
    }
  }
}
