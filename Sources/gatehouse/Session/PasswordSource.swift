internal import CommandLineTool

/// Where passwords and PINs come from: never from the command line, which every process can read.
enum PasswordSource {
  /// The password of an account.
  static func existing(_ context: CommandContext) throws -> String {
    if let password = context.environment[Secret.password.variable] { return password }
    return try context.console.askSecret(.password, "Password: ")
  }

  /// A password for a new account; typed twice, because nobody sees it.
  static func new(_ context: CommandContext) throws -> String {
    if let password = context.environment[Secret.password.variable] { return password }
    return try twice(.password, "New password: ", context)
  }

  /// The PIN of an account.
  static func existingPin(_ context: CommandContext) throws -> String {
    if let pin = context.environment[Secret.pin.variable] { return pin }
    return try context.console.askSecret(.pin, "PIN: ")
  }

  /// A new PIN; typed twice, because nobody sees it.
  static func newPin(_ context: CommandContext) throws -> String {
    if let pin = context.environment[Secret.pin.variable] { return pin }
    return try twice(.pin, "New PIN: ", context)
  }

  private static func twice(
    _ secret: Secret,
    _ prompt: String,
    _ context: CommandContext
  ) throws -> String {
    let first = try context.console.askSecret(secret, prompt)
    let second = try context.console.askSecret(secret, "Again: ")
    guard first == second else { throw UsageError("the two \(secret.noun)s differ") }
    return first
  }
}
