import Glibc
import ServiceKit

/// Writes to a store without end and says what was acknowledged, until somebody kills it.
///
/// Each write is two rows, a change and an audit record; after its acknowledgement a line with its
/// number goes to the standard output, in one write(2), so that the line outlives the process. A store
/// that cannot be opened is an exit code of 4 and a reason.
@main
struct Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let firstNumber = Int(arguments[2]) else {
      exit(2)
    }
    let database: Database
    do {
      database = try await Database.open(
        DatabaseConfiguration(path: arguments[1], applicationID: 0x4748_5402),
        migrations: [
          Migration(
            version: 1,
            sql: """
              CREATE TABLE pair (number INTEGER, half INTEGER, PRIMARY KEY (number, half));
              """
          )
        ]
      )
    } catch {
      say("\(error)\n")
      exit(4)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          var number = firstNumber + worker
          while true {
            try await write(number, to: database)
            say("\(number)\n")
            number += 8
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func write(_ number: Int, to database: Database) async throws {
    try await database.write { tx in
      try tx.execute("INSERT INTO pair VALUES (?, 0)", .integer(number))
      try tx.appendChange(kind: "pair.written", subject: "\(number)", scope: "")
      try tx.audit(
        AuditRecord(actor: "t", requestID: "r", action: "pair.write", object: "\(number)")
      )
      try tx.execute("INSERT INTO pair VALUES (?, 1)", .integer(number))
    }
  }

  private static func say(_ line: String) {
    let count = line.utf8.count
    guard unsafe Glibc.write(1, line, count) == count else { exit(3) }
  }
}
