import Testing

/// curl as a client of Connect, over a socket and both versions of HTTP.
@Suite("Connect: curl", .teardown) struct ConnectCurlTests {
  private static let versions = ["--http1.1", "--http2-prior-knowledge"]

  /// The answer and its status; `URL` in the arguments is the server's.
  private func curl(_ arguments: [String], input: [UInt8] = []) async throws -> String {
    let output = try await PeerStage.serving { address in
      let command = ["curl", "--silent", "--max-time", "60", "--write-out", " %{http_code}"]
      return try await PeerStage.output(
        command + arguments.map { $0.replacing("URL", with: "http://\(address)/test.Echo") },
        input: input
      )
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test("posts JSON and protobuf", arguments: versions)
  func post(version: String) async throws {
    let json = ["-H", "content-type: application/json", "--data", #"{"subject":"a"}"#]
    #expect(try await curl([version] + json + ["URL/Say"]) == #"{"reason":"a"} 200"#)
    let protobuf = ["-H", "content-type: application/proto", "--data-binary", "@-", "URL/Say"]
    let answer = try await curl([version] + protobuf, input: request("a"))
    #expect(answer == String(decoding: response("a"), as: UTF8.self) + " 200")
  }

  @Test("gets what changes nothing, and nothing else", arguments: versions)
  func get(version: String) async throws {
    // {"subject":"a"}
    let query = "connect=v1&encoding=json&base64=1&message=eyJzdWJqZWN0IjoiYSJ9"
    #expect(try await curl([version, "URL/Read?\(query)"]) == #"{"reason":"a"} 200"#)
    let refused = try await curl([version, "URL/Say?\(query)"])
    #expect(refused.hasSuffix(" 405"))
  }

  @Test("reads errors, also that its time is over", arguments: versions)
  func errors(version: String) async throws {
    let call = [version, "-H", "content-type: application/json", "--data"]
    let failed = try await curl(call + [#"{"subject":"a","context":"fail"}"#, "URL/Say"])
    #expect(failed.hasPrefix(#"{"code":"resource_exhausted","message":"50 % of "#))
    #expect(failed.contains(#""type":"google.rpc.ErrorInfo""#) && failed.hasSuffix(" 429"))
    let late = try await curl(
      call + [#"{"context":"hold"}"#, "-H", "connect-timeout-ms: 100", "URL/Say"]
    )
    #expect(late.hasPrefix(#"{"code":"deadline_exceeded""#) && late.hasSuffix(" 504"))
  }

  @Test("takes compressed answers, and says that they are", arguments: versions)
  func compression(version: String) async throws {
    let answer = try await curl([
      version, "--compressed", "--write-out", " %header{content-encoding}", "-H",
      "accept-encoding: gzip", "-H",
      "content-type: application/json", "--data", #"{"context":"long"}"#, "URL/Say",
    ])
    let text = String(repeating: "x", count: 4 << 10)
    #expect(answer == #"{"reason":"\#(text)"} gzip"#)
  }
}
