internal import CSQLite

extension SQLiteConnection {
  /// Copies everything that is committed, as of one instant, into this connection's file.
  ///
  /// All pages in one step: a copy in several steps starts again whenever somebody else writes in
  /// between (sqlite.org/backup.html), and on a busy store would never end. Writers continue in the meantime.
  func copyAll(of source: SQLiteConnection) throws(StoreError) {
    let result = unsafe withHandle { target in
      unsafe source.withHandle { source -> Int32 in
        guard let backup = unsafe sqlite3_backup_init(target, "main", source, "main") else {
          return unsafe sqlite3_errcode(target)
        }
        let stepped = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        return stepped == SQLITE_DONE ? finished : stepped
      }
    }
    guard result == SQLITE_OK else {
      throw unsafe SQLiteError(result, on: nil).storeError(path: path)
    }
  }
}
