internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse pin`: sets or removes the PIN, or prints a token of a user who knows it.
struct PinCommand: Command {
  static let description = CommandDescription(
    name: "pin",
    arguments: "set|clear|token PURPOSE",
    summary: "set or remove the PIN, or prove that you know it",
    details: """
      set asks for a new PIN and clear removes it; both take a sign-in of the last five minutes. token asks
      for the PIN and prints an access token that satisfies the step-up pin for one PURPOSE, an action of
      the policy, for five minutes. The PIN is asked for, or taken from GATEHOUSE_PIN.

        gatehouse pin set
        gatehouse pin token family.enter_parent_mode
      """,
    firstWords: Task.allCases.map(\.rawValue)
  ) { words throws(UsageError) in
    try PinCommand(words)
  }

  /// The task.
  enum Task: String, CaseIterable, Sendable {
    case set
    case clear
    case token
  }

  private let task: Task
  /// The purpose of the token; empty for the other tasks.
  private let purpose: String

  /// Takes the words after `pin`.
  init(_ words: [String]) throws(UsageError) {
    let task: Task = try words.task()
    let count = task == .token ? 2 : 1
    guard words.count >= count else { throw UsageError("missing argument PURPOSE") }
    guard words.count == count else { throw UsageError("unexpected argument \"\(words[count])\"") }
    self.task = task
    purpose = task == .token ? words[1] : ""
  }

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let options = CallOptions(timeout: context.callTimeout, metadata: metadata)
    let request = try request(context)
    let text = try await context.withChannel(to: "auth") { channel in
      try await answer(to: request, Auth_V1.StepUpClient(channel), options)
    }
    try context.console.line(text)
  }

  private enum Request: Sendable {
    case set(Auth_V1.SetPinRequest)
    case clear
    case verify(Auth_V1.VerifyPinRequest)
  }

  /// Asks for the PIN before anything is called.
  private func request(_ context: CommandContext) throws -> Request {
    switch task {
    case .set: .set(.init(pin: try PasswordSource.newPin(context)))
    case .clear: .clear
    case .token:
      .verify(.init(pin: try PasswordSource.existingPin(context), purpose: purpose))
    }
  }

  private func answer(
    to request: Request,
    _ client: Auth_V1.StepUpClient,
    _ options: CallOptions
  ) async throws -> String {
    switch request {
    case .set(let request):
      _ = try await client.setPin(request, options: options)
      return "the PIN is set"
    case .clear:
      _ = try await client.clearPin(.init(), options: options)
      return "the PIN is removed"
    case .verify(let request):
      return try await client.verifyPin(request, options: options).token?.token ?? ""
    }
  }
}
