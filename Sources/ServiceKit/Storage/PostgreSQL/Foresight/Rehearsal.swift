/// Stands in for a connection while the body of a transaction runs only to find out what it asks.
///
/// A question whose answer is known gets it, and another one is noted and gets no rows: most of what bodies look for
/// first is not there (an answer under a key, a deleted caller), and the next questions are those that follow from
/// that. What follows from a wrong guess is asked for nothing, or throws, and has no other effect: nothing is written.
/// A question behind a change has no answer here, as it may be about what was changed.
final class Rehearsal: StoreConnection {
  let path: String
  let catalog: StoreCatalog
  let isInTransaction = true
  let isPoisoned = false
  let lastFailure: StoreError? = nil
  let mark: Int64 = 0
  /// Questions, in their order.
  private(set) var asked: [StoreQuestion] = []
  /// Those without an answer, each once.
  private(set) var unknown: [StoreQuestion] = []
  private let known: KnownAnswers?
  private var hasChanged = false
  private var isOver = false

  /// Times that a body is run before it runs for good: the second time it asks what follows from the first answers.
  static let roundCountMax = 3
  /// Questions of one body that are asked together.
  private static let unknownCountMax = 256

  init(of connection: any PipelinedConnection) {
    (path, catalog, known) = (connection.path, connection.catalog, connection.known)
  }

  /// Whether the body has asked nothing but what is known, and changed nothing: its result is the right one.
  var isComplete: Bool { unknown.isEmpty && !hasChanged && !isOver }

  func beginReading() {}

  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int { throw end() }

  func insert(
    _ sql: String,
    _ values: [SQLValue],
    generating key: String
  ) throws(StoreError) -> Int64 { throw end() }

  func post(_ sql: String, _ values: [SQLValue]) { hasChanged = true }

  func open(
    _ sql: String,
    _ values: [SQLValue],
    limit: Int
  ) throws(StoreError) -> any StoreCursor {
    guard !hasChanged, StoreQuestion.isReading(sql) else { throw end() }
    let question = StoreQuestion(sql, values, limit: limit)
    asked.append(question)
    if let rows = known?[question] { return rows }
    guard unknown.count < Self.unknownCountMax else { throw end() }
    if !unknown.contains(question) { unknown.append(question) }
    return NoRows()
  }

  func hasChanged(since mark: Int64) -> Bool { false }

  /// The error that the body gets where nothing more can be found out.
  private func end() -> StoreError {
    isOver = true
    return .unavailable("a rehearsal ends here")
  }

  /// The answer to a question that nobody has asked the server yet.
  private final class NoRows: StoreCursor {
    let mismatch: StoreError? = nil

    func step() -> Bool { false }
    func finish() {}
    func close() {}
    func isNull(_ column: Int) -> Bool { true }
    func integer(_ column: Int) -> Int64 { 0 }
    func real(_ column: Int) -> Double { 0 }
    func text(_ column: Int) -> String { "" }
    func blob(_ column: Int) -> [UInt8] { [] }
  }
}
