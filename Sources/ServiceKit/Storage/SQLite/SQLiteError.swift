internal import CSQLite

/// The error of SQLite: the extended result code and its text.
@safe
struct SQLiteError: Error, Hashable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  var code: Int32
  /// SQLite's sentence about it.
  var message: String

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The error that a connection has just met, or what the bare code means without one.
  init(_ code: Int32, on handle: OpaquePointer?) {
    guard let handle = unsafe handle else {
      self.init(code, unsafe String(cString: sqlite3_errstr(code)))
      return
    }
    let extended = unsafe sqlite3_extended_errcode(handle)
    // A call that failed before it touched the connection leaves an older code there.
    let isSame = extended & 0xFF == code & 0xFF
    self.init(isSame ? extended : code, unsafe String(cString: sqlite3_errmsg(handle)))
  }

  /// The primary result code: the low byte.
  var primary: Int32 { code & 0xFF }

  /// The disk did not confirm what was written, so what it holds now is not known.
  var isFailedSync: Bool {
    code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8)
  }

  var description: String { "\(message) (SQLite \(code))" }
}

extension SQLiteError {
  /// The error for users of the store.
  func storeError(path: String) -> StoreError {
    switch primary {
    case SQLITE_FULL: .unavailable("the disk is full")
    case SQLITE_IOERR: .unavailable("I/O error: \(description)")
    case SQLITE_NOMEM: .unavailable("out of memory")
    case SQLITE_BUSY, SQLITE_LOCKED: .unavailable("the store is in use elsewhere: \(description)")
    case SQLITE_READONLY, SQLITE_PERM: .unavailable("the store cannot be written: \(description)")
    case SQLITE_CANTOPEN: .unavailable("a file of the store cannot be opened: \(description)")
    case SQLITE_INTERRUPT: .unavailable("the statement was interrupted")
    case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(path: path, detail: description)
    case SQLITE_CONSTRAINT: .constraint(constraintKind, message)
    default: .statement(description)
    }
  }

  private var constraintKind: StoreError.Constraint {
    switch code >> 8 {
    case 8, 6, 10: .unique
    case 3: .foreignKey
    case 1: .check
    case 5: .notNull
    default: .other
    }
  }
}
