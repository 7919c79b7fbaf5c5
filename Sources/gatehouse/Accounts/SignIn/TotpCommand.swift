internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

extension Command {
  /// `gatehouse totp`: adds or removes an authenticator app, and proves that one has it.
  static let totp = Command(
    name: "totp",
    arguments: TotpTask.allCases.map(\.rawValue).joined(separator: "|"),
    words: "[TASK]",
    summary: "add or remove an authenticator app, or prove that you have it",
    details: """
      add shows what an authenticator app needs, and confirm takes its first code and shows ten recovery
      codes; both take a sign-in of the last five minutes. From then on login asks for a code. verify asks
      for a code and prints an access token that has proved it; remove and recovery-codes, which makes new
      ones, take such a proof of the last five minutes. Codes, of the app or recovery codes, are asked for,
      or taken from GATEHOUSE_CODE.

        gatehouse totp add
        gatehouse totp confirm
      """,
    firstWords: TotpTask.allCases.map(\.rawValue)
  ) { context, words in
    let task: TotpTask = try words.task()
    let options = try await context.signedIn()
    // Asked for before anything is called.
    let code = [.confirm, .verify].contains(task) ? try SecondFactorSource.code(context) : ""
    let lines = try await context.withChannel(to: "auth") { channel in
      try await task.lines(Auth_V1.SecondFactorsClient(channel), code, options)
    }
    for line in lines { try context.console.line(line) }
  }
}

/// The tasks of `gatehouse totp`.
private enum TotpTask: String, CaseIterable {
  case status
  case add
  case confirm
  case remove
  case verify
  case recoveryCodes = "recovery-codes"

  /// Does the task, and returns what to print.
  func lines(
    _ client: Auth_V1.SecondFactorsClient,
    _ code: String,
    _ options: CallOptions
  ) async throws -> [String] {
    switch self {
    case .status:
      let state = try await client.get(.init(), options: options)
      guard state.hasTotp else { return ["no authenticator app; sign-ins take a password alone"] }
      return ["an authenticator app; recovery codes left: \(state.recoveryCodesLeft)"]
    case .add:
      let enrolled = try await client.enrollTotp(.init(), options: options)
      return [
        enrolled.uri, "or type in: \(enrolled.secret)",
        "then, within ten minutes: gatehouse totp confirm",
      ]
    case .confirm:
      let confirmed = try await client.confirmTotp(.init(code: code), options: options)
      return Self.shown(confirmed.recoveryCodes)
    case .remove:
      _ = try await client.removeTotp(.init(), options: options)
      return ["the authenticator app is removed"]
    case .verify:
      let shown = SecondFactorSource.isRecoveryCode(code)
      let verified = try await client.verify(
        .init(code: shown ? "" : code, recoveryCode: shown ? code : ""),
        options: options
      )
      // The session's own token does not say so before it is refreshed.
      return [verified.token?.token ?? ""]
    case .recoveryCodes:
      let renewed = try await client.regenerateRecoveryCodes(.init(), options: options)
      return Self.shown(renewed.recoveryCodes)
    }
  }

  private static func shown(_ codes: [String]) -> [String] {
    ["recovery codes; each works once, and they are not shown again:"] + codes
  }
}
