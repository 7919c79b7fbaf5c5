internal import CStoreSimulation

/// An answer of the server, which libpq takes over.
@safe
final class Answer {
  private var handle: OpaquePointer?

  @unsafe
  init(owning handle: OpaquePointer?) { unsafe self.handle = handle }

  deinit { if let handle = unsafe handle { unsafe CStoreSimulation_drop(handle) } }

  /// A command that was done.
  static func done(_ command: String) -> Answer {
    unsafe Answer(owning: CStoreSimulation_done(command))
  }

  static func text(_ value: String) -> Answer {
    unsafe Answer(owning: CStoreSimulation_text(value))
  }

  static func number(_ value: Int64) -> Answer {
    unsafe Answer(owning: CStoreSimulation_number_answer(value))
  }

  static func failure(_ failure: ServerFailure) -> Answer {
    unsafe Answer(owning: CStoreSimulation_failure(failure.state, failure.message))
  }

  var hasFailed: Bool {
    guard let handle = unsafe handle else { return true }
    return unsafe CStoreSimulation_has_failed(handle)
  }

  /// Whether the first value is NULL.
  var isNull: Bool {
    guard let handle = unsafe handle else { return true }
    return unsafe CStoreSimulation_is_null(handle)
  }

  /// The first value, which is a number.
  var number: Int64 {
    guard let handle = unsafe handle else { return 0 }
    return unsafe CStoreSimulation_integer(handle)
  }

  /// The first value, which is a text.
  var text: String {
    guard let handle = unsafe handle else { return "" }
    return unsafe String(cString: CStoreSimulation_first_text(handle))
  }

  /// Hands it over to libpq.
  @unsafe
  var taken: OpaquePointer? {
    defer { unsafe handle = nil }
    return unsafe handle
  }
}

/// Why the server does not do a statement.
struct ServerFailure: Error {
  /// SQLSTATE; empty when it is libpq that says so.
  let state: String
  let message: String

  /// The connection is lost.
  static let lost = ServerFailure(
    state: "",
    message: "server closed the connection unexpectedly"
  )
}

/// A statement with its values, as it arrives at the server.
@safe
struct ServerCall {
  let handle: OpaquePointer

  @unsafe
  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// The name that it was prepared under.
  var name: String { unsafe String(cString: CStoreSimulation_name(handle)) }
}

/// A connection as libpq has it.
@safe
struct LinkHandle {
  private let handle: OpaquePointer

  @unsafe
  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  var number: Int32 { unsafe CStoreSimulation_number(handle) }

  func set(isConnected: Bool, _ transaction: TransactionState) {
    unsafe CStoreSimulation_set_state(handle, isConnected, transaction.rawValue)
  }

  func set(error: String) { unsafe CStoreSimulation_set_error(handle, error) }

  /// Whether the program has shut it down.
  var isShut: Bool { unsafe CStoreSimulation_is_shut(handle) }

  /// Tells of a warning.
  func warn() { unsafe CStoreSimulation_warn(handle) }
}

/// The states of a transaction, as libpq numbers them (PGTransactionStatusType).
enum TransactionState: Int32 {
  case idle = 0
  case active = 2
  case failed = 3
  case unknown = 4
}

/// A file of SQLite, as one session of a server sees it.
@safe
final class ServerFile {
  private let handle: OpaquePointer

  init(_ path: String) {
    guard let handle = unsafe CStoreSimulation_open(path) else {
      fatalError("\(path) cannot be opened")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe CStoreSimulation_close(handle) }

  /// Runs statements that cannot fail.
  func run(_ text: String) {
    guard unsafe CStoreSimulation_run(handle, text) else { fatalError("\(text) failed") }
  }

  func query(_ text: String, _ call: ServerCall? = nil, _ types: [UInt32] = []) -> Answer {
    unsafe Answer(
      owning: CStoreSimulation_query(handle, text, call?.handle, Int32(types.count), types)
    )
  }

  static func copy(_ from: String, to target: String) {
    guard unsafe CStoreSimulation_copy(from, target) else { fatalError("\(from) cannot be copied") }
  }
}
