/// Answers of the store that are there before their questions are asked.
///
/// Confined to the thread of a connection. They hold until something changes what they are about.
final class KnownAnswers {
  private var rows: [StoreQuestion: PostgresRows] = [:]

  /// A reader of the answer, from its first row on; nil for a question whose answer is not here.
  subscript(_ question: StoreQuestion) -> PostgresRows? { rows[question]?.again }

  /// Adds an answer.
  func add(_ answer: PostgresRows, to question: StoreQuestion) { rows[question] = answer }
}
