import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("Finding one request in logs and stores")
struct LogsTests {
  private static func line(_ time: String, _ request: String, _ message: String) -> String {
    #"{"time":"2020-11-22T10:00:\#(time)Z","level":"info","logger":"auth","message":"\#(message)","#
      + #""actor":"user:usr_1","request_id":"\#(request)"}"# + "\n"
  }

  /// A store with one audit record of the request, and one of another.
  private func makeStore(_ path: String) async throws {
    let database = try await Database.open(
      DatabaseConfiguration(path: path, applicationID: 0x4748_5454),
      migrations: []
    )
    try await database.write { tx in
      for request in ["req_1", "req_10"] {
        try tx.audit(
          AuditRecord(
            actor: "user:usr_1",
            requestID: request,
            action: "session.begin",
            object: "ses_1\u{1B}"
          )
        )
      }
    }
    await database.close()
  }

  @Test("Lines of all logs and records of all stores come in order of time, and others do not")
  func logs_ofFolder_areMerged() async throws {
    try await CommandStage.run([]) { stage in
      let folder = stage.folder
      try (Self.line("02.000", "req_1", "second") + "not JSON req_1\n")
        .write(toFile: "\(folder)/auth.log", atomically: false, encoding: .utf8)
      try
        (Self.line("03.000", "req_10", "other") + "tenancy-1  | "
        + Self.line("01.000", "req_1", "first"))
        .write(toFile: "\(folder)/tenancy.log", atomically: false, encoding: .utf8)
      try await makeStore("\(folder)/auth.db")
      let outcome = await stage.gatehouse("logs", "--request", "req_1", folder)
      #expect(outcome.code == 0, "\(outcome.errors)")
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(lines.count == 3)
      #expect(
        lines[0] == "2020-11-22T10:00:01.000Z  tenancy.log  info  first  actor=user:usr_1"
      )
      #expect(lines[1].hasSuffix("auth.log  info  second  actor=user:usr_1"))
      #expect(
        lines[2].hasSuffix(
          #"auth.db  audit  session.begin  object=ses_1\u{1b}  outcome=done  actor=user:usr_1"#
        )
      )
      let json = await stage.gatehouse(
        ["logs", "--request=req_1", "\(folder)/auth.db", "--output", "json"]
      )
      let record = try RichRegistry.value(json.output).object
      #expect(record?["source"] == "auth.db" && record?["message"] == "session.begin")
      #expect(record?["outcome"] == "done" && record?["scope"] == "")
    }
  }

  @Test("What was not found, and what is not a store, is said")
  func logs_ofNothing_fail() async throws {
    try await CommandStage.run([]) { stage in
      let folder = stage.folder
      try "".write(toFile: "\(folder)/a.log", atomically: false, encoding: .utf8)
      try "text".write(toFile: "\(folder)/a.db", atomically: false, encoding: .utf8)
      let nothing = await stage.gatehouse("logs", "--request", "req_1", "\(folder)/a.log")
      #expect(nothing.code == 1)
      #expect(nothing.errors.contains("request req_1 is not mentioned in \(folder)/a.log"))
      for name in ["a.db", "none.db", "none.log"] {
        let outcome = await stage.gatehouse("logs", "--request", "req_1", "\(folder)/\(name)")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("\(folder)/\(name)"), "\(outcome.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/none.db"))
    }
  }

  @Test("Pieces of a file are put together into lines, and endless lines are skipped")
  func lines_ofPieces_areWhole() {
    var lines = LogLines()
    var found: [String] = []
    let take = { (line: ArraySlice<UInt8>) in found.append(String(decoding: line, as: UTF8.self)) }
    let endless = String(repeating: "x", count: LogLines.byteCountMax)
    for piece in ["a", "b\n\nc\nd", endless, "\ne\n", endless, "\nf"] {
      lines.add(Array(piece.utf8)[...], take)
    }
    lines.finish(take)
    #expect(found == ["ab", "c", "e", endless, "f"])
  }
}
