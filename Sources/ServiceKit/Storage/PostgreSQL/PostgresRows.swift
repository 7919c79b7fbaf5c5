internal import CPostgreSQL

/// The answer of the server to one statement; cleared with its last reader.
@safe
final class PostgresRows: StoreCursor {
  /// The first column that did not hold what was asked of it.
  private(set) var mismatch: StoreError?
  private let sql: String
  private var result: Result?
  private let rowCount: Int32
  private let columnCount: Int32
  private var row: Int32 = -1

  /// The answer as libpq has it; freed with the last reader.
  @safe
  private final class Result {
    let handle: OpaquePointer

    @unsafe
    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe CPostgreSQL_clear(handle) }
  }

  /// Takes over an answer; nil for none, when there is no connection or no memory.
  init?(owning handle: OpaquePointer?, sql: String) {
    guard let handle = unsafe handle else { return nil }
    result = unsafe Result(handle)
    self.sql = sql
    rowCount = unsafe CPostgreSQL_row_count(handle)
    columnCount = unsafe CPostgreSQL_column_count(handle)
  }

  private init(again rows: PostgresRows) {
    (result, sql) = (rows.result, rows.sql)
    (rowCount, columnCount) = (rows.rowCount, rows.columnCount)
  }

  /// Another reader of the same answer, before its first row.
  var again: PostgresRows { PostgresRows(again: self) }

  private var handle: OpaquePointer? { unsafe result?.handle }

  /// Why the server did not do it; nil if it did.
  var failure: PostgresError? {
    guard let handle = unsafe handle, unsafe !CPostgreSQL_is_success(handle) else { return nil }
    return unsafe PostgresError(
      state: postgresText(CPostgreSQL_error_state(handle)),
      sentence: postgresText(CPostgreSQL_error_message(handle)),
      message: postgresText(CPostgreSQL_error_text(handle))
    )
  }

  /// The command that was done, with its numbers: `INSERT 0 1`.
  var command: String {
    guard let handle = unsafe handle else { return "" }
    return unsafe postgresText(CPostgreSQL_command(handle))
  }

  /// Rows that the command has changed; those that it has selected do not count.
  var changedRowCount: Int {
    guard let handle = unsafe handle else { return 0 }
    return Int(unsafe CPostgreSQL_changed_rows(handle))
  }

  /// Whether the command has changed rows.
  var hasChanged: Bool { changedRowCount > 0 }

  func step() -> Bool {
    guard row + 1 < rowCount else { return false }
    row += 1
    return true
  }

  /// Nothing: the server has done all of it.
  func finish() {}

  func close() { result = nil }

  func isNull(_ column: Int) -> Bool {
    guard let handle = unsafe handle, let column = place(column) else { return true }
    return unsafe CPostgreSQL_is_null(handle, row, column)
  }

  func integer(_ column: Int) -> Int64 {
    switch type(column) {
    case CPostgreSQL_INT8: return Int64(bitPattern: number(column))
    case CPostgreSQL_INT4: return Int64(Int32(truncatingIfNeeded: number(column)))
    case CPostgreSQL_INT2: return Int64(Int16(truncatingIfNeeded: number(column)))
    case CPostgreSQL_BOOL: return Int64(number(column))
    case CPostgreSQL_NUMERIC:
      if let whole = PostgresNumeric(blobBytes(column)).integer { return whole }
      fallthrough
    default:
      refuse(column, "a whole number")
      return 0
    }
  }

  func real(_ column: Int) -> Double {
    switch type(column) {
    case CPostgreSQL_FLOAT8: return Double(bitPattern: number(column))
    case CPostgreSQL_FLOAT4:
      return Double(Float(bitPattern: UInt32(truncatingIfNeeded: number(column))))
    case CPostgreSQL_NUMERIC: return PostgresNumeric(blobBytes(column)).real
    // A whole number is one too, as in SQLite.
    case CPostgreSQL_INT8, CPostgreSQL_INT4, CPostgreSQL_INT2: return Double(integer(column))
    default:
      refuse(column, "a number")
      return 0
    }
  }

  func text(_ column: Int) -> String {
    switch type(column) {
    case CPostgreSQL_TEXT, CPostgreSQL_VARCHAR, CPostgreSQL_NAME, CPostgreSQL_UNKNOWN_TEXT:
      return unsafe withBytes(column) { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    default:
      refuse(column, "text")
      return ""
    }
  }

  func blob(_ column: Int) -> [UInt8] {
    guard type(column) == CPostgreSQL_BYTEA else {
      refuse(column, "bytes")
      return []
    }
    return blobBytes(column)
  }

  /// Whether another answer has the same rows, in whatever order.
  func hasSameRows(as other: PostgresRows) -> Bool { again.allRows == other.again.allRows }

  private var allRows: [[[UInt8]?]: Int] {
    var counts: [[[UInt8]?]: Int] = [:]
    while step() {
      counts[(0..<Int(columnCount)).map { isNull($0) ? nil : blobBytes($0) }, default: 0] += 1
    }
    return counts
  }

  // MARK: The answer

  private func blobBytes(_ column: Int) -> [UInt8] {
    unsafe withBytes(column) { bytes in unsafe [UInt8](bytes) }
  }

  /// The bytes of a number, which are big-endian, in one word.
  private func number(_ column: Int) -> UInt64 {
    unsafe withBytes(column) { bytes in unsafe bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
  }

  private func withBytes<R>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard let handle = unsafe handle, let column = place(column) else {
      return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let count = unsafe Int(CPostgreSQL_length(handle, row, column))
    let start = unsafe CPostgreSQL_value(handle, row, column)
    return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func place(_ column: Int) -> Int32? {
    guard let column = Int32(exactly: column), (0..<columnCount).contains(column) else {
      return nil
    }
    return column
  }

  /// The type of a column that holds something.
  private func type(_ column: Int) -> CPostgreSQL_type {
    guard let handle = unsafe handle, !isNull(column), let column = place(column) else {
      return CPostgreSQL_UNKNOWN
    }
    return CPostgreSQL_type(rawValue: unsafe CPostgreSQL_column_type(handle, column))
  }

  private func refuse(_ column: Int, _ expected: String) {
    guard mismatch == nil else { return }
    let found = isNull(column) ? "nothing" : "type \(type(column).rawValue)"
    mismatch = .statement("\(name(column)) holds \(found) and not \(expected): \(sql)")
  }

  private func name(_ column: Int) -> String {
    guard let handle = unsafe handle, let place = place(column) else { return "column \(column)" }
    return unsafe postgresText(CPostgreSQL_column_name(handle, place))
  }
}
