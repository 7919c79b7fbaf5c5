internal import PeerContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

extension Command {
  /// `gatehouse report`: a compliance report as a file, or whether such a file is as it was signed.
  static let report = Command(
    name: "report",
    arguments: "ROOT --from TIME | --verify FILE",
    words: "[ROOT]",
    summary: "write or verify a compliance report: who had access, who did what",
    details: """
      Writes the compliance report of the tree below ROOT, for example a portfolio: who held which role,
      who operated what, who was refused, and which roles were lent. A signature at the end covers every
      line but those with the names of people, as names change; --verify tells whether a report in any
      format still is as the service signed it.

        --from TIME    where the interval begins: 2026-01-31, which is midnight UTC, or
                       2026-01-31T23:59:59Z
        --to TIME      where it ends, exclusive. Default: now
        --format NAME  csv, html (a page to print), json (a line for each) or array (the same as one
                       JSON array). Default: csv
        --output FILE  where to write it, once it is whole. Default: standard output
        --verify FILE  verify FILE instead, and exit with 1 if it is not as it was signed
        --key FILE     public keys (PEM) that may have signed. Default: those that TenancyService
                       signs with now, which you are asked to trust

      Who may read the report of a tree, and what has to be bought for it, is up to the policy.

        gatehouse report prt_… --from 2026-01-01 --to 2027-01-01 --format html --output 2026.html
        gatehouse report --verify 2026.html --key tenancy.public.pem
      """,
    options: ["--format", "--from", "--key", "--output", "--to", "--verify"]
  ) { context, words in
    try await ReportDownload(words: words).run(context)
  }
}

/// Reports of TenancyService, as files.
private struct ReportDownload {
  /// The root of the tree; nothing when a file is to be verified.
  let words: [String]

  /// After how many lines it says how far it is.
  private static let progressCount: UInt64 = 100_000

  /// Writes or verifies a report, as the options say.
  func run(_ context: CommandContext) async throws {
    let options = context.options.report
    if let path = options["--verify"] {
      if let word = words.first { throw UsageError("unexpected argument \"\(word)\"") }
      if let name = options.keys.sorted().first(where: { $0 != "--verify" && $0 != "--key" }) {
        throw UsageError("\(name) has no meaning beside --verify")
      }
      return try await verify(path, context)
    }
    guard let root = words.first else { throw UsageError("missing argument ROOT") }
    guard let from = options["--from"] else { throw UsageError("missing option --from TIME") }
    var request = Tenancy_V1.ReadReportRequest(
      rootId: root,
      from: .init(milliseconds: try Self.instant(from, "--from"))
    )
    if let to = options["--to"] {
      request.until = .init(milliseconds: try Self.instant(to, "--to"))
    }
    let name = options["--format"] ?? ReportFormat.csv.rawValue
    guard let format = ReportFormat(rawValue: name) else {
      throw UsageError("--format \"\(name)\" is not a format; use csv, html, json or array")
    }
    // A missing sign-in is reported before anything is asked for.
    _ = try await SessionKeeper(context).requiredMetadata()
    let keys = try await keys(context)
    guard let path = options["--output"] else {
      try await read(request, format, keys, context) { try context.console.text($0) }
      return
    }
    let count = try await WholeFile.write(path) { file in
      try await read(request, format, keys, context) { try file.write($0) }
    }
    context.console.note("\(count) lines in \(path)")
  }

  /// The part of a report that has arrived.
  private final class Arrived {
    let digest = RunningDigest()
    var lineCount: UInt64 = 0
    /// The end of the interval, which the first line says.
    var until: Int64?
    var seal: ReportSeal?
    /// The names of the people in it.
    var people: [Tenancy_V1.UserSummary] = []
  }

  /// Writes a report as it comes, and returns the number of its lines once it is known to be whole.
  ///
  /// One that breaks off is continued with a new token, as long as each call brings something.
  @discardableResult
  private func read(
    _ request: Tenancy_V1.ReadReportRequest,
    _ format: ReportFormat,
    _ keys: [VerificationKey],
    _ context: CommandContext,
    _ write: (String) throws -> Void
  ) async throws -> UInt64 {
    try write(Self.joined(format.opening))
    let arrived = Arrived()
    var request = request
    var isOver = false
    while !isOver {
      do {
        try await call(request, arrived, format, context, write)
        isOver = true
      } catch let failure as CallFailure {
        guard failure.error.breaksStream, arrived.lineCount > request.afterLine,
          let until = arrived.until
        else { throw failure }
        (request.afterLine, request.until) = (arrived.lineCount, .init(milliseconds: until))
        context.console.note("\(arrived.lineCount) lines; continuing")
      }
    }
    let (digest, lineCount) = (arrived.digest.value, arrived.lineCount)
    guard let seal = arrived.seal, seal.matches(lineCount: lineCount, digest: digest) else {
      throw FileError("the report did not arrive whole; run the command again")
    }
    try Self.check(seal, keys)
    let people = arrived.people.map { ReportLine(person: $0) }
    try write(Self.joined((people + [seal.line]).map(format.text) + format.closing))
    return lineCount
  }

