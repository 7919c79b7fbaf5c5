internal import CPostgreSQL

extension PostgresConnection {
  /// Rows that are fetched at once.
  private static let fetchCount = 1000

  /// Takes the time that a copy needs: a transaction may be open for as long as the other store is busy.
  func waitPatiently() throws(StoreError) {
    try run("SET idle_in_transaction_session_timeout = 0")
  }

  /// The sequence that makes the keys of a table; nil without one.
  func keySequence(of table: CopiedTable) throws(StoreError) -> String? {
    try first(
      """
      SELECT pg_get_serial_sequence(CAST(t.relname AS text), CAST(a.attname AS text))
      FROM pg_class AS t JOIN pg_attribute AS a ON a.attrelid = t.oid
      WHERE t.relname = ? AND t.relnamespace = CAST(current_schema() AS regnamespace)
        AND a.attidentity <> '' AND NOT a.attisdropped
      """,
      [.text(table.name)]
    ) { $0.text(0) }
  }

  /// Hands over the rows of a table, in the transaction that is open, a thousand in memory at a time.
  func scan(
    _ table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    let cursor = "copied_\(table.name)"
    try run("DECLARE \(cursor) NO SCROLL CURSOR FOR \(table.query)")
    var fetchedCount = 0
    repeat {
      let rows = try open("FETCH \(Self.fetchCount) FROM \(cursor)", [], limit: Self.fetchCount)
      defer { rows.close() }
      fetchedCount = 0
      while try rows.step() {
        fetchedCount += 1
        try body(rows)
      }
    } while fetchedCount == Self.fetchCount
    try run("CLOSE \(cursor)")
  }

  /// Adds rows to a table by one COPY: `rows` gets a body to be called for each.
  ///
  /// References between the rows are looked at when all are there.
  func copyRows(
    to table: CopiedTable,
    _ rows: ((CopiedRow) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    let sql = "COPY \(table.name) (\(table.columnList)) FROM STDIN (FORMAT binary)"
    unsafe try withHandle { handle throws(StoreError) in
      let answer = unsafe CPostgreSQL_run(handle, sql)
      guard unsafe answer.map({ unsafe CPostgreSQL_takes_rows($0) }) == true else {
        _ = try checked(unsafe PostgresRows(owning: answer, sql: sql), sql)
        throw .statement("it takes no rows: \(sql)")
      }
      unsafe CPostgreSQL_clear(answer)
    }
    var encoder = CopyEncoder(table)
    do throws(StoreError) {
      try rows { row throws(StoreError) in
        try encoder.append(row)
        if encoder.isFull { try send(&encoder) }
      }
      encoder.end()
      try send(&encoder)
    } catch {
      _ = try? endRows(sql, failure: "the copy was given up")
      throw error
    }
    try endRows(sql, failure: nil)
  }

  private func send(_ encoder: inout CopyEncoder) throws(StoreError) {
    let bytes = encoder.taken()
    unsafe try withHandle { handle throws(StoreError) in
      let isSent = unsafe bytes.withUnsafeBytes { bytes in
        let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
        return unsafe CPostgreSQL_send_rows(handle, start, Int32(bytes.count))
      }
      guard isSent else {
        let reason = unsafe postgresText(CPostgreSQL_connection_error(handle))
        throw .unavailable("the connection was lost: \(reason)")
      }
    }
  }

  private func endRows(_ sql: String, failure: String?) throws(StoreError) {
    unsafe try withHandle { handle throws(StoreError) in
      let answer = unsafe CPostgreSQL_end_rows(handle, failure)
      _ = try checked(unsafe PostgresRows(owning: answer, sql: sql), sql)
    }
  }
}

/// Rows in the binary format of COPY (PostgreSQL, "COPY", "Binary Format").
private struct CopyEncoder {
  private let table: CopiedTable
  private var bytes: [UInt8]

  private static let byteCountMax = 64 << 10
  /// The signature, no flags, and no extension of the header.
  private static let header =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

  init(_ table: CopiedTable) {
    self.table = table
    bytes = Self.header
  }

  /// Whether it is time to send the bytes so far.
  var isFull: Bool { bytes.count >= Self.byteCountMax }

  /// The bytes so far, which are forgotten.
  mutating func taken() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  mutating func append(_ row: CopiedRow) throws(StoreError) {
    append(Int16(row.values.count))
    for (column, value) in zip(table.columns, row.values) {
      switch value {
      case .null: append(Int32(-1))
      case .integer(let number):
        append(Int32(8))
        append(number)
      case .real(let number):
        append(Int32(8))
        append(Int64(bitPattern: number.bitPattern))
      case .text(let text):
        guard !text.utf8.contains(0) else {
          throw .unstorable("the character U+0000 in \(column.name) of \(table.name)")
        }
        append(Int32(clamping: text.utf8.count))
        bytes += text.utf8
      case .blob(let blob):
        append(Int32(clamping: blob.count))
        bytes += blob
      }
    }
  }

  /// Marks the end of the rows.
  mutating func end() { append(Int16(-1)) }

  private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
