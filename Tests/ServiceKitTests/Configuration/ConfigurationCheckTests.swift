import RPCKit
import Testing

@testable import ServiceKit

@Suite("Looking at settings without starting")
struct ConfigurationCheckTests {
  private func problems(_ json: String) throws -> [String] {
    let value = try JSONReader.read(Array(json.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
    let settings = try ConfigurationReader.decode(value) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 7401, adminPort: 7411)
    }
    var check = ConfigurationCheck()
    check.common(settings)
    return check.problems
  }

  @Test("Each file that is not there is named with its setting, all at once")
  func common_missingFiles_areAllNamed() throws {
    let problems = try problems(
      """
      {"tls": {"certificate": "/no/c.pem", "key": "/no/k.pem", "authorities": "/no/a.pem"},
       "service_keys": {"private_key": "/no/own.pem",
                        "trusted": {"tenancy": ["/no/t1.pem", "/no/t2.pem"], "entitlement": "/no/e"}},
       "peers": {"tenancy": "http://x:1"}}
      """
    )
    let expected = [
      ("tls.certificate", "/no/c.pem"), ("tls.key", "/no/k.pem"),
      ("tls.authorities", "/no/a.pem"), ("service_keys.private_key", "/no/own.pem"),
      ("service_keys.trusted.entitlement", "/no/e"), ("service_keys.trusted.tenancy", "/no/t1.pem"),
      ("service_keys.trusted.tenancy", "/no/t2.pem"), ("peers.tenancy", "http://x:1"),
    ]
    #expect(problems.count == expected.count, "\(problems)")
    for (problem, (setting, file)) in zip(problems, expected) {
      #expect(problem.hasPrefix("setting \(setting): "), "\(problem)")
      #expect(problem.contains(file), "\(problem)")
    }
  }

  @Test("Files that are there and hold something else are named too")
  func common_wrongContents_areNamed() throws {
    let folder = try TemporaryFolder()
    let rubbish = folder.file("rubbish")
    try FileBytes.createSecret("rubbish", at: rubbish)
    let found = try problems(
      """
      {"tls": {"certificate": "\(rubbish)", "key": "\(rubbish)"},
       "service_keys": {"private_key": "\(rubbish)", "trusted": {"tenancy": "\(rubbish)"}}}
      """
    )
    #expect(found.count == 3, "\(found)")
    for (problem, setting) in zip(
      found,
      ["tls", "service_keys.private_key", "service_keys.trusted.tenancy"]
    ) {
      #expect(problem.hasPrefix("setting \(setting): "), "\(problem)")
      #expect(problem.contains(rubbish), "\(problem)")
    }
  }