  /// One call, until the report ends or breaks off.
  private func call(
    _ request: Tenancy_V1.ReadReportRequest,
    _ arrived: Arrived,
    _ format: ReportFormat,
    _ context: CommandContext,
    _ write: (String) throws -> Void
  ) async throws {
    var options = try await context.signedIn()
    options.timeout = context.options.timeout
    // Those of a call that broke off come again.
    arrived.people = []
    try await context.withChannel(to: "tenancy") { [options] channel in
      for try await part in Tenancy_V1.ReportsClient(channel).read(request, options: options) {
        switch part.part {
        case .lines(let text)?:
          let before = arrived.lineCount / Self.progressCount
          if arrived.lineCount == 0 { arrived.until = Self.end(ofReport: text) }
          arrived.digest.add(Array(text.utf8))
          arrived.lineCount += try Self.write(text, format, write)
          if arrived.lineCount / Self.progressCount > before {
            context.console.note("\(arrived.lineCount) lines")
          }
        case .seal(let message)?: arrived.seal = ReportSeal(message)
        case .names(let names)?: arrived.people += names.people
        case nil: break
        }
      }
    }
  }

  /// The end of the interval of a report whose first lines these are.
  private static func end(ofReport lines: String) -> Int64? {
    let first = lines.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first
    let line = first.flatMap { ReportLine(json: Array($0)) }
    return line.flatMap { InstantText.milliseconds($0[.until]) }
  }

  /// Writes lines of the service; how many they are.
  private static func write(
    _ text: String,
    _ format: ReportFormat,
    _ write: (String) throws -> Void
  ) throws -> UInt64 {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
    if format == .json {
      try write(text)
    } else {
      let texts = try lines.map { bytes in
        guard let line = ReportLine(json: Array(bytes)) else {
          throw FileError(
            "the service sent a line that this version does not know; update gatehouse"
          )
        }
        return format.text(of: line)
      }
      try write(joined(texts))
    }
    return UInt64(lines.count)
  }

  private static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  private func verify(_ path: String, _ context: CommandContext) async throws {
    let report = try ReportVerifier.read(path)
    try Self.check(report.seal, try await keys(context))
    let names = report.nameCount > 0 ? "; its \(report.nameCount) names are not signed" : ""
    try context.console.line(
      "\(path) is as it was signed: \(report.lineCount) lines, key \(report.seal.keyID)\(names)"
    )
  }

  private static func check(_ seal: ReportSeal, _ keys: [VerificationKey]) throws {
    guard let key = keys.first(where: { $0.id == seal.keyID }) else {
      throw FileError(
        "the signature's key \(seal.keyID) is unknown; say --key FILE with the public key"
      )
    }
    guard seal.isSigned(by: key) else {
      throw FileError("the signature is not that of the key \(seal.keyID); do not trust the report")
    }
  }

  /// The public keys of a file, or those that TenancyService signs with now.
  private func keys(_ context: CommandContext) async throws -> [VerificationKey] {
    if let path = context.options.report["--key"] {
      do {
        return try VerificationKey.all(pem: try FileBytes.read(path, byteCountMax: 64 << 10))
      } catch is KeyError {
        throw FileError("\(path) must hold 1 to 8 ES256 public keys in PEM")
      }
    }
    let answer = try await context.withChannel(to: "tenancy") { channel in
      try await Tenancy_V1.ReportsClient(channel).getKeys(.init(), timeout: context.callTimeout)
    }
    let keys = try KeySet(json: Array(answer.jwks.utf8))
    return keys.ids.compactMap { keys[$0] }
  }

  /// An instant, or a day, which begins at midnight UTC.
  private static func instant(_ text: String, _ option: String) throws(UsageError) -> Int64 {
    let instant = InstantText.milliseconds(text) ?? InstantText.milliseconds("\(text)T00:00:00Z")
    guard let instant else {
      throw UsageError(
        "\(option) \"\(text)\" is not a time; write 2026-01-31 or 2026-01-31T23:59:59Z"
      )
    }
    return instant
  }
}

extension RPCError {
  /// Whether a stream that ended like this is worth opening again: its token had expired, or the connection
  /// was lost.
  fileprivate var breaksStream: Bool {
    code == .unavailable || reason == "PROOF_ENDED"
  }
}
