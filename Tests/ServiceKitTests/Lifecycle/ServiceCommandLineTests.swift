import ServiceKit
import Testing

@Suite("The command line of a service")
struct ServiceCommandLineTests {
  @Test("Options may stand anywhere, and commands take their own words")
  func read_commands_areTold() throws {
    func read(_ arguments: String...) throws -> ServiceCommandLine {
      try ServiceCommandLine(arguments, commands: ["grant"])
    }
    #expect(try read() == .serve(configuration: nil))
    #expect(try read("--config", "a") == .serve(configuration: "a"))
    #expect(try read("--check-config", "--config", "a") == .checkConfiguration("a"))
    #expect(try read("probe") == .probe(configuration: nil))
    #expect(try read("backup", "f", "--config", "a") == .backUp(configuration: "a", to: "f"))
    #expect(try read("verify") == .verify(configuration: nil, file: nil))
    #expect(try read("verify", "f") == .verify(configuration: nil, file: "f"))
    #expect(try read("set-aside", "--config", "a") == .setAside(configuration: "a"))
    #expect(try read("accept-store") == .acceptStore(configuration: nil))
    #expect(
      try read("grant", "--config", "a", "x")
        == .command("grant", arguments: ["x"], configuration: "a")
    )
    #expect(try read("--version") == .version)
    #expect(try read("grant", "-h") == .help)
  }

  @Test(
    "What is not known is refused",
    arguments: [
      ["serve"], ["--confg", "a"], ["--config"], ["backup"], ["probe", "x"], ["set-aside", "x"],
    ]
  )
  func read_unknown_isRefused(_ arguments: [String]) {
    #expect(throws: ConfigurationError.self) {
      try ServiceCommandLine(arguments, commands: ["grant"])
    }
  }
}
