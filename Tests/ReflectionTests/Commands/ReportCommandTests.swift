import PeerContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

/// A service that has one report.
private final class ScriptedReports: Tenancy_V1.ReportsService {
  let lines: [ReportLine]
  let key: SigningKey
  /// Changes a line on its way.
  let tampers: Bool
  /// Ends without a seal.
  let isCut: Bool
  /// The people in it.
  let names: [String]
  /// Before which lines its next calls break off, because their token has expired.
  let breaks = Lock<[Int]>([])
  /// What it was asked.
  let requests = Lock<[Tenancy_V1.ReadReportRequest]>([])

  init(
    lines: [ReportLine],
    key: SigningKey,
    tampers: Bool = false,
    isCut: Bool = false,
    names: [String] = []
  ) {
    (self.lines, self.key, self.tampers, self.isCut) = (lines, key, tampers, isCut)
    self.names = names
  }

  func read(
    _ request: Tenancy_V1.ReadReportRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ReportPart>
  ) async throws {
    let digest = RunningDigest()
    requests.withLock { $0.append(request) }
    let end = breaks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    for (number, line) in lines.enumerated() {
      digest.add(line.json)
      guard number >= request.afterLine else { continue }
      if number == end {
        throw RPCError(
          .unauthenticated,
          reason: "PROOF_ENDED",
          domain: "gatehouse.identity",
          message: "the token has expired"
        )
      }
      var sent = line
      if tampers { sent[.actor] = "user:usr_mallory" }
      try await writer.write(.init(part: .lines(String(decoding: sent.json, as: UTF8.self))))
    }
    guard !isCut else { return }
    let seal = ReportSeal(lineCount: UInt64(lines.count), digest: digest.value, by: key)
    try await writer.write(.init(part: .seal(seal.message)))
    let people = names.map { Tenancy_V1.UserSummary(id: "usr_ada", displayName: $0) }
    if !people.isEmpty { try await writer.write(.init(part: .names(.init(people: people)))) }
  }

  /// Nothing here downloads.
  func download(
    _ request: Tenancy_V1.DownloadReportRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.ReportDownload>
  ) async throws {
    throw RPCError(.unimplemented, "not in this test")
  }

  func getKeys(
    _ request: Tenancy_V1.GetReportKeysRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ReportKeys {
    Tenancy_V1.ReportKeys(jwks: KeySet([key.verificationKey]).json.text)
  }
}

@Suite("Writing and verifying reports")
struct ReportCommandTests {
  /// What people can call things, and what hurts somebody in some format.
  private static let names = [
    "Front door", "a,b", #"say "hi""#, "=1+1", "+49", "-1", "@here", "'quoted'", "'=x",
    "<script>alert(1)</script>", "&lt;", "a&amp;b", "</td><td>", "\u{301}accent", "<\u{338}b>",
    "tab\tand\nline", "\u{202E}evil", "日本", "", "a\\b", ",", "\"",
  ]

  private static func lines() -> [ReportLine] {
    var first = ReportLine(.report)
    first[.time] = "2026-01-01T00:00:00.000Z"
    first[.until] = "2026-12-31T00:00:00.000Z"
    first[.object] = "prt_1"
    return [first]
      + names.enumerated().map { number, name in
        var line = ReportLine(number % 2 == 0 ? .access : .refusal)
        line[.actor] = "user:usr_\(number)"
        line[.name] = name
        line[.detail] = name
        line[.count] = "\(number)"
        return line
      }
  }

  /// Runs `body` with somebody signed in.
  private func run(
    _ service: ScriptedReports,
    _ body: (CommandStage) async throws -> Void
  ) async throws {
    try await CommandStage.run(ScriptedServices().definitions + [service.definition]) { stage in
      let login = await stage.gatehouse(
        "login",
        "ada@example.com",
        environment: ["GATEHOUSE_PASSWORD": "right password"]
      )
      try #require(login.code == 0, "\(login.errors)")
      try await body(stage)
    }
  }

  private func write(_ format: String, _ stage: CommandStage) async -> CommandStage.Outcome {
    await stage.gatehouse(
      "report",
      "prt_1",
      "--from=2026-01-01",
      "--to",
      "2027-01-01",
      "--format=\(format)",
      "--output",
      stage.file("report").path
    )
  }

