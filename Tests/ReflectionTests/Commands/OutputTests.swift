import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("How the command line writes what it finds")
struct OutputTests {
  private func table(_ json: String) throws -> [String] {
    TableText(style: TextStyle(isOn: false)).lines(try RichRegistry.value(json))
  }

  @Test("A list becomes rows, and what is beside it stands below")
  func table_ofList_hasRows() throws {
    let json = #"""
      {"devices": [
        {"id": "dev_1", "name": "Front\nd\u001boor", "owner": {"id": "u", "tags": []}, "on": true},
        {"id": "dev_20", "name": "", "owner": {"id": "v", "tags": ["a", "b"]}, "level": null}
      ], "nextPageToken": "", "totalSize": "2"}
      """#
    #expect(
      try table(json) == [
        "id      name              owner.id  owner.tags  on    level",
        #"dev_1   Front d\u{1b}oor  u         -           true  -"#,
        "dev_20  -                 v         a, b        -     -",
        "",
        "totalSize  2",
      ]
    )
  }

  @Test("Anything else becomes a line for each field, by its path")
  func table_ofObject_hasFields() throws {
    let json = #"{"id": "prt_1", "address": {"city": "Ulm", "lines": []}, "empty": {}, "n": 0}"#
    #expect(
      try table(json) == [
        "id             prt_1", "address.city   Ulm", "address.lines  -", "empty          -",
        "n              0",
      ]
    )
  }

  @Test("An answer can be had in columns, and lists in lines of JSON")
  func output_asAsked_isUsed() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      let created = await stage.gatehouse(
        ["call", "Portfolios/Create", #"{"name":"Home"}"#, "--output", "table"]
      )
      #expect(created.output.hasPrefix("id                    prt_1\nname                  Home\n"))
      let methods = await stage.gatehouse("list", "Portfolios", "--output=json")
      let lines = methods.output.split(separator: "\n")
      #expect(lines.count == 9)
      let first = try RichRegistry.value(String(lines[0])).object
      #expect(first?["method"] == "tenancy.v1.Portfolios/Create")
      #expect(first?["idempotent"] == false && first?["callingServices"] == [])
      let services = await stage.gatehouse("list", "--output", "json")
      let line = #"{"service":"auth.v1.Authentication","methods":["SignUp","#
      #expect(services.output.split(separator: "\n").contains { $0.hasPrefix(line) })
    }
  }

  @Test("Errors spell a field as requests do, however the request spelt it")
  func errors_ofEitherSpelling_areOne() async throws {
    try await CommandStage.run([]) { stage in
      for name in ["administrator_user_ids", "administratorUserIds"] {
        let outcome = await stage.gatehouse("call", "Portfolios/Create", #"{"\#(name)":1}"#)
        #expect(outcome.errors.contains("administratorUserIds: must be an array"))
        #expect(!outcome.errors.contains("_"))
      }
    }
  }

  @Test("The version is that of all programs, with the commit")
  func version_isThatOfAllPrograms() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("--version")
      #expect(outcome.code == 0)
      #expect(
        outcome.output == "gatehouse \(GatehouseVersion.text) (\(GatehouseVersion.revision))\n"
      )
    }
  }

  @Test("Text is set off on terminals alone, and never against NO_COLOR")
  func style_ofStream_followsTerminal() {
    #expect(TextStyle(isTerminal: true, ["TERM": "xterm"]).isOn)
    #expect(TextStyle(isTerminal: true, ["NO_COLOR": ""]).isOn)
    #expect(!TextStyle(isTerminal: false, ["TERM": "xterm"]).isOn)
    #expect(!TextStyle(isTerminal: true, ["NO_COLOR": "1"]).isOn)
    #expect(!TextStyle(isTerminal: true, ["TERM": "dumb"]).isOn)
    #expect(TextStyle(isOn: true).heading("a") == "\u{1B}[1ma\u{1B}[0m")
    #expect(TextStyle(isOn: false).alarming("a") == "a")
  }

  @Test("What people may watch is listed where no method is named")
  func watch_alone_listsStreams() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("watch")
      #expect(outcome.code == 0)
      #expect(
        outcome.output == """
          auth.v1.Children/ExportAccount  signed-in user, step-up fresh, streams answers
          auth.v1.Exports/ExportAccount  signed-in user, step-up fresh, streams answers
          grpc.health.v1.Health/Watch  anyone, streams answers
          tenancy.v1.AppWatch/Watch  signed-in user, streams answers
          tenancy.v1.Documents/Watch  signed-in user, streams answers
          tenancy.v1.Reports/Read  signed-in user, streams answers
          tenancy.v1.Reports/Download  signed-in user, streams answers
          tenancy.v1.Webhooks/Listen  signed-in user, streams answers

          """
      )
    }
  }
}
