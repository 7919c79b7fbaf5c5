import Glibc

/// A simulated server of PostgreSQL: what it has committed, its sessions, and the locks that they hold.
///
/// Rows are in a file of SQLite. A transaction that writes sees the newest commits with each statement (READ COMMITTED),
/// and one of them writes at a time: where PostgreSQL would wait for a row, this waits for the other's end.
final class Server: @unchecked Sendable {
  /// The part that a server plays.
  enum Role {
    case primary
    /// Follows the primary and takes no programs.
    case standby
    case down
  }

  let name: String
  let path: String
  let schedule: Schedule
  var role: Role
  var timeline: UInt32 = 1
  /// Whether commits are confirmed by a standby; those that wait for one are acknowledged by nobody.
  var hasStandby = true
  private(set) var sessions: [Session] = []
  /// The session whose transaction has written.
  var writer: Session?
  /// A holder of an advisory lock; one of a session outlives its transactions.
  private struct Holder {
    let session: Session
    var isOfTransaction: Bool
    let isSharing: Bool
  }

  private var locks: [String: [Holder]] = [:]

  init(name: String, path: String, role: Role, schedule: Schedule) {
    (self.name, self.path, self.role, self.schedule) = (name, path, role, schedule)
  }

  // MARK: Sessions

  func begin(of program: Program?) -> Session {
    let session = Session(on: self, of: program)
    sessions.append(session)
    return session
  }

  /// Has a session end; what it has not committed is gone.
  func end(_ session: Session) {
    guard !session.hasEnded else { return }
    session.hasEnded = true
    session.file = nil
    if writer === session { writer = nil }
    release { $0.session === session }
    sessions.removeAll { $0 === session }
  }

  /// Ends sessions that have been silent for too long, and commits that go on without their program.
  func timePassed() {
    for session in sessions {
      if session.isOrphan, hasStandby {
        session.complete()
        end(session)
      } else if let end = session.deadline, end <= schedule.now {
        self.end(session)
      }
    }
  }

  /// When the next session ends by itself.
  var deadline: Int64? { sessions.compactMap(\.deadline).min() }

  /// A number by its query, of what is committed.
  func number(of query: String) -> Int64 { ServerFile(path).query(query).number }

  // MARK: Locks

  func isFree(_ key: String, for session: Session, sharing: Bool = false) -> Bool {
    locks[key, default: []].allSatisfy { $0.session === session || sharing && $0.isSharing }
  }

  func lock(_ key: String, _ session: Session, isOfTransaction: Bool, sharing: Bool = false) {
    guard let place = locks[key]?.firstIndex(where: { $0.session === session }) else {
      locks[key, default: []].append(
        Holder(session: session, isOfTransaction: isOfTransaction, isSharing: sharing)
      )
      return
    }
    if !isOfTransaction { locks[key]?[place].isOfTransaction = false }
  }

  func unlock(_ key: String, _ session: Session) {
    locks[key]?.removeAll { $0.session === session }
  }

  func endTransaction(of session: Session) {
    release { $0.session === session && $0.isOfTransaction }
  }

  private func release(_ isOver: (Holder) -> Bool) {
    locks = locks.mapValues { $0.filter { !isOver($0) } }.filter { !$0.value.isEmpty }
  }

  // MARK: Faults

  /// Ends at once; commits that are under way may have reached the disk.
  func crash(keepsCommits: Bool) {
    role = .down
    for session in sessions {
      if session.isCommitting, keepsCommits { session.complete() }
      end(session)
    }
  }

  /// Has what another server has committed, and nothing else.
  func become(a other: Server) {
    precondition(sessions.isEmpty)
    for name in ["", "-wal", "-shm"] { _ = unsafe unlink("\(path)\(name)") }
    ServerFile.copy(other.path, to: path)
  }
}
