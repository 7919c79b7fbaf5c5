import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Keys of identity providers")
struct ProviderKeysTests {
  private let clock = ManualClock()
  private let registry = MetricRegistry()
  private let sink = CollectingSink()

  private func keys(_ origin: any KeySetOrigin) -> ProviderKeys {
    ProviderKeys(
      of: "apple",
      origin,
      uptime: { [clock] in clock.uptime },
      logger: Logger(label: "test", level: .trace, sink: sink),
      fetches: registry.counters(
        "fetches_total",
        help: "Fetches.",
        labels: ["provider", "outcome"]
      )
    )
  }

  /// `found`, `unknown` or `unavailable`.
  private func ask(_ keys: ProviderKeys, _ id: String = TestProvider.keyID) async -> String {
    switch await keys.key(TokenKeyName(id: id, algorithm: "RS256")) {
    case .key: "found"
    case .unknown: "unknown"
    case .unavailable: "unavailable"
    }
  }

  @Test("Keys are fetched when they are needed, and again when they are old")
  func key_old_isFetchedAgain() async {
    let origin = TestProvider.apple(clock)
    let keys = keys(origin)
    #expect(origin.readCount == 0)
    for _ in 0..<10 { #expect(await ask(keys) == "found") }
    #expect(origin.readCount == 1)
    clock.advance(3_600_000 - 1)
    #expect(await ask(keys) == "found")
    #expect(origin.readCount == 1)
    clock.advance(1)
    #expect(await ask(keys) == "found")
    #expect(origin.readCount == 2)
  }

  @Test(
    "What the provider says of caching holds between five minutes and a day",
    arguments: [(0, 300), (299, 300), (301, 301), (86_400, 86_400), (1_000_000, 86_400)]
  )
  func lifetime_ofAnswer_isClamped(said: Int64, used: Int64) async {
    let origin = TestProvider.apple(clock)
    origin.change { $0.lifetime = .seconds(said) }
    let keys = keys(origin)
    #expect(await ask(keys) == "found")
    clock.advance(used * 1000 - 1)
    #expect(await ask(keys) == "found")
    #expect(origin.readCount == 1)
    clock.advance(1)
    #expect(await ask(keys) == "found")
    #expect(origin.readCount == 2)
  }

  @Test(
    "Cache-Control is read as RFC 9111 has it",
    arguments: [
      ("", nil), ("max-age=300", 300), ("public, max-age=19800, must-revalidate", 19_800),
      ("Max-Age=\"60\"", 60), ("max-age=-1", nil), ("max-age=", nil), ("max-age=1x", nil),
      ("max-age=99999999999999999999", 86_400), ("no-cache, max-age=600", 0), ("NO-STORE", 0),
      ("s-maxage=5", nil),
    ] as [(String, Int64?)]
  )
  func cacheControl_directives_areRead(text: String, seconds: Int64?) {
    #expect(KeySetDocument.lifetime(text) == seconds.map { .seconds($0) })
  }

  @Test("An unknown key makes all who wait ask once, and nobody again within a minute")
  func unknownKey_manyAtOnce_askOnce() async {
    let origin = TestProvider.apple(clock)
    let keys = keys(origin)
    #expect(await ask(keys) == "found")
    clock.advance(60_000)
    origin.change { $0.isHeld = true }
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { await ask(keys, "key-2") } }
      while origin.readCount < 2 { await Task.yield() }
      origin.change { $0.json = TestProvider.set([TestProvider.jwk("key-2")]) }
      origin.letGo()
      for await answer in group { #expect(answer == "found") }
    }
    #expect(origin.readCount == 2)
    // The one that went is gone with the set. It may be back, but nobody asks for that now.
    #expect(await ask(keys) == "unavailable")
    #expect(origin.readCount == 2)
    clock.advance(59_999)
    #expect(await ask(keys) == "unavailable")
    #expect(origin.readCount == 2)
    clock.advance(1)
    #expect(await ask(keys) == "unknown")
    #expect(origin.readCount == 3)
  }

  @Test("A key that the provider does not have is not asked for again for five minutes")
  func missingKey_again_isRemembered() async {
    let origin = TestProvider.apple(clock)
    let keys = keys(origin)
    #expect(await ask(keys, "none") == "unknown")
    #expect(origin.readCount == 1)
    clock.advance(60_000)
    #expect(await ask(keys, "none") == "unknown")
    #expect(origin.readCount == 1)
    // Another unknown one is asked for, and brings what was missing.
    origin.change { $0.json = TestProvider.set([TestProvider.jwk(), TestProvider.jwk("none")]) }
    #expect(await ask(keys, "other") == "unknown")
    #expect(origin.readCount == 2)
    #expect(await ask(keys, "none") == "found")
    clock.advance(300_000)
    #expect(await ask(keys, "other") == "unknown")
    #expect(origin.readCount == 3)
  }

