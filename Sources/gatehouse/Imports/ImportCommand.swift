internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import Reflection
internal import ServiceKit

extension Command {
  /// `gatehouse import`: moves the accounts of another system in, for operators.
  static let importAccounts = Command(
    name: "import",
    arguments: "SOURCE FILE",
    summary: "move the accounts of another system in, for operators",
    details: """
      Imports the accounts of the system SOURCE from FILE, which has one as JSON in each line. Prints each row
      that was refused as a line of JSON. Run again after an interruption, it goes on where it was; a row
      that was imported before changes nothing. Nobody is sent a mail.

        --dry-run              say what would be done, and change nothing
        --vouch-for-addresses  take the file's word for which addresses are verified

        gatehouse import old-shop users.ndjson --dry-run
        gatehouse import old-shop users.ndjson > refused.ndjson
      """,
    options: ["--dry-run", "--vouch-for-addresses"]
  ) { context, words in
    let path = words[1]
    let plan = ImportUpload.Plan(
      source: words[0],
      run: try digest(of: path),
      isDryRun: context.options.isDryRun,
      vouchesForAddresses: context.options.vouchesForAddresses
    )
    let metadata = try await SessionKeeper(context).requiredMetadata()
    try await context.withChannel(to: "auth") { channel in
      let client = Auth_V1.ImportsClient(channel)
      let options = CallOptions(metadata: metadata)
      let start = try await start(of: plan, client, options, context)
      try await client.importUsers(options: options) { writer, answers in
        var rows = try ImportRows(path, context.registry)
        guard try rows.skip(start) else {
          throw FileError("\(path) has fewer rows than were imported of it; import the whole file")
        }
        var upload = ImportUpload(plan, rows, from: start, answers, context.console)
        try await upload.run(writer)
      }
    }
  }

  /// Where the run goes on; a dry run looks at everything.
  private static func start(
    of plan: ImportUpload.Plan,
    _ client: Auth_V1.ImportsClient,
    _ options: CallOptions,
    _ context: CommandContext
  ) async throws -> UInt64 {
    guard !plan.isDryRun else { return 0 }
    let start = try await client.getImport(
      .init(source: plan.source, run: plan.run),
      timeout: context.callTimeout,
      options: options
    ).nextPosition
    if start > 0 { context.console.note("\(start) rows were imported before") }
    return start
  }

  /// The name of the run: the same file goes on where it was, and another one starts from the beginning.
  private static func digest(of path: String) throws -> String {
    let file = try FilePieces(path)
    let digest = RunningDigest()
    while let piece = try file.next() { digest.add(Array(piece)) }
    return Base64URL.encode(digest.value)
  }
}
