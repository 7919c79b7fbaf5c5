internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

extension Command {
  /// `gatehouse pin`: sets or removes the PIN, or prints a token of a user who knows it.
  static let pin = Command(
    name: "pin",
    arguments: "set|clear|token PURPOSE",
    words: "[TASK]...",
    summary: "set or remove the PIN, or prove that you know it",
    details: """
      set asks for a new PIN and clear removes it; both take a sign-in of the last five minutes. token asks
      for the PIN and prints an access token that satisfies the step-up pin for one PURPOSE, an action of
      the policy, for five minutes. The PIN is asked for, or taken from GATEHOUSE_PIN.

        gatehouse pin set
        gatehouse pin token family.enter_parent_mode
      """,
    firstWords: PinTask.allCases.map(\.rawValue)
  ) { context, words in
    let task: PinTask = try words.task()
    let list: ArgumentList = task == .token ? "TASK PURPOSE" : "TASK"
    try list.check(words)
    let options = try await context.signedIn()
    // Asks for the PIN before anything is called.
    let pin =
      switch task {
      case .set: try PasswordSource.newPin(context)
      case .clear: ""
      case .token: try PasswordSource.existingPin(context)
      }
    let text = try await context.withChannel(to: "auth") { channel in
      let client = Auth_V1.StepUpClient(channel)
      switch task {
      case .set:
        _ = try await client.setPin(.init(pin: pin), options: options)
        return "the PIN is set"
      case .clear:
        _ = try await client.clearPin(.init(), options: options)
        return "the PIN is removed"
      case .token:
        let answer = try await client.verifyPin(
          .init(pin: pin, purpose: words[1]),
          options: options
        )
        return answer.token?.token ?? ""
      }
    }
    try context.console.line(text)
  }
}

/// The tasks of `gatehouse pin`.
private enum PinTask: String, CaseIterable {
  case set
  case clear
  case token
}
