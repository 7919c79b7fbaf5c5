import Foundation
import RPCKit
import Testing

/// `buf curl`, which calls by connect-go, over a socket: by each of its protocols, which must come to the same.
@Suite(
  "Connect, gRPC and gRPC-Web: buf",
  .teardown,
  .enabled(if: InstalledTool.buf.isInstalled, "scripts/setup gets it from PyPI")
)
struct BufCurlTests {
  /// By which protocol over which version of HTTP, and where the schema comes from.
  enum Way: String, CaseIterable {
    case connect1 = "connect --http1"
    case connect2 = "connect --http2-prior-knowledge"
    case connectReflected = "connect --reflect-protocol=grpc-v1"
    case grpc = "grpc --http2-prior-knowledge"
    case grpcReflected = "grpc --reflect-protocol=grpc-v1alpha"
    case grpcWeb1 = "grpcweb --http1"
    case grpcWeb2 = "grpcweb --http2-prior-knowledge"
    case grpcWebReflected = "grpcweb --reflect-protocol=grpc-v1"

    static let withSchema = allCases.filter { !$0.isReflected }

    var isReflected: Bool { rawValue.contains("--reflect-protocol") }
    /// Reflection has both sides of a call send at once.
    var isHTTP2: Bool { !rawValue.contains("--http1") }

    var flags: [String] {
      let words = rawValue.split(separator: " ").map(String.init)
      // HTTP/1.1 is what it speaks without a flag.
      return ["--protocol", words[0]] + words.dropFirst().filter { $0 != "--http1" }
    }
  }

  /// What buf's code is for a status.
  private static func code(_ status: StatusCode) -> Int { Int(status.rawValue) << 3 }

  /// Runs `buf curl`; `URL` in the arguments is the server's.
  private func buf(
    _ arguments: [String],
    input: String = "",
    scheme: String = "http",
    server adjust: (inout ServerConfiguration) throws -> Void = { _ in }
  ) async throws -> PeerStage.Ending {
    // Beside the program, and not in somebody's home.
    let cache = InstalledTool.root.appending(path: ".build/tools/buf/cache").path
    return try await PeerStage.serving([InteropService().served], server: adjust) { address in
      try await PeerStage.ending(
        of: ["env", "BUF_CACHE_DIR=\(cache)", InstalledTool.buf.executable, "curl"]
          + arguments.map { $0.replacing("URL", with: "\(scheme)://\(address)") },
        input: input
      )
    }
  }

  /// Calls a method of gRPC's test service.
  private func call(
    _ method: String,
    _ content: String,
    _ way: Way
  ) async throws -> PeerStage.Ending {
    try await call("grpc.testing.TestService/\(method)", content, way, [])
  }

  /// Calls a method of `EchoService`.
  private func echo(
    _ method: String,
    _ content: String,
    _ way: Way,
    _ flags: String...
  ) async throws -> PeerStage.Ending {
    try await call("test.Echo/\(method)", content, way, flags)
  }

  private func call(
    _ method: String,
    _ content: String,
    _ way: Way,
    _ flags: [String]
  ) async throws -> PeerStage.Ending {
    let schema = try StageSchema()
    return try await buf(
      way.flags + (way.isReflected ? [] : ["--schema", schema.path]) + flags
        + ["--data", "@-", "URL/\(method)"],
      input: content
    )
  }