  @Test("Good keys are no problem, and no settings are none either")
  func common_goodKeys_areNoProblem() throws {
    let folder = try TemporaryFolder()
    let key = SigningKey.generate()
    try FileBytes.createSecret(key.pem, at: folder.file("own"))
    try FileBytes.createSecret(key.verificationKey.pem, at: folder.file("other"))
    #expect(
      try problems(
        """
        {"service_keys": {"private_key": "\(folder.file("own"))",
                          "trusted": {"tenancy": "\(folder.file("other"))"}},
         "peers": {"tenancy": "tls://tenancy:1"}}
        """
      ) == []
    )
    #expect(try problems("{}") == [])
  }

  @Test("Addresses of one service that collide are named")
  func common_collidingAddresses_areNamed() throws {
    #expect(
      try problems(
        """
        {"listen": ["127.0.0.1:7401", "[::1]:7401", "127.0.0.1:7401"], "admin": "0.0.0.0:7401",
         "peers": {"tenancy": "tcp://127.0.0.1:7401", "entitlement": "tcp://127.0.0.1:7403,[::1]:7401"}}
        """
      ) == [
        "setting listen: 127.0.0.1:7401 is taken by an address before it",
        "setting admin: 0.0.0.0:7401 is taken by listen; set it to another address",
        "setting peers.entitlement: [::1]:7401 is this service itself",
        "setting peers.tenancy: 127.0.0.1:7401 is this service itself",
      ]
    )
    let wildcard = #"{"listen": ["0.0.0.0:7401"], "peers": {"tenancy": "tcp://127.0.0.1:7401"}}"#
    #expect(try problems(wildcard).count == 1)
    for good in [
      #"{"listen": ["127.0.0.1:0", "127.0.0.1:0"], "admin": "127.0.0.1:0"}"#,
      #"{"listen": ["0.0.0.0:7401"], "peers": {"tenancy": "tcp://10.0.0.5:7401"}}"#,
      #"{"listen": ["unix:///a"], "admin": false, "peers": {"tenancy": "unix:///b"}}"#,
      #"{"listen": ["127.0.0.1:7401"], "peers": {"tenancy": "tcp://tenancy:7401"}}"#,
    ] {
      #expect(try problems(good) == [], "\(good)")
    }
  }

  @Test("Services that call each other and cannot prove which one they are, are named")
  func trust_nobodyBelieves_isNamed() throws {
    func problems(_ json: String) throws -> [String] {
      let value = try JSONReader.read(Array(json.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
      let (settings, rules) = try ConfigurationReader.decode(value) {
        (members) throws(JSONDecodingError) in
        var limits = try members.required("source_limits").members()
        return (
          try ServiceSettings(&members, name: "auth", port: 7401, adminPort: 7411),
          try SourceRules(&limits)
        )
      }
      var check = ConfigurationCheck()
      check.peers(["tenancy"], settings)
      check.callers(["tenancy", "entitlement"], settings)
      check.trustedProxies(rules, settings)
      return check.problems
    }
    let proxies = #""source_limits": {"trusted_proxies": ["gateway"]}"#
    let peer = #""peers": {"tenancy": "tcp://tenancy:1"}"#
    let found = try problems(
      "{\(proxies), \(peer), \"service_keys\": {\"trusted\": {\"tenancy\": \"t.pem\"}}}"
    )
    #expect(found.count == 3, "\(found)")
    for (problem, start) in zip(
      found,
      [
        "setting service_keys.private_key is missing: ",
        "setting service_keys.trusted.entitlement is missing: ",
        "setting source_limits.trusted_proxies: nobody can prove to be gateway; ",
      ]
    ) {
      #expect(problem.hasPrefix(start), "\(problem)")
    }
    let keys = """
      "service_keys": {"private_key": "own.pem", "trusted":
        {"tenancy": "t.pem", "entitlement": "e.pem", "gateway": "g.pem"}}
      """
    #expect(try problems("{\(proxies), \(peer), \(keys)}") == [])
    let tls = #""tls": {"certificate": "c", "key": "k", "authorities": "a"}"#
    #expect(try problems("{\(proxies), \(peer), \(tls)}") == [])
  }

  @Test("All problems become one error, a line each")
  func finish_problems_areLines() throws {
    var check = ConfigurationCheck()
    try check.finish()
    check.file("policy", "p.json") { _ in throw ConfigurationError("no policy") }
    check.file("catalog", "c.json") { throw ConfigurationError("\($0): no catalogue") }
    let error = try #require(throws: ConfigurationError.self) { try check.finish() }
    #expect(
      error.description
        == "setting policy: p.json: no policy\nsetting catalog: c.json: no catalogue"
    )
  }

  @Test("A service reaches itself at its first address, with TLS when it speaks that")
  func ownTarget_addresses_areReachable() throws {
    func target(_ json: String) throws -> ChannelTarget {
      let value = try JSONReader.read(Array(json.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
      return try ConfigurationReader.decode(value) { (members) throws(JSONDecodingError) in
        try ServiceSettings(&members, name: "auth", port: 7401, adminPort: 7411)
      }.ownTarget()
    }
    func host(_ json: String) throws -> String? { try target(json).endpoints[0].tlsHost }
    let tls = #""tls": {"certificate": "c", "key": "k"}"#
    let named = #""tls": {"certificate": "c", "key": "k", "server_name": "auth.internal"}"#
    #expect(try host("{}") == nil)
    #expect(try host("{\(tls)}") == "127.0.0.1")
    #expect(try host(#"{"listen": ["0.0.0.0:1"], \#(tls)}"#) == "127.0.0.1")
    #expect(try host(#"{"listen": ["[::]:1"], \#(tls)}"#) == "::1")
    #expect(try host(#"{"listen": ["192.0.2.1:1"], \#(named)}"#) == "auth.internal")
    #expect(try host(#"{"listen": ["unix:///a"], \#(named)}"#) == "auth.internal")
    #expect(throws: ConfigurationError.self) {
      try target(#"{"listen": ["unix:///a"], \#(tls)}"#)
    }
  }
}
