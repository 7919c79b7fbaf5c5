internal import PeerContracts
internal import AuthContracts
internal import RPCKit

extension Command {
  /// `gatehouse export-account`: all that the services know of the signed-in user, as a file.
  static let exportAccount = Command(
    name: "export-account",
    arguments: "FILE",
    summary: "write all that the services know of you to a file",
    details: """
      Writes all that the three services know of the signed-in user to FILE, as one JSON document, readable
      by you alone. Needs a sign-in that is at most five minutes old, and works once a day. FILE appears
      once the document is whole; docs/guides/export.md says what is in it.

        gatehouse login ada@example.com && gatehouse export-account ada.json
      """
  ) { context, words in
    var options = try await context.signedIn()
    options.timeout = context.options.timeout
    let byteCount = try await WholeFile.write(words[0]) { [options] file in
      var byteCount = 0
      try await context.withChannel(to: "auth") { channel in
        let pieces = Auth_V1.ExportsClient(channel).exportAccount(.init(), options: options)
        for try await piece in pieces {
          try file.write(piece.json)
          byteCount += piece.json.utf8.count
        }
      }
      return byteCount
    }
    context.console.note("\(byteCount) bytes in \(words[0])")
  }
}
