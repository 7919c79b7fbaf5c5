import CommandLineTool
import Testing

@testable import CommandLineClient

@Suite("The command line's words and options")
struct CommandLineTests {
  private func read(
    _ arguments: String...,
    environment: [String: String] = [:]
  ) throws(UsageError) -> CommandLineOptions {
    try CommandLineOptions(arguments, environment: environment)
  }

  @Test("Without options everything is on this machine")
  func options_withoutAny_areDefaults() throws {
    let options = try read("list", environment: ["HOME": "/root"])
    #expect(options.words == ["list"])
    #expect(options.targets["tenancy"] == "tcp://127.0.0.1:7402")
    #expect(options.sessionPath == "/root/.gatehouse-session.json")
    #expect(options.timeout == nil)
  }

  @Test("Options may stand anywhere, with a space or an equals sign")
  func options_anywhere_areRead() throws {
    let options = try read(
      "--timeout=2.5",
      "call",
      "--target",
      "auth=unix:///run/a",
      "X/Y",
      "--anonymous",
      "-",
      "--session",
      "s.json"
    )
    #expect(options.words == ["call", "X/Y", "-"])
    #expect(options.timeout == .seconds(2.5))
    #expect(options.targets["auth"] == "unix:///run/a")
    #expect(options.isAnonymous)
    #expect(options.sessionPath == "s.json")
  }

  @Test("An option goes before a variable, and that before the default")
  func targets_givenTwice_followTheOption() throws {
    let environment = ["GATEHOUSE_AUTH": "tcp://a:1", "GATEHOUSE_TENANCY": "tcp://t:1"]
    let options = try read("list", "--target", "auth=tcp://b:2", environment: environment)
    #expect(options.targets["auth"] == "tcp://b:2")
    #expect(options.targets["tenancy"] == "tcp://t:1")
    #expect(options.targets["entitlement"] == "tcp://127.0.0.1:7403")
  }

  @Test("After two dashes everything is a word")
  func words_afterTwoDashes_areTakenAsTheyAre() throws {
    #expect(try read("login", "--", "--anonymous").words == ["login", "--anonymous"])
  }

  @Test(
    "What makes no sense is refused before anything is sent",
    arguments: [
      (["--colour"], "unknown option --colour"),
      (["--session"], "--session needs a value"),
      (["--timeout", "soon"], "is not a number of seconds"),
      (["--timeout", "nan"], "is not a number of seconds"),
      (["--timeout", "0"], "is not a number of seconds"),
      (["--anonymous=yes"], "--anonymous takes no value"),
      (["--target", "tcp://a:1"], "--target must be SERVICE=TARGET"),
      (["--target", "billing=tcp://a:1"], "unknown service \"billing\""),
      (["--target", "auth=ftp://a:1"], "the scheme must be tcp, tls or unix"),
    ]
  )
  func options_thatMakeNoSense_areRefused(_ arguments: [String], _ problem: String) throws {
    let error = try #require(throws: UsageError.self) {
      try CommandLineOptions(arguments, environment: [:])
    }
    #expect(error.description.contains(problem))
  }

  @Test(
    "Commands say what they miss, and end with 2",
    arguments: [
      (["frobnicate"], "unknown command \"frobnicate\""),
      (["describe"], "missing argument METHOD or TYPE"),
      (["signup", "ada@example.com"], "missing argument NAME"),
      (["signup", "ada", "Ada"], "EMAIL \"ada\" is no e-mail address"),
      (["keys"], "missing argument DIRECTORY"),
      (["describe", "No.Such"], "unknown method or type"),
      (["describe", "Device"], "it can be auth.v1.Device or tenancy.v1.Device"),
      (["list", "a", "b"], "unexpected argument \"b\""),
      (["list", "Nothing"], "unknown service \"Nothing\""),
      (["call"], "missing argument METHOD"),
      (["call", "Portfolios"], "is not SERVICE/METHOD"),
      (["call", "Portfolios/Crate"], "has no method Crate; it has: Create, List"),
      (["call", "Portfolios/Create", "{}", "{}"], "unexpected argument \"{}\""),
      (["call", "Portfolios/Create", "{"], "the request is not JSON: line 1, column 2"),
      (["call", "Portfolios/Create", "name=Home"], "describe tenancy.v1.Portfolios/Create ends"),
      (["call", "Portfolios/Create", #"{"nam":1}"#], "has no field \"nam\""),
      (["call", "Health/Check"], "put auth, tenancy or entitlement before it"),
      (["call", "Permissions/WatchChanges"], "use gatehouse watch"),
      (["watch", "Portfolios/List"], "use gatehouse call"),
      (["frobnicate"], "use list, describe, call"),
      (["list", "Nothing"], "use auth.v1.Accounts, auth.v1.Authentication"),
      (["--output", "xml", "list"], "is not a format; use json or table"),
      (["login", "a@b", "--output", "json"], "--output json is not for gatehouse login"),
      (["watch", "Health/Watch", "--output=table"], "--output table is not for gatehouse watch"),
      (["list", "--request", "r"], "--request is only for gatehouse logs"),
      (["logs"], "missing option --request ID"),
      (["completion"], "missing argument SHELL; use bash, fish, zsh"),
      (["completion", "tcsh"], "unknown shell \"tcsh\"; use bash, fish, zsh"),
      (
        ["login", "a@b"],
        "no terminal to ask for the password; set GATEHOUSE_PASSWORD instead"
      ),
    ]
  )
  func command_thatMakesNoSense_endsWithTwo(_ arguments: [String], _ problem: String) async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse(arguments)
      #expect(outcome.code == 2)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains(problem), "\(outcome.errors)")
    }
  }

  @Test("Every command explains itself", arguments: Commands.all.map(\.name))
  func help_ofEachCommand_isThere(_ command: String) async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("help", command)
      #expect(outcome.code == 0)
      #expect(outcome.output.hasPrefix("usage: gatehouse \(command)"))
      #expect(await stage.gatehouse(command, "--help").output == outcome.output)
    }
  }
}