  @Test("lists what is served, by both versions of reflection", arguments: ["v1", "v1alpha"])
  func reflection(version: String) async throws {
    let services = try await buf([
      "--reflect-protocol", "grpc-\(version)", "--list-services", "URL",
    ])
    #expect(
      services.text == """
        grpc.health.v1.Health
        grpc.reflection.v1.ServerReflection
        grpc.reflection.v1alpha.ServerReflection
        grpc.testing.TestService
        test.Echo

        """
    )
  }

  @Test("reads the contracts of the repository")
  func folder() async throws {
    let contracts = InstalledTool.root.appending(path: "proto").path
    let answer = try await buf([
      "--schema", contracts, "--data", #"{"responseSize": 3}"#,
      "URL/grpc.testing.TestService/UnaryCall",
    ])
    #expect(answer.json == #"{"payload":{"body":"AAAA"}}"#, "\(answer.text)")
  }

  @Test("calls methods of all kinds, and gets the same by every protocol", arguments: Way.allCases)
  func kinds(way: Way) async throws {
    let empty = try await call("EmptyCall", "{}", way)
    #expect(empty.json == "{}" && empty.code == 0)
    let unary = try await call("UnaryCall", #"{"responseSize": 3}"#, way)
    #expect(unary.json == #"{"payload":{"body":"AAAA"}}"#)
    let answers = try await call(
      "StreamingOutputCall",
      #"{"responseParameters": [{"size": 3}, {"size": 6}]}"#,
      way
    )
    #expect(answers.json == #"{"payload":{"body":"AAAA"}}{"payload":{"body":"AAAAAAAA"}}"#)
    let sum = try await call(
      "StreamingInputCall",
      #"{"payload": {"body": "AAAA"}} {"payload": {"body": "AAAAAAAA"}}"#,
      way
    )
    #expect(sum.json == #"{"aggregatedPayloadSize":9}"#, "\(sum.text)")
    // For this one buf takes HTTP/2 by itself.
    let turns = try await call(
      "FullDuplexCall",
      #"{"responseParameters": [{"size": 3}]} {"responseParameters": [{"size": 6}]}"#,
      way
    )
    #expect(turns.json == answers.json)
    let unserved = try await call("UnimplementedCall", "{}", way)
    #expect(unserved.code == Self.code(.unimplemented), "\(unserved.text)")
  }

  @Test("speaks the version of HTTP that it was told to, and takes gzip", arguments: Way.withSchema)
  func compression(way: Way) async throws {
    let answer = try await echo("Say", #"{"context": "long"}"#, way, "--verbose")
    let version = way.isHTTP2 ? "HTTP/2.0 200" : "HTTP/1.1 200"
    #expect(answer.text.contains("< (#1) \(version)"), "\(answer.text)")
    let field = way.rawValue.hasPrefix("connect") ? "Content-Encoding" : "Grpc-Encoding"
    #expect(answer.text.contains("< (#1) \(field): gzip"), "\(answer.text)")
    let text = String(repeating: "x", count: 4 << 10)
    #expect(answer.text.contains(#""\#(text)""#))
  }

  @Test("sends and shows metadata, of text and of bytes", arguments: Way.withSchema)
  func metadata(way: Way) async throws {
    let told = try await echo(
      "Say",
      #"{"context": "tell"}"#,
      way,
      "--header",
      "color: red",
      "--header",
      "key-bin: AP/+"
    )
    #expect(told.text.contains(#"\ncolor=red\n"#), "\(told.text)")
    #expect(told.text.contains(#"\nkey-bin=AP/+\n"#), "\(told.text)")
    let shown = try await echo("Say", #"{"context": "header"}"#, way, "--verbose")
    #expect(shown.text.contains("Answered-By: echo"), "\(shown.text)")
    #expect(shown.text.contains("Token-Bin: AAEC"), "\(shown.text)")
  }

  @Test("tells its deadline, and holds to it", arguments: Way.withSchema)
  func deadlines(way: Way) async throws {
    let told = try await echo("Say", #"{"context": "tell"}"#, way, "--timeout", "3000s")
    let seconds = try #require(told.text.firstMatch(of: /seconds=([0-9]+)/), "\(told.text)").1
    #expect((2000...3000).contains(try #require(Int(seconds))))
    for method in ["Say", "Count"] {
      let late = try await echo(method, #"{"context": "hold"}"#, way, "--timeout", "1s")
      #expect(late.code == Self.code(.deadlineExceeded), "\(late.text)")
    }
  }

  @Test("shows errors with their text and details", arguments: Way.withSchema)
  func errors(way: Way) async throws {
    for method in ["Say", "Count"] {
      let failed = try await echo(method, #"{"subject": "a", "context": "fail"}"#, way)
      #expect(failed.code == Self.code(.resourceExhausted))
      for text in [
        #""code": "resource_exhausted""#, #""message": "50 % of éverything\n""#,
        #""type": "google.rpc.ErrorInfo""#, #""type": "google.rpc.RetryInfo""#,
      ] {
        #expect(failed.text.contains(text), "\(method) \(text): \(failed.text)")
      }
    }
  }

  @Test(
    "believes the authority that it is given, and no other",
    arguments: ["connect", "grpc", "grpcweb"]
  )
  func transportSecurity(protocol name: String) async throws {
    let certificate = try SelfSignedCertificate()
    let other = try SelfSignedCertificate()
    let schema = try StageSchema()
    func call(_ flags: [String]) async throws -> PeerStage.Ending {
      try await buf(
        flags + [
          "--protocol", name, "--schema", schema.path, "--data", #"{"responseSize": 3}"#,
          "URL/grpc.testing.TestService/UnaryCall",
        ],
        scheme: "https",
        server: { $0.endpoints = [try certificate.endpoint($0.wires)] }
      )
    }
    let believed = try await call(["--cacert", certificate.path])
    #expect(believed.json == #"{"payload":{"body":"AAAA"}}"#, "\(believed.text)")
    for flags in [["--cacert", other.path], []] {
      let refused = try await call(flags)
      #expect(refused.code != 0, "\(flags)")
      #expect(refused.text.contains("x509: "), "\(refused.text)")
    }
  }
}