  @Test(
    "A report in any format is what the service has signed",
    arguments: ["csv", "html", "json"]
  )
  func report_written_isVerified(format: String) async throws {
    let key = SigningKey.generate()
    try await run(ScriptedReports(lines: Self.lines(), key: key)) { stage in
      let written = await write(format, stage)
      #expect(written.code == 0, "\(written.errors)")
      #expect(written.errors.contains("\(Self.names.count + 1) lines in "))
      let path = stage.file("report").path
      let verified = await stage.gatehouse("report", "--verify", path)
      #expect(verified.code == 0, "\(verified.errors)")
      #expect(verified.output.contains("is as it was signed: \(Self.names.count + 1) lines"))
      // With the key of a file, nobody is asked.
      let pem = stage.file("key.pem")
      try Data(key.verificationKey.pem.utf8).write(to: pem)
      let offline = await stage.gatehouse(
        ["report", "--verify", path, "--key", pem.path],
        environment: ["GATEHOUSE_TENANCY": "tcp://127.0.0.1:1"]
      )
      #expect(offline.code == 0, "\(offline.errors)")
      try Data(SigningKey.generate().verificationKey.pem.utf8).write(to: pem)
      let foreign = await stage.gatehouse("report", "--verify", path, "--key", pem.path)
      #expect(foreign.code == 1 && foreign.errors.contains("is unknown"))
      // Only its owner can read it, and nothing is left beside it.
      let folder = try FileManager.default.contentsOfDirectory(atPath: stage.folder)
      #expect(!folder.contains { $0.hasSuffix(".part") })
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test(
    "The names of people are in the file, and the seal is not about them",
    arguments: ["csv", "html", "json", "array"]
  )
  func report_withNames_isVerified(format: String) async throws {
    let service = ScriptedReports(lines: Self.lines(), key: .generate(), names: Self.names)
    try await run(service) { stage in
      #expect(await write(format, stage).code == 0)
      let path = stage.file("report").path
      let verified = await stage.gatehouse("report", "--verify", path)
      #expect(verified.code == 0, "\(verified.errors)")
      #expect(verified.output.contains("\(Self.names.count + 1) lines"))
      #expect(verified.output.contains("its \(Self.names.count) names are not signed"))
      // A line that became a name is missing.
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let changed = text.replacing("refusal", with: "person", maxReplacements: 1)
      try Data(changed.utf8).write(to: stage.file("report"))
      #expect(await stage.gatehouse("report", "--verify", path).code == 1)
    }
  }

  @Test(
    "No byte of a report can be changed, added or taken away",
    arguments: ["csv", "html", "json"]
  )
  func report_changed_isNotVerified(format: String) async throws {
    try await run(ScriptedReports(lines: Self.lines(), key: .generate())) { stage in
      _ = await write(format, stage)
      let file = stage.file("report")
      let whole = try Data(contentsOf: file)
      var random = SystemRandomNumberGenerator()
      var changes: [(String, Data)] = []
      for place in stride(from: 0, to: whole.count, by: 37) {
        var flipped = whole
        flipped[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
        changes.append(("bit at \(place)", flipped))
        changes.append(("without byte \(place)", whole[..<place] + whole[(place + 1)...]))
        changes.append(("cut at \(place)", whole[..<place]))
      }
      let end = whole.firstRange(of: Data("\n".utf8))?.upperBound ?? 0
      changes.append(("an empty line", whole[..<end] + Data("\n".utf8) + whole[end...]))
      let long = Data(repeating: UInt8(ascii: "x"), count: LogLines.byteCountMax + 1)
      changes.append(("a long line", whole[..<end] + long + Data("\n".utf8) + whole[end...]))
      changes.append(("more at the end", whole + Data("x".utf8)))
      changes.append(("more lines at the end", whole + Data("<p>x</p>\n".utf8)))
      for (name, data) in changes {
        try data.write(to: file)
        let verified = await stage.gatehouse("report", "--verify", file.path)
        #expect(verified.code == 1, "\(format): \(name): \(verified.output)")
      }
    }
  }

  @Test("What is dangerous in a format is written so that it does nothing")
  func names_hostile_areHarmless() {
    for name in Self.names {
      var line = ReportLine(.change)
      line[.name] = name
      let page = ReportFormat.html.text(of: line)
      // The row, and a cell for each column, each with its end.
      for bracket in "<>".utf8 {
        let count = page.utf8.filter { $0 == bracket }.count
        #expect(count == 2 + 2 * ReportLine.Column.allCases.count, "\(name)")
      }
      let table = ReportFormat.csv.text(of: line)
      #expect(!table.utf8.contains(UInt8(ascii: "\n")), "\(name)")
      for start in ["=", "+", "-", "@"] {
        #expect(!table.contains(",\(start)") && !table.contains(",\"\(start)"), "\(name)")
      }
      for format in ReportFormat.allCases {
        #expect(format.line(of: Array(format.text(of: line).utf8)) == line, "\(format) \(name)")
      }
    }
    let page = ReportPage.opening.joined(separator: "\n")
    let style = page.split(separator: "<style>")[1].split(separator: "</style>")[0]
    let digest = Data(Digests.sha256(String(style))).base64EncodedString()
    #expect(page.contains("content=\"default-src 'none'; style-src 'sha256-\(digest)'\""))
  }

  @Test("A report that does not arrive as it was signed leaves no file")
  func report_wrong_leavesNothing() async throws {
    let key = SigningKey.generate()
    for service in [
      ScriptedReports(lines: Self.lines(), key: key, tampers: true),
      ScriptedReports(lines: Self.lines(), key: key, isCut: true),
    ] {
      try await run(service) { stage in
        let written = await write("csv", stage)
        #expect(written.code == 1 && written.errors.contains("did not arrive whole"))
        let folder = try FileManager.default.contentsOfDirectory(atPath: stage.folder)
        #expect(!folder.contains { $0.hasPrefix("report") })
      }
    }
  }

  @Test(
    "A report whose call breaks off is continued there, and is verified as a whole",
    arguments: ["csv", "html", "json"]
  )
  func report_brokenOff_isContinued(format: String) async throws {
    let service = ScriptedReports(lines: Self.lines(), key: .generate())
    service.breaks.withLock { $0 = [3, 10] }
    try await run(service) { stage in
      let written = await write(format, stage)
      #expect(written.code == 0, "\(written.errors)")
      #expect(written.errors.contains("3 lines; continuing"))
      let verified = await stage.gatehouse("report", "--verify", stage.file("report").path)
      #expect(verified.output.contains("is as it was signed: \(Self.names.count + 1) lines"))
    }
    let requests = service.requests.withLock { $0 }
    #expect(requests.map(\.afterLine) == [0, 3, 10])
    // The interval is the first call's, whatever was asked for: "until now" is later by then.
    let until = InstantText.milliseconds("2026-12-31T00:00:00Z")
    #expect(requests.dropFirst().allSatisfy { $0.until?.milliseconds == until })
  }

  @Test("A report that does not come on is not asked for again and again")
  func report_stuck_isGivenUp() async throws {
    let service = ScriptedReports(lines: Self.lines(), key: .generate())
    service.breaks.withLock { $0 = [3, 3] }
    try await run(service) { stage in
      let written = await write("csv", stage)
      #expect(written.code != 0 && written.errors.contains("the token has expired"))
      let folder = try FileManager.default.contentsOfDirectory(atPath: stage.folder)
      #expect(!folder.contains { $0.hasPrefix("report") })
    }
    #expect(service.requests.withLock { $0.map(\.afterLine) } == [0, 3])
  }

  @Test(
    "What makes no sense is refused before anybody is called",
    arguments: [
      (["report"], "missing argument ROOT"), (["report", "prt_1"], "missing option --from TIME"),
      (["report", "prt_1", "--from", "yesterday"], "is not a time"),
      (["report", "prt_1", "--from", "2026-02-30"], "is not a time"),
      (
        ["report", "prt_1", "--from", "2026-01-01", "--format", "pdf"],
        "use csv, html, json or array"
      ),
      (
        ["report", "prt_1", "--from", "2026-01-01", "--output", "json"], "--output json is not for"
      ),
      (["report", "prt_1", "--verify", "x"], "unexpected argument"),
      (
        ["report", "--verify", "x", "--from", "2026-01-01"], "--from has no meaning beside --verify"
      ),
      (["list", "--from", "2026-01-01"], "--from is only for gatehouse report"),
    ]
  )
  func commandLine_wrong_isRefused(words: [String], problem: String) async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse(words)
      #expect(outcome.code == 2 && outcome.errors.contains(problem), "\(outcome.errors)")
    }
  }

  @Test("Something else than a report is told from a report")
  func file_ofSomethingElse_isRefused() async throws {
    try await CommandStage.run([]) { stage in
      let file = stage.file("other")
      try Data("hello\n".utf8).write(to: file)
      let outcome = await stage.gatehouse("report", "--verify", file.path)
      #expect(outcome.code == 1 && outcome.errors.contains("is not a report of gatehouse"))
      let missing = await stage.gatehouse("report", "--verify", stage.file("missing").path)
      #expect(missing.code == 1 && missing.errors.contains("No such file"))
    }
  }
}