  @Test("While the provider is down the last good keys count, and it is asked once a minute")
  func key_providerDown_isTheLastGoodOne() async {
    let origin = TestProvider.apple(clock)
    let keys = keys(origin)
    #expect(await ask(keys) == "found")
    clock.advance(3_600_000)
    origin.change { $0.isDown = true }
    for _ in 0..<10 { #expect(await ask(keys) == "found") }
    #expect(origin.readCount == 2)
    // Whether there is another one cannot be said.
    #expect(await ask(keys, "key-2") == "unavailable")
    clock.advance(60_000)
    // An empty set is as bad as none, and takes the pause as well.
    origin.change { state in
      state.isDown = false
      state.json = TestProvider.set([])
    }
    for _ in 0..<10 { #expect(await ask(keys) == "found") }
    #expect(origin.readCount == 3)
    clock.advance(60_000)
    origin.change { $0.json = TestProvider.set([TestProvider.jwk("key-2")]) }
    #expect(await ask(keys, "key-2") == "found")
    #expect(await ask(keys) == "unavailable")
    #expect(sink.lines.count == 2)
    #expect(sink.lines.first?.contains("cannot be read") == true)
    #expect(sink.lines.last?.contains("can be read again") == true)
  }

  @Test("Without any keys nothing can be said, and the provider is not asked for each token")
  func key_neverFetched_isUnavailable() async {
    let origin = TestProvider.apple(clock)
    origin.change { $0.isDown = true }
    let keys = keys(origin)
    for _ in 0..<10 { #expect(await ask(keys) == "unavailable") }
    #expect(origin.readCount == 1)
    origin.change { $0.isDown = false }
    clock.advance(60_000)
    #expect(await ask(keys) == "found")
  }

  @Test("A file is read again when it changes, at most every five seconds")
  func file_changed_isReadAgain() async throws {
    let folder = try StoreFolder()
    let path = "\(folder.path)/socket"
    func write(_ id: String) throws {
      try FileBytes.write(TestProvider.set([TestProvider.jwk(id)]).text, to: path)
    }
    try write("first")
    let keys = keys(KeySetFile(path: path))
    #expect(await ask(keys, "first") == "found")
    try write("second")
    #expect(await ask(keys, "second") == "unavailable")
    clock.advance(5000)
    #expect(await ask(keys, "second") == "found")
    #expect(await ask(keys, "first") == "unavailable")
    clock.advance(5000)
    #expect(await ask(keys, "first") == "unknown")
  }

  @Test("Entries that are no keys of ours are left out, and a set of nothing else is none")
  func set_foreignEntries_areLeftOut() throws {
    func read(_ keys: [JSONObject]) throws -> Set<String> {
      try ProviderKeySet(json: Array(TestProvider.set(keys).text.utf8)).ids
    }
    func jwk(_ id: String, _ change: (inout JSONObject) -> Void) -> JSONObject {
      var jwk = TestProvider.jwk(id)
      change(&jwk)
      return jwk
    }
    let good = TestProvider.jwk()
    let curve = SigningKey.generate().verificationKey.jwk
    let others = [
      jwk("for encryption") { $0["use"] = "enc" },
      jwk("other algorithm") { $0["alg"] = "RS512" }, jwk("other kind") { $0["kty"] = "oct" },
      jwk("no modulus") { $0["n"] = nil }, jwk("short") { $0["n"] = "AQAB" },
      jwk("even exponent") { $0["e"] = "Ag" }, jwk("cut short") { $0["e"] = "AQAB=" },
      jwk("not for verifying") { $0["key_ops"] = ["sign"] },
      jwk("off the curve") { jwk in
        jwk["kty"] = "EC"
        jwk["alg"] = "ES256"
        jwk["crv"] = "P-256"
        jwk["x"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
        jwk["y"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
      },
    ]
    #expect(
      try read([
        jwk("padded") { jwk in
          let padding = ["", "", "==", "="][(jwk["n"]?.string ?? "").utf8.count % 4]
          jwk["n"] = jwk["n"]?.string.map { .string($0 + padding) }
        },
        jwk("leading zero") {
          $0["n"] = .string(Base64URL.encode([0] + RSATestKey.shared.modulus))
        },
        jwk("nulls") { jwk in
          for name in ["use", "key_ops", "alg", "x5c"] { jwk[name] = .null }
        },
        jwk("") { $0["kid"] = nil },
      ]) == ["padded", "leading zero", "nulls"]
    )
    let name = try #require(curve["kid"]?.string)
    #expect(try read(others + [good, curve]) == [TestProvider.keyID, name])
    #expect(throws: JSONDecodingError.self) { try read(others) }
    #expect(throws: JSONDecodingError.self) { try read([]) }
    for text in ["", "[]", "{}", #"{"keys": {}}"#, #"{"keys": [1]}"#] {
      #expect(throws: JSONDecodingError.self) { try ProviderKeySet(json: Array(text.utf8)) }
    }
    let many = (0...100).map { TestProvider.jwk("key-\($0)") }
    #expect(throws: JSONDecodingError.self) { try read(many) }
    #expect(try read(Array(many.prefix(100))).count == 100)
    let large = #"{"pad": "\#(String(repeating: "x", count: 64 * 1024))", "keys": []}"#
    #expect(throws: JSONDecodingError.self) { try ProviderKeySet(json: Array(large.utf8)) }
  }
}
