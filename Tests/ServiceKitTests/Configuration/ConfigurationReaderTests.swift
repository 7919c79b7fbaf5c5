import RPCKit
import RPCKitHTTP
import Testing

@testable import ServiceKit

@Suite("Settings from a file and the environment")
struct ConfigurationReaderTests {
  private func settings(
    _ environment: [String: String]
  ) throws -> ServiceSettings {
    let json = try ConfigurationReader.read(path: nil, environment: environment)
    return try ConfigurationReader.decode(json) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 7401, adminPort: 7411)
    }
  }

  @Test("Without any setting a service listens on the loopback interface")
  func read_nothing_isLoopback() throws {
    let settings = try settings([:])
    #expect(settings.listen == [.ipv4([127, 0, 0, 1], port: 7401)])
    #expect(settings.admin == .ipv4([127, 0, 0, 1], port: 7411))
    #expect(settings.tls == nil)
    #expect(settings.auditLifetime == nil)
    #expect(settings.socketMode == 0o600)
    #expect(settings.connectionCountMax == 20_000 && settings.connectionsPerSourceMax == nil)
  }

  @Test("Variables set what a file would, levels separated by two underscores")
  func read_variables_becomeSettings() throws {
    let settings = try settings([
      "GATEHOUSE_LISTEN": #"["0.0.0.0:1", "[::1]:2", "unix:///run/a.sock"]"#,
      "GATEHOUSE_LOG__LEVEL": "debug", "GATEHOUSE_PEERS__TENANCY": "tcp://tenancy:7402",
      "GATEHOUSE_ADMIN": "false", "GATEHOUSE_DRAIN_TIMEOUT": "1.5", "PATH": "/bin",
      "GATEHOUSE_AUDIT_DAYS": "90", "GATEHOUSE_SOCKET_MODE": "660",
      "GATEHOUSE_CONNECTIONS": "500", "GATEHOUSE_CONNECTIONS_PER_SOURCE": "20",
      // Of the command line client.
      "GATEHOUSE_PASSWORD": "secret",
    ])
    #expect(
      settings.listen == [
        .ipv4([0, 0, 0, 0], port: 1),
        .ipv6([UInt8](repeating: 0, count: 15) + [1], port: 2), .unix(path: "/run/a.sock"),
      ]
    )
    #expect(settings.logLevel == .debug)
    #expect(settings.peers == ["tenancy": "tcp://tenancy:7402"])
    #expect(settings.admin == nil)
    #expect(settings.drainTimeout == .milliseconds(1500))
    #expect(settings.auditLifetime == 7_776_000_000)
    #expect(settings.socketMode == 0o660)
    #expect(settings.connectionCountMax == 500 && settings.connectionsPerSourceMax == 20)
  }

  @Test("Bounds of streams are read, and those that are not said keep their defaults")
  func read_streams_areBounds() throws {
    let standard = try settings([:]).streams
    #expect(standard.total == 4096 && standard.perConnection == 256 && standard.perSource == 64)
    #expect(standard.perUser == 32 && standard.perService == 1024)
    let streams = try settings([
      "GATEHOUSE_STREAMS__TOTAL": "8000", "GATEHOUSE_STREAMS__PER_CONNECTION": "1000",
      "GATEHOUSE_STREAMS__PER_SERVICE": "7", "GATEHOUSE_STREAMS__PER_USER": "1",
    ]).streams
    #expect(streams.total == 8000 && streams.perConnection == 1000 && streams.perSource == 64)
    #expect(streams.perUser == 1 && streams.perService == 7)
  }

  @Test("Proxies are addresses, networks and Unix sockets, and nobody unless it is said")
  func read_trustedProxies() throws {
    let standard = try settings([:]).http.trustedProxies
    #expect(standard == TrustedProxies())
    #expect(standard.networks.isEmpty && !standard.includesUnixSockets)
    #expect(standard.field == .xForwardedFor)
    let proxies = try settings([
      "GATEHOUSE_HTTP__TRUSTED_PROXIES": #"["10.0.0.0/8", "2001:db8::5", "unix"]"#,
      "GATEHOUSE_HTTP__CLIENT_ADDRESS_HEADER": "forwarded",
    ]).http.trustedProxies
    #expect(proxies.networks == [AddressNetwork("10.0.0.0/8"), AddressNetwork("2001:db8::5")])
    #expect(proxies.includesUnixSockets && proxies.field == .forwarded)
    let many = { (count: Int) in
      let list = (0..<count).map { "\"10.0.0.\($0)\"" }.joined(separator: ",")
      return try settings(["GATEHOUSE_HTTP__TRUSTED_PROXIES": "[\(list)]"])
    }
    #expect(try many(64).http.trustedProxies.networks.count == 64)
    #expect(throws: ConfigurationError.self) { try many(65) }
  }

  @Test(
    "A wrong setting is refused, and named",
    arguments: [
      ("GATEHOUSE_STREAMS__TOTAL", "8001", "streams.total"),
      ("GATEHOUSE_STREAMS__PER_USER", "0", "streams.per_user"),
      ("GATEHOUSE_STREAMS__PER_HOST", "1", "streams.per_host"),
      ("GATEHOUSE_LISTENS", "1", "listens"), ("GATEHOUSE_LISTEN", "7401", "listen"),
      ("GATEHOUSE_LISTEN", #"["localhost:1"]"#, "listen[0]"), ("GATEHOUSE_LOOPS", "0", "loops"),
      ("GATEHOUSE_LOOPS", "two", "loops"), ("GATEHOUSE_LOG__LEVEL", "loud", "log.level"),
      ("GATEHOUSE_LOG__COLOUR", "red", "log.colour"),
      ("GATEHOUSE_TLS__KEY", "k", "tls.certificate"),
      ("GATEHOUSE_DRAIN_TIMEOUT", "-1", "drain_timeout"),
      ("GATEHOUSE_AUDIT_DAYS", "29", "audit_days"), ("GATEHOUSE_", "1", "GATEHOUSE_"),
      ("GATEHOUSE_SOCKET_MODE", "888", "socket_mode"),
      ("GATEHOUSE_SOCKET_MODE", "rw", "socket_mode"),
      ("GATEHOUSE_CONNECTIONS", "0", "connections"),
      ("GATEHOUSE_HTTP__API_VIEWER", "true", "http.api_viewer"),
      ("GATEHOUSE_HTTP__API_VIEWER", "", "http.api_viewer"),
      (
        "GATEHOUSE_HTTP", #"{"rest": false, "api_viewer": "viewer"}"#,
        "http.api_viewer: needs http.rest"
      ),
      ("GATEHOUSE_HTTP__TRUSTED_PROXIES", "10.0.0.0/8", "http.trusted_proxies"),
      ("GATEHOUSE_HTTP__TRUSTED_PROXIES", #"["::1", "gateway"]"#, "http.trusted_proxies[1]"),
      ("GATEHOUSE_HTTP__TRUSTED_PROXIES", #"["10.0.0.5/8"]"#, "http.trusted_proxies[0]"),
      ("GATEHOUSE_HTTP__TRUSTED_PROXIES", #"["0.0.0.0/0"]"#, "would believe everybody"),
      ("GATEHOUSE_HTTP__TRUSTED_PROXIES", #"["::/0"]"#, "would believe everybody"),
      ("GATEHOUSE_HTTP__CLIENT_ADDRESS_HEADER", "x-real-ip", "http.client_address_header"),
    ]
  )
  func read_wrongSetting_isNamed(_ variable: String, _ value: String, _ place: String) {
    let error = #expect(throws: ConfigurationError.self) { try settings([variable: value]) }
    #expect(error?.description.contains(place) == true, "\(error?.description ?? "no error")")
  }

  @Test("A file that is missing or is no JSON is named with the place")
  func read_badFile_isNamed() {
    let missing = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.read(path: "/nonexistent.json", environment: [:])
    }
    #expect(missing?.description.contains("/nonexistent.json") == true)
    let noJSON = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.read(path: "/proc/version", environment: [:])
    }
    #expect(noJSON?.description.contains("/proc/version: line 1") == true)
  }

  // MARK: All mistakes at once

  private struct Own: Sendable {
    var catalog: String
    var bundle: String
    var weight: Int64
  }

  private func found(_ json: JSONValue) -> (own: Own?, problems: [String]) {
    let (own, problems, _) = ConfigurationReader.decodeAll(json) {
      (members) throws(JSONDecodingError) in
      let catalog = try members.required("catalog").string()
      var apple = try members.required("apple").members()
      let bundle = try apple.required("bundle_id").string()
      let weight = try apple.required("weight").integer(in: 1...9)
      for limit in try members.optional("limits")?.elements() ?? [] {
        _ = try limit.integer(in: 0...9)
      }
      try apple.finish()
      return Own(catalog: catalog, bundle: bundle, weight: weight)
    }
    return (own, problems)
  }

  @Test("Good settings are read as they are")
  func decodeAll_good_isDecoded() {
    let (own, problems) = found(["catalog": "c", "apple": ["bundle_id": "b", "weight": 2]])
    #expect(problems.isEmpty && own?.catalog == "c" && own?.weight == 2)
  }

  @Test("Missing, misspelt and wrong settings are all named, wherever they are")
  func decodeAll_manyMistakes_areAllNamed() {
    let (_, problems) = found([
      "catalogue": "c", "apple": ["weight": 12, "bundel_id": "b"], "limits": [1, "two", 3],
      "peer": 1,
    ])
    for path in [
      "catalog", "catalogue", "apple.bundle_id", "apple.bundel_id", "apple.weight", "limits[1]",
      "peer",
    ] {
      #expect(problems.count { $0.hasPrefix("setting \(path): ") } == 1, "\(path): \(problems)")
    }
    #expect(problems.count == 7, "\(problems)")
  }

  @Test("What is not even an object, and what is wrong whatever is put there, ends the search")
  func decodeAll_hopeless_ends() {
    #expect(found([1]).problems.count == 1)
    let (own, problems, _) = ConfigurationReader.decodeAll(["a": 1]) {
      (members) throws(JSONDecodingError) -> Int in
      throw try members.required("a").error("is never good")
    }
    #expect(own == nil && problems.count == 1)
  }
}
