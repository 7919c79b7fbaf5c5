/// Why the store did not do what it was asked.
public enum StoreError: Error, Hashable, Sendable {
  /// Which rule of the schema a statement would have broken.
  public enum Constraint: Hashable, Sendable {
    /// UNIQUE or PRIMARY KEY.
    case unique
    /// REFERENCES.
    case foreignKey
    /// CHECK.
    case check
    /// NOT NULL.
    case notNull
    /// Anything else, triggers included.
    case other
  }

  /// The store cannot do it now: full disk, I/O error, closed.
  ///
  /// A write that ended so may or may not survive a crash; repeat it with its idempotency key.
  case unavailable(String)
  /// Other transactions were in the way each time; nothing was done, and the same may succeed later.
  case conflict(String)
  /// More is waiting than `DatabaseConfiguration` allows; nothing was done.
  case overloaded
  /// More reads or writes of one caller are waiting than its share; nothing was done.
  case callerOverloaded
  /// The file is damaged.
  case corrupt(path: String, detail: String)
  /// A store was here, and its file is gone or has no bytes.
  case missing(path: String, isEmpty: Bool)
  /// The file was written by a newer program.
  case newerSchema(path: String, file: Int, program: Int)
  /// The file belongs to another program or service.
  case foreignFile(path: String, applicationID: Int32)
  /// A command for files was given a store on a server.
  case notInFile(path: String, advice: String)
  /// It was copied to another place, and takes no writes.
  case moved(path: String, to: String)
  /// Another process, or another `Database`, has the store open.
  case inUse(path: String)
  /// The file cannot be opened or made.
  case cannotOpen(path: String, detail: String)
  /// A migration did not apply; nothing of it remains.
  case migrationFailed(version: Int, detail: String)
  /// A statement would have broken a rule of the schema.
  case constraint(Constraint, String)
  /// A value is of a kind that the engine of the store cannot keep.
  case unstorable(String)
  /// A statement is wrong, or a column does not hold what was asked of it: an error of the program,
  /// or a value that it never wrote.
  case statement(String)
}

extension StoreError: CustomStringConvertible {
  /// A sentence for the log; names files, so never for a peer.
  public var description: String {
    switch self {
    case .unavailable(let reason): "the store is unavailable: \(reason)"
    case .conflict(let reason): "other transactions of the store are in the way: \(reason)"
    case .overloaded: "the store is overloaded"
    case .callerOverloaded: "too many calls of one caller are waiting for the store"
    case .corrupt(let path, let detail):
      "\(path) is damaged: \(detail); nothing was changed, see \"Damaged stores\" in docs/operations/services.md"
    case .missing(let path, let isEmpty):
      "\(path) is \(isEmpty ? "empty" : "missing"), but \(path).lock says that a store was here: put it "
        + "back or restore a backup; for a new store, run the command set-aside first"
    case .newerSchema(let path, let file, let program):
      "\(path) has schema version \(file), but this program knows only up to \(program): start the newer "
        + "program, or restore a backup from before the upgrade"
    case .foreignFile(let path, let applicationID):
      "\(path) belongs to another program (application id \(applicationID)): set database or store to the "
        + "store of this one"
    case .moved(let path, let target):
      "\(path) was copied to \(target) and takes no writes: set database or store to the copy, or take it back "
        + "by the command resume-store"
    case .inUse(let path): "\(path) is open in another process: stop that one first"
    case .notInFile(let path, let advice): "the store is on \(path): \(advice)"
    case .cannotOpen(let path, let detail) where PostgresLocation.isLocation(path):
      "\(path) cannot be opened: \(detail)"
    case .cannotOpen(let path, let detail):
      "\(path) cannot be opened: \(detail); a store needs an existing folder that this user may write to"
    case .migrationFailed(let version, let detail): "migration \(version) failed: \(detail)"
    case .constraint(_, let detail): "a constraint of the schema failed: \(detail)"
    case .unstorable(let what): "the store cannot keep \(what)"
    case .statement(let detail): "invalid statement: \(detail)"
    }
  }
}
