internal import CPostgreSQL

/// The error of a server: the code of SQLSTATE and its text.
struct PostgresError: Error, Hashable, CustomStringConvertible {
  /// Five letters (appendix A of PostgreSQL's manual); empty when the server has said nothing.
  var state: String
  /// The server's sentence alone; empty without one.
  var sentence = ""
  /// The server's sentence and what surrounds it, or libpq's.
  var message: String

  var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }
}

extension PostgresError {
  /// The error for users of the store.
  func storeError(path: String) -> StoreError {
    switch state {
    case "23505", "23P01": .constraint(.unique, message)
    case "23503": .constraint(.foreignKey, message)
    case "23514": .constraint(.check, message)
    case "23502": .constraint(.notNull, message)
    case "P0001": .constraint(.other, message)
    case "53100": .unavailable("the disk of \(path) is full")
    case "53300": .unavailable("\(path) has no connection left: raise its max_connections")
    case "25006": .unavailable("\(path) is read-only: it is a standby, or was made so")
    case "42501": .unavailable("a right is missing in \(path): \(message)")
    case PostgresMove.errorState: .moved(path: path, to: sentence)
    // Values that do not fit a statement, which is an error of the program.
    case "08P01": .statement(description)
    // Another transaction was in the way, and nothing was done.
    case "40001", "40P01": .conflict(description)
    case "XX001", "XX002": .corrupt(path: path, detail: description)
    default: storeErrorByClass
    }
  }

  /// By the first two letters, the class.
  private var storeErrorByClass: StoreError {
    switch state.prefix(2) {
    case "": .unavailable("the connection was lost: \(message)")
    case "23": .constraint(.other, message)
    // Connections, resources, an operator's word, the system, conflicts between transactions.
    case "08", "53", "57", "58", "40", "55", "XX": .unavailable(description)
    default: .statement(description)
    }
  }
}
