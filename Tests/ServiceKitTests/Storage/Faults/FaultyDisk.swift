import CStoreFaults
import RPCKit
import ServiceKit
import Synchronization

/// A disk under a store that keeps a record of what is done to it, and fails when a test says so.
///
/// Files are real; only nothing is synchronized, as the record says what a loss of power would leave
/// (`DiskModel`). Must outlive every store that is opened on it.
final class FaultyDisk: Sendable {
  /// What a file is to SQLite.
  enum Role: Hashable, Sendable { case database, log, other }

  /// What can fail.
  enum Kind: Hashable, Sendable { case open, read, write, truncate, sync, delete, map }

  /// A failure that is planned.
  struct Fault: Sendable {
    var kind: Kind
    var role: Role
    /// Which of those operations fails, counted from 1 and from when it was planned.
    var number = 1
    /// Whether all later ones fail too, until `heal`.
    var isLasting = false
    /// SQLite's extended result code.
    var code: Int32
    /// Whether half of a write that fails reaches the file all the same.
    var writesHalf = false

    /// fsync(2) answers EIO.
    static func sync(_ role: Role, number: Int = 1) -> Fault {
      Fault(kind: .sync, role: role, number: number, code: 10 | (4 << 8))
    }

    /// write(2) answers ENOSPC.
    static func full(_ role: Role, number: Int = 1, isLasting: Bool = false) -> Fault {
      Fault(kind: .write, role: role, number: number, isLasting: isLasting, code: 13)
    }
  }

  private struct State {
    var operations: [DiskOperation] = []
    var fault: Fault?
    var matchCount = 0
    var firedCount = 0
    var lies: Set<Role> = []
  }

  /// The name that SQLite knows it by.
  let name: String

  private let state = Lock(State())
  private let registration = Lock<Registration?>(nil)

  private static let count = Atomic<Int>(0)

  init() {
    name = "faulty-\(Self.count.add(1, ordering: .relaxed).newValue)"
    let made = unsafe StoreFaults_register(
      name,
      { context, operation in
        guard let context = unsafe context, let operation = unsafe operation else {
          return StoreFaults_outcome()
        }
        let disk = unsafe Unmanaged<FaultyDisk>.fromOpaque(context).takeUnretainedValue()
        return unsafe disk.answer(operation.pointee)
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
    guard let made = unsafe made else { fatalError("SQLite takes no further file system") }
    let owner = unsafe Registration(made)
    registration.withLock { $0 = owner }
  }

  /// The file system as SQLite has it; ends with its last reference.
  @safe
  private final class Registration: @unchecked Sendable {
    // @unchecked: only made and unmade, and the lock around it says by whom.
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe StoreFaults_unregister(handle) }
  }

  /// Everything that was done so far, in order.
  var operations: [DiskOperation] { state.withLock { $0.operations } }

  /// How much was done so far: what is acknowledged now must survive every later loss of power.
  var position: Int { state.withLock { $0.operations.count } }

  /// How often the planned failure has happened.
  var firedCount: Int { state.withLock { $0.firedCount } }

  /// Plans a failure in place of the one before.
  func plan(_ fault: Fault) {
    state.withLock { state in
      state.fault = fault
      state.matchCount = 0
      state.firedCount = 0
    }
  }

  /// Starts a new record.
  func forget() { state.withLock { $0.operations = [] } }

  /// Works again from now on.
  func heal() { state.withLock { $0.fault = nil } }

  /// From now on claims to have synchronized files of this role, and has not.
  func lie(about role: Role) { state.withLock { _ = $0.lies.insert(role) } }

  private func answer(_ operation: StoreFaults_operation) -> StoreFaults_outcome {
    let path = unsafe String(cString: operation.path)
    let role = unsafe role(operation.role)
    let kind = unsafe kind(operation.kind)
    let offset = unsafe Int(operation.offset)
    // Only a write has bytes; other operations count without them.
    let count = unsafe operation.bytes == nil ? 0 : Int(operation.count)
    let content = unsafe Array(UnsafeRawBufferPointer(start: operation.bytes, count: count))
    return state.withLock { state in
      let fault = due(kind, role, &state)
      var outcome = StoreFaults_outcome(code: fault?.code ?? 0, written: 0)
      switch kind {
      case .open where fault == nil: state.operations.append(.open(path))
      case .write:
        var bytes = content
        if let fault {
          bytes.removeLast(fault.writesHalf ? bytes.count / 2 : bytes.count)
          outcome.written = Int64(bytes.count)
        }
        guard !bytes.isEmpty else { break }
        state.operations.append(.write(path, offset: offset, bytes))
      case .truncate where fault == nil:
        state.operations.append(.truncate(path, byteCount: offset))
      case .sync:
        guard !state.lies.contains(role) else { break }
        // The folder is synchronized with a new log or journal, but not with the database file.
        state.operations.append(
          fault == nil ? .sync(path, withFolder: role != .database) : .failedSync(path)
        )
      case .delete where fault == nil:
        state.operations.append(.delete(path, withFolder: offset != 0))
      case .open, .truncate, .delete, .read, .map: break
      }
      return outcome
    }
  }

  private func due(_ kind: Kind, _ role: Role, _ state: inout State) -> Fault? {
    guard let fault = state.fault, fault.kind == kind, fault.role == role else { return nil }
    state.matchCount += 1
    let isDue =
      fault.isLasting ? state.matchCount >= fault.number : state.matchCount == fault.number
    guard isDue else { return nil }
    state.firedCount += 1
    return fault
  }

  private func role(_ role: StoreFaults_role) -> Role {
    switch role {
    case StoreFaults_database: .database
    case StoreFaults_log: .log
    default: .other
    }
  }

  private func kind(_ kind: StoreFaults_kind) -> Kind {
    switch kind {
    case StoreFaults_open: .open
    case StoreFaults_write: .write
    case StoreFaults_truncate: .truncate
    case StoreFaults_sync: .sync
    case StoreFaults_delete: .delete
    case StoreFaults_map: .map
    default: .read
    }
  }
}
