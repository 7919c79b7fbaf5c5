internal import CommandLineTool

/// A secret that is asked for without being shown.
enum Secret: CaseIterable, Sendable {
  case password
  case pin
  /// Of an authenticator app, or a recovery code.
  case code

  /// The name for people.
  var noun: String {
    switch self {
    case .password: "password"
    case .pin: "PIN"
    case .code: "code"
    }
  }

  /// The variable that scripts set instead.
  var variable: String {
    switch self {
    case .password: "GATEHOUSE_PASSWORD"
    case .pin: "GATEHOUSE_PIN"
    case .code: "GATEHOUSE_CODE"
    }
  }

  /// There is no terminal to ask at.
  var withoutTerminal: UsageError {
    UsageError("no terminal to ask for the \(noun); set \(variable) instead")
  }

  /// Anyone who is asked at the terminal would show it.
  var withoutHiding: UsageError {
    UsageError("the terminal cannot hide the \(noun); set \(variable) instead")
  }
}
