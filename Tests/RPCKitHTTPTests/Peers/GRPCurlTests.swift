import RPCKit
import Testing

/// grpcurl itself, over a socket: what people type.
@Suite(
  "gRPC: grpcurl",
  .teardown,
  .enabled(if: InstalledTool.grpcurl.isInstalled, "scripts/setup gets it from PyPI")
)
struct GRPCurlTests {
  /// What grpcurl adds to the number of a status that is not OK.
  private static let failure = 64

  /// Runs grpcurl with flags before a server's address and with words behind it.
  private func grpcurl(
    _ flags: [String] = ["-plaintext"],
    _ words: String...,
    input: String = "",
    server adjust: (inout ServerConfiguration) throws -> Void = { _ in }
  ) async throws -> PeerStage.Ending {
    try await PeerStage.serving([InteropService().served], server: adjust) { address in
      try await PeerStage.ending(
        of: [InstalledTool.grpcurl.executable, "-max-time", "60"] + flags + [address] + words,
        input: input
      )
    }
  }

  /// Calls a method of `EchoService`, whose schema it gets from a file.
  private func echo(
    _ method: String,
    _ content: String,
    _ flags: String...,
    input: String = ""
  ) async throws -> PeerStage.Ending {
    let schema = try StageSchema()
    return try await grpcurl(
      ["-plaintext", "-protoset", schema.path] + flags + ["-d", content],
      "test.Echo/\(method)",
      input: input
    )
  }

  /// Calls a method of gRPC's test service, of which reflection tells.
  private func call(
    _ method: String,
    _ content: String,
    _ flags: String...
  ) async throws -> PeerStage.Ending {
    try await grpcurl(
      ["-plaintext"] + flags + ["-d", content],
      "grpc.testing.TestService/\(method)"
    )
  }

