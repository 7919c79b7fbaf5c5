extension Database {
  /// The audit records of one request in the store at `path`, oldest first.
  ///
  /// The service may be running; nothing is changed. At most `limit` records are read. Throws
  /// `StoreError` when the file cannot be read, or is not a store of Gatehouse.
  public static func auditRecords(
    ofRequest requestID: String,
    in path: String,
    limit: Int
  ) async throws(StoreError) -> [StoredAuditRecord] {
    // A large audit log takes a while to read: it has no index of requests.
    try await StoreThread.result(name: "store-trail") { () throws(StoreError) in
      let connection = try SQLiteConnection(path: path, role: .reader, cacheByteCount: 1 << 20)
      let isStore = try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'audit_log'") {
        $0.boolean(0)
      }
      guard isStore == true else {
        throw .cannotOpen(path: path, detail: "it has no audit log")
      }
      return try connection.records(ofRequest: requestID, limit: limit)
    }
  }
}

extension SQLiteConnection {
  fileprivate func records(
    ofRequest requestID: String,
    limit: Int
  ) throws(StoreError) -> [StoredAuditRecord] {
    do {
      return try query(
        "\(StoredAuditRecord.columns.selection) WHERE request_id = ? ORDER BY sequence",
        [.text(requestID)],
        limit: limit
      ) { try StoredAuditRecord.columns.record($0) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .statement("\(error)")
    }
  }
}
