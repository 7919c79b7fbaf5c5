import CommandLineTool
import Foundation
import LoadGenerator
import RPCKit
import Testing

/// The command line.
@Suite struct LoadCommandTests {
  private func options(_ line: String) throws -> LoadOptions {
    guard case .run(let options) = try LoadCommand(line.split(separator: " ").map(String.init))
    else { throw RPCError(.internal, "help instead of options") }
    return options
  }

  @Test("The benchmark's flags are understood")
  func benchmarkFlags_given_areTaken() throws {
    let options = try options(
      "--target 127.0.0.1:4040 --connections 8 --in-flight 16 --seconds 2 --warmup 0.5 "
        + "--rate 10000 --slow-percent 1 --hold 3"
    )
    #expect(options.target.place == .address(.ipv4([127, 0, 0, 1], port: 4040)))
    #expect(options.connectionCount == 8)
    #expect(options.inFlightMax == 16)
    #expect(options.measured == .seconds(2))
    #expect(options.warmup == .milliseconds(500))
    #expect(options.rate == 10_000)
    #expect(options.slowPercent == 1)
    #expect(options.hold == .seconds(3))
  }

  @Test("Targets come with a scheme or without")
  func target_inEachForm_isTaken() throws {
    #expect(
      try options("--target /run/a.sock").target.place == .address(.unix(path: "/run/a.sock"))
    )
    #expect(
      try options("--target unix:///run/a").target.place == .address(.unix(path: "/run/a"))
    )
    #expect(try options("--target=tls://auth.internal:4443").target.tlsHost == "auth.internal")
  }

  @Test("Units and values behind an equals sign are understood")
  func values_inOtherForms_areTaken() throws {
    let options = try options(
      "--target=a:1 --timeout=250ms --metadata tenant=acme=1 --request-hex=0A0b"
    )
    #expect(options.timeout == .milliseconds(250))
    #expect(options.metadata["tenant"] == "acme=1")
    #expect(options.request == .message([0x0A, 0x0B]))
  }

  @Test("A route has a method and a path, whose variables have values")
  func route_given_isTaken() throws {
    let words = ["--target", "a:1", "--wire", "rest", "--route"]
    guard case .run(let options) = try LoadCommand(words + ["GET /v1/units/{n:10}?a=b"]) else {
      Issue.record("no options")
      return
    }
    #expect(options.route.method == "GET")
    #expect(options.route.path == "/v1/units/{n:10}?a=b")
    #expect(options.request == .message([]))
    for (route, expected) in [
      ("GET /v1/{root_id}", "give variables a value"), ("get /v1", "a method and a path"),
      ("GET /v1/{n:0}", "a limit above 0"),
    ] {
      let error = #expect(throws: UsageError.self) { try LoadCommand(words + [route]) }
      #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }
    let error = #expect(throws: UsageError.self) {
      try LoadCommand(["--target", "a:1", "--route", "GET /v1"])
    }
    #expect(error?.description.contains("--wire rest") == true)
  }

  @Test("Help is help wherever it stands")
  func help_amongOthers_isHelp() throws {
    guard case .help = try LoadCommand(["--target", "a:1", "--help"]) else {
      Issue.record("no help")
      return
    }
  }

  @Test(
    "Wrong usage is refused with what to do",
    arguments: [
      ("", "--target is missing"),
      ("127.0.0.1:1", "not an option"),
      ("--bogus", "unknown option --bogus"),
      ("--target", "--target needs a value"),
      ("--target http://a:1", "scheme"),
      ("--target a", "port"),
      ("--target tcp://a:1,tcp://b:1", "one server"),
      ("--target a:1 --connections 0", "from 1 to 50000"),
      ("--target a:1 --seconds 3601", "to 3600 seconds"),
      ("--target a:1 --seconds nan", "--seconds needs a time"),
      ("--target a:1 --rate -5", "--rate needs a number"),
      ("--target a:1 --timeout 5parsecs", "--timeout needs a time"),
      ("--target a:1 --service s", "given together"),
      ("--target a:1 --request-hex 0", "two digits"),
      ("--target a:1 --request-hex zz", "hexadecimal"),
      ("--target a:1 --request-hex 00 --template 1:1", "use one of them"),
      ("--target a:1 --template 1:1 --slow-percent 1", "--slow-percent"),
      ("--target a:1 --poisson", "needs a --rate"),
      ("--target a:1 --threads 2", "at most --connections"),
      ("--target a:1 --metadata tenant", "key=value"),
      ("--target tls://a:1 --tls-cert c.pem", "given together"),
      ("--target a:1 --tls-ca c.pem", "tls://"),
      ("--target a:1 --stock=yes", "takes no value"),
      ("--target a:1 --wire soap", "frames, grpc, rest, rest-http2"),
      ("--target a:1 --wire rest --in-flight 2", "more --connections"),
      ("--target a:1 --wire rest --stock", "--wire frames"),
      ("--target a:1 --wire grpc --stock", "--wire frames"),
      ("--target a:1 --wire rest --template 1:1", "needs a --route"),
      ("--target a:1 --wire rest --service a.B --method C", "by its --route"),
      ("--target a:1 --wire rest --route /v1/check", "a method and a path"),
      ("--target a:1 --bearer-file /dev/null", "not one token"),
    ]
  )
  func usage_wrong_isRefused(line: String, expected: String) {
    let error = #expect(throws: UsageError.self) { try options(line) }
    #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
  }
  @Test("The methods of the examples in the help are in the contracts")
  func help_examples_nameRealMethods() throws {
    let proto = URL(filePath: #filePath).appending(path: "../../../../proto").standardized
    var methods: Set<String> = []
    let files = try #require(
      FileManager.default.enumerator(at: proto, includingPropertiesForKeys: nil)
    )
    for case let file as URL in files where file.pathExtension == "proto" {
      let (packageLine, serviceLine) = (#/^package ([a-z0-9.]+);/#, #/^service ([A-Za-z]+)/#)
      var names = (prefix: "", service: "")
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        if let match = line.firstMatch(of: packageLine) { names.prefix = String(match.1) }
        if let match = line.firstMatch(of: serviceLine) { names.service = String(match.1) }
        if let match = line.firstMatch(of: #/^ *rpc ([A-Za-z]+)\(/#) {
          methods.insert("\(names.prefix).\(names.service)/\(match.1)")
        }
      }
    }
    let examples = OptionHelp.text.matches(of: #/--service ([a-z]\S+) --method (\S+)/#).map {
      "\($0.1)/\($0.2)"
    }
    #expect(examples.count == 2)
    for example in examples { #expect(methods.contains(example), "\(example)") }
  }
}
