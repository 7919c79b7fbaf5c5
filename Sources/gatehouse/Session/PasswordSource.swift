/// Where passwords and PINs come from: never from the command line, which every process can read.
enum PasswordSource {
  /// The variable that scripts set.
  static let variable = "GATEHOUSE_PASSWORD"
  /// The same for PINs.
  static let pinVariable = "GATEHOUSE_PIN"

  /// The password of an account.
  static func existing(_ context: CommandContext) throws -> String {
    if let password = context.environment[variable] { return password }
    return try context.console.askSecret("Password: ")
  }

  /// A password for a new account; typed twice, because nobody sees it.
  static func new(_ context: CommandContext) throws -> String {
    if let password = context.environment[variable] { return password }
    return try twice("New password: ", "passwords", context)
  }

  /// The PIN of an account.
  static func existingPin(_ context: CommandContext) throws -> String {
    if let pin = context.environment[pinVariable] { return pin }
    return try context.console.askSecret("PIN: ")
  }

  /// A new PIN; typed twice, because nobody sees it.
  static func newPin(_ context: CommandContext) throws -> String {
    if let pin = context.environment[pinVariable] { return pin }
    return try twice("New PIN: ", "PINs", context)
  }

  private static func twice(
    _ prompt: String,
    _ what: String,
    _ context: CommandContext
  ) throws -> String {
    let first = try context.console.askSecret(prompt)
    let second = try context.console.askSecret("Again: ")
    guard first == second else { throw UsageError("the two \(what) differ") }
    return first
  }
}
