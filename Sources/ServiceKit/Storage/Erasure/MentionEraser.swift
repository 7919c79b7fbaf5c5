/// Puts a user's pseudonym in the place of the identifier, wherever in a store it still is.
///
/// Looks at every column of text or bytes of every table, whichever a service has, so that no table can be
/// forgotten. The tables are read in slices, by a reader, and only rows that name the user are written, so
/// neither calls nor other writes wait for it. What belongs to the user alone is deleted before it.
public struct MentionEraser: Sendable {
  /// Rows that are looked at in one transaction.
  static let sliceRowCount = 5_000
  /// Slices that one call of `advance` looks at, at most, unless the cursor would be too long.
  static let sliceCountMax = 20
  /// Bytes of a cursor, at most; other services hand it back in requests, which bound it.
  private static let cursorByteCountMax = 224
  /// Rows that one transaction writes, at most.
  private static let writtenRowCountMax = 500

  private let store: ServiceStore
  private let name: String
  private let pseudonym: String
  private let spared: Set<String>

  /// Replaces `name`, an identifier, by a pseudonym of the same length, except in tables whose contents are
  /// not the service's to change.
  public init(
    _ store: ServiceStore,
    replacing name: String,
    by pseudonym: String,
    sparing spared: Set<String> = []
  ) {
    precondition(!name.isEmpty, "nothing would be everywhere")
    (self.store, self.name, self.pseudonym, self.spared) = (store, name, pseudonym, spared)
  }

  /// Looks at the next hundred thousand rows or so; where to go on, nil when all were looked at.
  ///
  /// Throws `StoreError`. May be called again from any cursor: what was replaced is not found again.
  public func advance(from start: Cursor) async throws -> Cursor? {
    var cursor = start
    let tables = try await store.database.read { tx in try NamingTable.all(tx) }
      .filter { !spared.contains($0.name) }
    var sliceCount = 0
    for table in tables where table.name >= cursor.table {
      if table.name != cursor.table { cursor = Cursor(table: table.name, key: []) }
      while let last = try await replaceSlice(of: table, after: cursor.key) {
        cursor.key = last
        sliceCount += 1
        if sliceCount >= Self.sliceCountMax, cursor.text.utf8.count <= Self.cursorByteCountMax {
          return cursor
        }
      }
    }
    return nil
  }

  /// Replaces the name in the next rows of a table; the key of the last of them, nil when it is the table's.
  private func replaceSlice(
    of table: NamingTable,
    after start: [SQLValue]
  ) async throws -> [SQLValue]? {
    let name = name
    let slice = try await store.database.read { tx in
      let last = try table.key(after: start, skipping: Self.sliceRowCount, in: tx)
      return (last: last, keys: try table.keys(naming: name, after: start, through: last, in: tx))
    }
    var rest = slice.keys[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.writtenRowCountMax))
      rest = rest.dropFirst(part.count)
      try await replace(in: table, at: part)
    }
    return slice.last
  }

  private func replace(in table: NamingTable, at keys: [[SQLValue]]) async throws {
    let (name, pseudonym) = (name, pseudonym)
    try await store.writeOwn { tx in
      let unique = try tx.storeUniqueKeys(of: table.name)
      for key in keys {
        try table.replace(name, by: pseudonym, at: key, unique: unique, in: tx)
      }
    }
  }
}
