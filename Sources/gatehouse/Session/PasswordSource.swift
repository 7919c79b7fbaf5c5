/// Where passwords come from: never from the command line, which every process can read.
enum PasswordSource {
  /// The variable that scripts set.
  static let variable = "GATEHOUSE_PASSWORD"

  /// The password of an account.
  static func existing(_ context: CommandContext) throws -> String {
    if let password = context.environment[variable] { return password }
    return try context.console.askSecret("Password: ")
  }

  /// A password for a new account; typed twice, because nobody sees it.
  static func new(_ context: CommandContext) throws -> String {
    if let password = context.environment[variable] { return password }
    let first = try context.console.askSecret("New password: ")
    let second = try context.console.askSecret("Again: ")
    guard first == second else { throw UsageError("the two passwords differ") }
    return first
  }
}
