internal import ServiceKit

/// Which work the passwords of the store take: costs of our own hashes and forms of imported ones.
///
/// Has all that there is, and until the next start perhaps more.
enum PasswordWorkTable {
  /// Says that all passwords were looked at, which an upgrade has not done.
  private static let countedText = "counted"
  private static let ownPrefix = "own "

  /// Its table, empty and not counted yet.
  static let migration = Migration(
    version: 19,
    sql: "CREATE TABLE password_work (step TEXT PRIMARY KEY) WITHOUT ROWID;"
  )

  /// The steps, and whether all passwords were looked at for them.
  static func all(
    in tx: borrowing some Queryable
  ) throws -> (steps: Set<PasswordWork.Step>, isCounted: Bool) {
    let texts = try tx.query("SELECT step FROM password_work") { $0.text(0) }
    return (Set(texts.compactMap { step(of: $0) }), texts.contains(countedText))
  }

  /// Adds to it.
  static func insert(_ steps: Set<PasswordWork.Step>, in tx: borrowing WriteTransaction) throws {
    for step in steps {
      try insert(text(of: step), in: tx)
    }
  }

  /// Removes the work that no password needs.
  static func remove(_ steps: Set<PasswordWork.Step>, in tx: borrowing WriteTransaction) throws {
    for step in steps {
      try tx.execute("DELETE FROM password_work WHERE step = ?", .text(text(of: step)))
    }
  }

  /// All passwords were looked at.
  static func noteCounted(in tx: borrowing WriteTransaction) throws {
    try insert(countedText, in: tx)
  }

  private static func insert(_ text: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("INSERT INTO password_work VALUES (?) ON CONFLICT DO NOTHING", .text(text))
  }

  /// Stored passwords in the order of their users, after one of them.
  static func passwords(
    after userID: String,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [(userID: String, password: String)] {
    try tx.query(
      "SELECT user_id, password FROM credential WHERE user_id > ? ORDER BY user_id LIMIT ?",
      .text(userID),
      .integer(limit)
    ) { ($0.text(0), $0.text(1)) }
  }

  private static func text(of step: PasswordWork.Step) -> String {
    switch step {
    case .own(let cost): "\(ownPrefix)\(cost.memory) \(cost.passes)"
    case .foreign(let form): form.text
    }
  }

  private static func step(of text: String) -> PasswordWork.Step? {
    guard text.hasPrefix(ownPrefix) else { return ForeignForm(text).map { .foreign($0) } }
    let numbers = text.dropFirst(ownPrefix.count).split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2, PasswordCost.memoryRange.contains(numbers[0]),
      PasswordCost.passRange.contains(numbers[1])
    else { return nil }
    return .own(PasswordCost(memory: numbers[0], passes: numbers[1]))
  }
}
