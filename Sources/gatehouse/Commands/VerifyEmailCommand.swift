internal import Contracts
internal import RPCKit

/// `gatehouse verify-email`: asks for the mail that verifies the address, or uses the code from it.
struct VerifyEmailCommand: Command {
  /// The code; nil to ask for one.
  let token: String?

  func run(_ context: CommandContext) async throws {
    guard let token else { return try await request(context) }
    // The first proof ends all sessions but the one that it is made in.
    let metadata = try await SessionKeeper(context).availableMetadata()
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).verifyEmail(
        .init(token: token),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line("the address is verified")
  }

  private func request(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      _ = try await Auth_V1.AccountsClient(channel).requestEmailVerification(
        .init(),
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    try context.console.line(
      "a mail is on its way, unless the address is verified already; then: "
        + "gatehouse verify-email CODE"
    )
  }
}
