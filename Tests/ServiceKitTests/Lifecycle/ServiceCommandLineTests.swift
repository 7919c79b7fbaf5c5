import CommandLineTool
import Testing

@testable import ServiceKit

@Suite("The command line of a service")
struct ServiceCommandLineTests {
  private typealias Command = ProgramCommand<Int>

  private static let commands = [
    Command("probe", "", "") { _, _ in "" }, Command("backup", "FILE", "") { _, _ in "" },
    Command("verify", "[FILE]", "") { _, _ in "" },
    Command("grant", "USER [force]", "") { _, _ in "" },
  ]

  @Test("Options may stand anywhere, and commands take their own words")
  func read_commands_areTold() throws {
    func read(
      _ arguments: String...
    ) throws -> (
      command: String?, words: [String], path: String?, request: ServiceCommandLine.Request?
    ) {
      let line = try ServiceCommandLine(arguments)
      let command = try Command.called(by: line.words, among: Self.commands)
      return (command?.name, Array(line.words.dropFirst()), line.configuration, line.request)
    }
    #expect(try read() == (nil, [], nil, nil))
    #expect(try read("--config", "a") == (nil, [], "a", nil))
    #expect(try read("--check-config", "--config", "a") == (nil, [], "a", .checkConfiguration))
    #expect(try read("probe") == ("probe", [], nil, nil))
    #expect(try read("backup", "f", "--config", "a") == ("backup", ["f"], "a", nil))
    #expect(try read("verify") == ("verify", [], nil, nil))
    #expect(try read("verify", "f") == ("verify", ["f"], nil, nil))
    #expect(try read("grant", "--config=a", "x", "force") == ("grant", ["x", "force"], "a", nil))
    #expect(try read("--version") == (nil, [], nil, .version))
    #expect(try read("grant", "x", "-h") == ("grant", ["x"], nil, .help))
  }

  @Test(
    "Unknown commands and options and wrong words are refused",
    arguments: [
      ["serve"], ["--confg", "a"], ["--config"], ["backup"], ["probe", "x"], ["verify", "a", "b"],
      ["grant"], ["grant", "a", "b", "c"], ["--check-config=yes"],
    ]
  )
  func read_unknown_isRefused(_ arguments: [String]) {
    #expect(throws: UsageError.self) {
      let line = try ServiceCommandLine(arguments)
      _ = try Command.called(by: line.words, among: Self.commands)
    }
  }
}
