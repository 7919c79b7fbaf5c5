import RPCKit
import Testing

@testable import ServiceKit

@Suite("Settings of traces")
struct TraceSettingsTests {
  private func traces(_ json: JSONValue) throws -> ServiceSettings.Traces? {
    try ConfigurationReader.decode(["traces": json]) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 1, adminPort: 2)
    }.traces
  }

  @Test("Nothing is traced without an endpoint")
  func traces_withoutEndpoint_areOff() throws {
    let settings = try ConfigurationReader.decode([:]) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 1, adminPort: 2)
    }
    #expect(settings.traces == nil)
    #expect(try traces(["sample_ratio": 1]) == nil)
  }

  @Test("Endpoints are URLs with a path, and every call is traced unless a ratio says otherwise")
  func traces_withEndpoint_areOn() throws {
    for url in [
      "http://127.0.0.1:4318/v1/traces", "https://otlp.example.com/v1/traces?tenant=1",
      "http://collector:4318/v1/traces",
    ] {
      let read = try #require(try traces(["endpoint": .string(url)]))
      #expect(read.endpoint == url && read.sampleRatio == 1)
    }
    let half = try traces([
      "endpoint": "http://a/b", "sample_ratio": .number(try #require(JSONNumber(0.5))),
    ])
    #expect(half?.sampleRatio == 0.5)
  }

  @Test("What is wrong is named")
  func traces_wrong_areNamed() throws {
    let long = "http://a/" + String(repeating: "b", count: 1000)
    for url in [
      "", "127.0.0.1:4318", "ftp://a/b", "http://a", "http://a/", "http://ada:secret@a/v1/traces",
      "http://a/v1/traces#x", "http://a b/v1", "HTTP://a/b", long,
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try traces(["endpoint": .string(url)])
      }
      #expect(error?.description.hasPrefix("setting traces.endpoint: ") == true)
      #expect(error?.description.contains("secret") == false)
    }
    for ratio in [2, -1, "1"] as [JSONValue] {
      let error = #expect(throws: ConfigurationError.self) {
        try traces(["endpoint": "http://a/b", "sample_ratio": ratio])
      }
      #expect(error?.description == "setting traces.sample_ratio: must be a number from 0 to 1")
    }
  }

  @Test("A token goes over TLS, or to this host")
  func headers_overPlaintext_areRefused() throws {
    for url in [
      "https://a/b", "http://localhost:4318/b", "http://127.0.0.1:4318/b", "http://[::1]:1/b",
    ] {
      let read = try traces(["endpoint": .string(url), "headers_file": "h"])
      #expect(read?.headersFile == "h")
      #expect(read?.addresses == (url.hasPrefix("https:") ? .any : .loopback))
    }
    for url in [
      "http://a/b", "http://[::2]/b", "http://localhost.example.com/b",
      "http://127.0.0.1.example.com/b",
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try traces(["endpoint": .string(url), "headers_file": "h"])
      }
      #expect(error?.description.hasPrefix("setting traces.headers_file: needs") == true, "\(url)")
    }
  }

  private func headers(_ text: String) throws -> [HTTPFetch.Field] {
    let folder = try TemporaryFolder()
    let path = folder.file("headers")
    try FileBytes.createSecret(text, at: path)
    var traces = ServiceSettings.Traces(endpoint: "https://a/b")
    traces.headersFile = path
    return try traces.headers()
  }

  @Test("The file has a field in each line, and what is wrong is told without what stands there")
  func headersFile_isReadStrictly() throws {
    #expect(
      try headers("Authorization: Basic YTpi\n\nx-team:  a b \n") == [
        .init(name: "authorization", value: "Basic YTpi"), .init(name: "x-team", value: "a b "),
      ]
    )
    #expect(try headers("").isEmpty)
    for bad in [
      "secret", "secret:", ": secret", "a b: secret", "Host: secret", "content-type: secret",
      "transfer-encoding: secret", "a: secret\r", "a: secret\u{7F}", "a: sécret",
      "a: secret" + String(repeating: "x", count: 4096),
    ] {
      let error = #expect(throws: FileError.self) { try headers("x-good: 1\n" + bad) }
      #expect(error?.description.contains("line 2 must be a field") == true, "\(bad)")
      #expect(error?.description.contains("ecret") == false)
    }
    let many = (0..<17).map { "a\($0): b\n" }.joined()
    #expect(throws: FileError.self) { try headers(many) }
  }

  @Test("Files that cannot be used are named before the start")
  func check_namesFiles() throws {
    let value: JSONValue = [
      "traces": ["endpoint": "https://a/b", "ca_file": "/no/ca.pem", "headers_file": "/no/h"]
    ]
    let settings = try ConfigurationReader.decode(value) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 1, adminPort: 2)
    }
    var check = ConfigurationCheck()
    check.common(settings)
    try #require(check.problems.count == 2)
    #expect(check.problems[0].hasPrefix("setting traces.ca_file: /no/ca.pem"))
    #expect(check.problems[1].hasPrefix("setting traces.headers_file: /no/h"))
  }
}
