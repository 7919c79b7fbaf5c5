internal import CommandLineTool
internal import RPCKit

extension Command {
  /// `gatehouse logs`: what the services wrote about one request, from their logs and audit logs.
  static let logs = Command(
    name: "logs",
    arguments: "--request ID [FILE|FOLDER|-]...",
    words: "[FILE]...",
    summary: "find one request in the logs and audit logs of all services",
    details: """
      Prints in order of time what the services wrote about the request whose id an error, a log line
      or an x-request-id names. FILE is a log or, if its name ends in .db, a store, whose audit log is
      read; the service may be running. FOLDER has them by the names that scripts/up gives
      (auth.log, auth.db, …); - reads a log from standard input. Default: .gatehouse/local. Exits with 1
      if nothing is found.

        gatehouse logs --request req_06gzt47ebk7am2948s4kyvhwzc
        journalctl -o cat -u 'gatehouse-*' | gatehouse logs --request ID - /var/lib/gatehouse/*.db
      """,
    formats: OutputFormat.allCases,
    options: ["--request"]
  ) { context, words in
    guard let request = context.options.request, !request.isEmpty else {
      throw UsageError("missing option --request ID")
    }
    let files = try logFiles(words)
    var trail = RequestTrail(request: request)
    for file in files where !trail.isFull { try await trail.read(file) }
    guard !trail.entries.isEmpty else {
      throw FileError("request \(request) is not mentioned in \(files.joined(separator: ", "))")
    }
    for entry in trail.entries.sorted(by: { $0.time < $1.time }) {
      try context.show([entry.json], table: [entry.text])
    }
    if trail.isFull {
      context.console.note("these are only the first \(RequestTrail.entryCountMax) entries")
    }
  }

  /// Logs and stores: those of `paths`, and of folders that have them by the names that scripts/up gives.
  private static func logFiles(_ paths: [String]) throws(UsageError) -> [String] {
    let defaultFolder = ".gatehouse/local"
    let files = (paths.isEmpty ? [defaultFolder] : paths).flatMap { path in
      let inside = logFiles(in: path)
      return inside.isEmpty && !paths.isEmpty ? [path] : inside
    }
    guard !files.isEmpty else {
      throw UsageError(
        "there are no logs in \(defaultFolder); name logs, stores, or a folder that has them"
      )
    }
    return files
  }

  /// The logs and stores of a folder; none for what is not a folder, or has none.
  private static func logFiles(in folder: String) -> [String] {
    CommandLineOptions.defaultTargets.keys.sorted().flatMap { service in
      [".log", ".db"].map { "\(folder)/\(service)\($0)" }
    }.filter { SecretFile.exists($0) }
  }
}
