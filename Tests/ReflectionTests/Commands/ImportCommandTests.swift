import PeerContracts
import AuthContracts
import Foundation
import RPCKit
import Testing

@testable import CommandLineClient

/// Imports every row but those without an address, and breaks off where it is told to.
private final class ScriptedImports: Auth_V1.ImportsService {
  struct State {
    var rows: [String] = []
    var requests: [Auth_V1.ImportUsersRequest] = []
    var rowCountMax = Int.max
  }

  let state = Lock(State())

  func importUsers(
    _ requests: RequestStream<Auth_V1.ImportUsersRequest>,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.ImportUsersResponse>
  ) async throws {
    for try await request in requests {
      let next = state.withLock { state -> Int? in
        guard state.rows.count < state.rowCountMax else { return nil }
        state.requests.append(request)
        if !request.dryRun { state.rows += request.rows.map(\.sourceId) }
        return state.rows.count
      }
      guard let next else { throw RPCError(.unavailable, "enough") }
      try await writer.write(
        .init(
          position: request.position,
          results: request.rows.map {
            .init(outcome: $0.email.isEmpty ? .emailInvalid : .created, userId: "usr_1")
          },
          nextPosition: UInt64(next)
        )
      )
    }
  }

  func importBatch(
    _ request: Auth_V1.ImportUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportUsersResponse {
    .init()
  }

  func getImport(
    _ request: Auth_V1.GetImportRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ImportProgress {
    .init(nextPosition: state.withLock { UInt64($0.rows.count) })
  }

  func listImports(
    _ request: Auth_V1.ListImportsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListImportsResponse {
    .init()
  }
}

@Suite("Importing on the command line")
struct ImportCommandTests {
  private func run(_ body: (CommandStage, ScriptedImports) async throws -> Void) async throws {
    let imports = ScriptedImports()
    let services = ScriptedServices().definitions + [imports.definition]
    try await CommandStage.run(services) { stage in
      let password = ["GATEHOUSE_PASSWORD": "right password"]
      _ = await stage.gatehouse("login", "ada@example.com", environment: password)
      try await body(stage, imports)
    }
  }

  private func write(_ lines: [String], _ stage: CommandStage) throws -> String {
    let file = stage.file("users.ndjson")
    try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private func line(_ number: Int) -> String {
    #"{"sourceId": "\#(number)", "email": "user\#(number)@example.com", "passwordHash": "x"}"#
  }

  @Test("Rows are sent in batches, and refused ones and lines that are none are told by number")
  func import_file_isSentInBatches() async throws {
    try await run { stage, imports in
      var lines = (1...700).map { line($0) }
      lines[9] = #"{"sourceId": "10"}"#
      lines[19] = "not JSON"
      lines[29] = #"{"sourceId": "30", "shoe_size": 43}"#
      lines[39] = #"{"sourceId": "40", "firstName": "\#(String(repeating: "x", count: 1025))"}"#
      let path = try write(lines, stage)
      let outcome = await stage.gatehouse("import", "old-shop", path, "--vouch-for-addresses")
      #expect(outcome.code == 0, "\(outcome.errors)")
      let told = outcome.output.split(separator: "\n")
      #expect(told.count == 4, "\(outcome.output)")
      #expect(told.first == #"{"row":"10","sourceId":"10","outcome":"EMAIL_INVALID"}"#)
      #expect(told.dropFirst().allSatisfy { $0.contains(#""outcome":"NOT_READABLE""#) })
      #expect(
        told.dropFirst().map { $0.prefix(11) } == [
          #"{"row":"20""#, #"{"row":"30""#, #"{"row":"40""#,
        ]
      )
      #expect(outcome.errors.contains("created 696 accounts; 0 unchanged, 4 refused"))
      let requests = imports.state.withLock { $0.requests }
      #expect(requests.map(\.rows.count) == [250, 250, 200])
      #expect(requests.map(\.position) == [0, 250, 500])
      #expect(requests.allSatisfy { $0.source == "old-shop" && $0.vouchForAddresses && !$0.dryRun })
      #expect(Set(requests.map(\.run)).count == 1 && requests.first?.run.isEmpty == false)
      // What cannot be read keeps its place, and nothing of it is sent.
      #expect(requests.first?.rows[19] == .init())
    }
  }

  @Test("An import that broke off goes on where it was, and is no other file's")
  func import_again_goesOn() async throws {
    try await run { stage, imports in
      let path = try write((1...600).map { line($0) }, stage)
      imports.state.withLock { $0.rowCountMax = 250 }
      let broken = await stage.gatehouse("import", "old-shop", path)
      #expect(broken.code != 0)
      #expect(broken.errors.contains("stopped after 250 rows; run the same command to go on"))
      imports.state.withLock { $0.rowCountMax = .max }
      let outcome = await stage.gatehouse("import", "old-shop", path)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("250 rows were imported before"))
      #expect(imports.state.withLock { $0.rows } == (1...600).map { "\($0)" })
      #expect(imports.state.withLock { $0.requests.map(\.position) } == [0, 250, 500])
      // The scripted service knows one run, so that this is as if there were fewer rows than it has.
      let shorter = await stage.gatehouse("import", "old-shop", try write([line(1)], stage))
      #expect(shorter.code == 1 && shorter.errors.contains("fewer rows"))
    }
  }

  @Test("A dry run says so, and its options are for nothing else")
  func dryRun_file_isRehearsed() async throws {
    try await run { stage, imports in
      let path = try write([line(1), "", line(2)], stage)
      let outcome = await stage.gatehouse("import", "old-shop", path, "--dry-run")
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("would have created 2 accounts"))
      #expect(imports.state.withLock { $0.requests.map(\.dryRun) } == [true])
      #expect(imports.state.withLock { $0.rows } == [])
      let missing = await stage.gatehouse("import", "old-shop", "\(path).none")
      #expect(missing.code == 1 && missing.errors.contains("No such file"), "\(missing.errors)")
      let other = await stage.gatehouse("users", "--dry-run")
      #expect(other.code == 2 && other.errors.contains("only for gatehouse import"))
    }
  }
}
