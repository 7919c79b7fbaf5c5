internal import PeerContracts
internal import AuthContracts
internal import CommandLineTool
internal import RPCKit

/// `gatehouse export-account`: all that the services know of the signed-in user, as a file.
struct ExportAccountCommand: Command {
  static let description = CommandDescription(
    name: "export-account",
    arguments: "FILE",
    summary: "write all that the services know of you to a file",
    details: """
      Writes all that the three services know of the signed-in user to FILE, as one JSON document, readable
      by you alone. Needs a sign-in that is at most five minutes old, and works once a day. FILE appears
      once the document is whole; docs/guides/export.md says what is in it.

        gatehouse login ada@example.com && gatehouse export-account ada.json
      """
  ) { words throws(UsageError) in
    ExportAccountCommand(path: try words.checked(["FILE"])[0])
  }

  /// Where the document is written.
  let path: String

  func run(_ context: CommandContext) async throws {
    let metadata = try await SessionKeeper(context).requiredMetadata()
    let file = try WholeFile(path)
    do {
      var byteCount = 0
      try await context.withChannel(to: "auth") { channel in
        let options = CallOptions(timeout: context.options.timeout, metadata: metadata)
        let pieces = Auth_V1.ExportsClient(channel).exportAccount(.init(), options: options)
        for try await piece in pieces {
          try file.write(piece.json)
          byteCount += piece.json.utf8.count
        }
      }
      try file.commit()
      context.console.note("\(byteCount) bytes in \(path)")
    } catch {
      file.abandon()
      throw error
    }
  }
}