  @Test("lists and describes what is served")
  func reflection() async throws {
    let services = try await grpcurl(["-plaintext"], "list")
    #expect(
      services.text == """
        grpc.health.v1.Health
        grpc.reflection.v1.ServerReflection
        grpc.reflection.v1alpha.ServerReflection
        grpc.testing.TestService
        test.Echo

        """
    )
    let methods = try await grpcurl(["-plaintext"], "list", "grpc.testing.TestService")
    #expect(methods.text.hasPrefix("grpc.testing.TestService.EmptyCall\n"))
    let method = try await grpcurl(
      ["-plaintext"],
      "describe",
      "grpc.testing.TestService.FullDuplexCall"
    )
    #expect(
      method.text.hasSuffix(
        """
        rpc FullDuplexCall ( stream .grpc.testing.StreamingOutputCallRequest ) \
        returns ( stream .grpc.testing.StreamingOutputCallResponse );

        """
      )
    )
    let message = try await grpcurl(
      ["-plaintext", "-msg-template"],
      "describe",
      "grpc.testing.ResponseParameters"
    )
    #expect(message.text.contains("  int32 interval_us = 2;\n"), "\(message.text)")
    #expect(
      message.text.hasSuffix(
        """
        {
          "size": 0,
          "intervalUs": 0,
          "compressed": {
            "value": false
          }
        }

        """
      )
    )
    let nothing = try await grpcurl(["-plaintext"], "describe", "test.Nothing")
    #expect(nothing.code != 0 && nothing.text.contains("Symbol not found: test.Nothing"))
  }

  @Test("calls methods of all four kinds that it knows by reflection")
  func fourKinds() async throws {
    let empty = try await call("EmptyCall", "{}")
    #expect(empty.json == "{}" && empty.code == 0)
    let unary = try await call("UnaryCall", #"{"responseSize": 3, "payload": {"body": "AQI="}}"#)
    #expect(unary.json == #"{"payload":{"body":"AAAA"}}"#)
    let answers = try await call(
      "StreamingOutputCall",
      #"{"responseParameters": [{"size": 3}, {"size": 6}]}"#
    )
    #expect(answers.json == #"{"payload":{"body":"AAAA"}}{"payload":{"body":"AAAAAAAA"}}"#)
    let sum = try await call(
      "StreamingInputCall",
      #"{"payload": {"body": "AAAA"}} {"payload": {"body": "AAAAAAAA"}}"#
    )
    #expect(sum.json == #"{"aggregatedPayloadSize":9}"#)
    let turns = try await call(
      "FullDuplexCall",
      #"{"responseParameters": [{"size": 3}]} {"responseParameters": [{"size": 6}]}"#
    )
    #expect(turns.json == answers.json)
    let unserved = try await call("UnimplementedCall", "{}")
    #expect(unserved.code == Self.failure + 12, "\(unserved.text)")
  }

  @Test("calls by a schema, with what it reads")
  func schema() async throws {
    let say = try await echo("Say", "@", input: #"{"subject": "a"}"#)
    #expect(say.json == #"{"reason":"a"}"# && say.code == 0)
    let count = try await echo("Count", #"{"subject": "a"}"#)
    #expect(count.json == #"{"reason":"a1"}{"reason":"a2"}"#)
    let join = try await echo("Join", "@", input: #"{"subject": "a"}{"subject": "b"}"#)
    #expect(join.json == #"{"reason":"a,b"}"#)
    let chat = try await echo("Chat", #"{"subject": "a"}{"subject": "b"}"#)
    #expect(chat.json == #"{"reason":"a"}{"reason":"b"}"#)
    let text = try await echo("Say", #"subject: "a""#, "-format", "text")
    #expect(text.text == "reason: \"a\"\n")
  }

  @Test("sends and shows metadata, of text and of bytes")
  func metadata() async throws {
    let told = try await echo(
      "Say",
      #"{"context": "tell"}"#,
      "-H",
      "color: red",
      "-H",
      "key-bin: AP/+"
    )
    #expect(told.text.contains(#"\ncolor=red\n"#), "\(told.text)")
    #expect(told.text.contains(#"\nkey-bin=AP/+\n"#), "\(told.text)")
    let call = try await call(
      "FullDuplexCall",
      #"{"responseParameters": [{"size": 3}]}"#,
      "-v",
      "-H",
      "x-grpc-test-echo-initial: first",
      "-H",
      "x-grpc-test-echo-trailing-bin: q6ur"
    )
    for line in ["x-grpc-test-echo-initial: first", "x-grpc-test-echo-trailing-bin: q6ur"] {
      // Once as it is sent, and once as it comes back.
      #expect(call.text.split(separator: "\n").count { $0 == line } == 2, "\(call.text)")
    }
    #expect(call.text.hasSuffix("Sent 1 request and received 1 response\n"))
  }

  @Test("tells its deadline, and holds to it")
  func deadlines() async throws {
    let told = try await echo("Say", #"{"context": "tell"}"#, "-max-time", "3000")
    let seconds = try #require(told.text.firstMatch(of: /seconds=([0-9]+)/)).1
    #expect((2000...3000).contains(try #require(Int(seconds))))
    for method in ["Say", "Count"] {
      let late = try await echo(method, #"{"context": "hold"}"#, "-max-time", "1")
      #expect(late.code == Self.failure + 4, "\(late.text)")
      #expect(late.text.contains("Code: DeadlineExceeded"), "\(late.text)")
    }
  }

  @Test("shows errors with their text and details")
  func errors() async throws {
    for method in ["Say", "Count"] {
      let failed = try await echo(method, #"{"subject": "a", "context": "fail"}"#)
      #expect(failed.code == Self.failure + 8)
      for text in [
        "Code: ResourceExhausted\n", "Message: 50 % of éverything\n",
        #""@type":"type.googleapis.com/google.rpc.ErrorInfo""#, #""reason":"OVERLOADED""#,
        #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}"#,
      ] {
        #expect(failed.text.contains(text), "\(method) \(text): \(failed.text)")
      }
    }
  }

  @Test("believes the authority that it is given, and no other")
  func transportSecurity() async throws {
    let certificate = try SelfSignedCertificate()
    let other = try SelfSignedCertificate()
    func call(_ flags: [String]) async throws -> PeerStage.Ending {
      try await grpcurl(
        flags + ["-connect-timeout", "5", "-d", #"{"responseSize": 3}"#],
        "grpc.testing.TestService/UnaryCall",
        server: { $0.endpoints = [try certificate.endpoint($0.wires)] }
      )
    }
    let believed = try await call(["-cacert", certificate.path])
    #expect(believed.json == #"{"payload":{"body":"AAAA"}}"#, "\(believed.text)")
    let unseen = try await call(["-insecure"])
    #expect(unseen.json == believed.json)
    for flags in [["-cacert", other.path], []] {
      let refused = try await call(flags)
      #expect(refused.code != 0, "\(flags)")
      #expect(refused.text.contains("x509: "), "\(refused.text)")
    }
    let plain = try await call(["-plaintext"])
    #expect(plain.code != 0)
  }
}
