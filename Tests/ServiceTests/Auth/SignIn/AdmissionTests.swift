import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("Where attempts come from, and how many a source has")
struct AdmissionTests {
  private let key = [UInt8](repeating: 7, count: 32)

  private func address(_ host: String) throws -> SourceAddress? {
    SourceAddress(try #require(SocketAddress(host: host, port: 1)))
  }

  @Test("An IPv4 address is a source, a 64-bit prefix of IPv6 is, and mapped IPv4 is IPv4")
  func source_addresses_areCounted() throws {
    #expect(try address("192.0.2.1")?.bytes == [192, 0, 2, 1])
    #expect(try address("192.0.2.1") != address("192.0.2.2"))
    #expect(try address("2001:db8:1:2::1") == address("2001:db8:1:2:ffff::9"))
    #expect(try address("2001:db8:1:2::1") != address("2001:db8:1:3::1"))
    #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
    #expect(try address("64:ff9b::192.0.2.1") == address("192.0.2.1"))
    #expect(SourceAddress(.unix(path: "/run/a.sock")) == nil)
  }

  @Test("A peer counts as itself, on the same host only if that is set")
  func callSource_peer_isItself() throws {
    var settings = SourceLimits()
    func source(_ peer: String, _ settings: SourceLimits) -> CallSource {
      CallSource(peer: peer, told: [], by: nil, settings)
    }
    let remote = source("192.0.2.1:4711", settings)
    #expect(try remote.counted == address("192.0.2.1"))
    #expect(remote.network == "192.0.2.0/24")
    #expect(source("[2001:db8:1:2::9]:80", settings).network == "2001:db8:1::/48")
    for own in ["127.0.0.1:4711", "127.9.9.9:1", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
      #expect(source(own, settings).counted == nil)
      #expect(source(own, settings).address != nil)
    }
    #expect(source("unix", settings).address == nil)
    settings.countsLoopback = true
    #expect(try source("127.0.0.1:4711", settings).counted == address("127.0.0.1"))
    #expect(source("unix", settings).counted == nil)
  }

  @Test("Behind a Unix socket the user of the peer counts, if peers on the same host do")
  func callSource_unixPeer_isItsUser() {
    var settings = SourceLimits()
    func counted(_ user: String) -> SourceAddress? {
      CallSource(peer: "unix", user: user, told: [], by: nil, settings).counted
    }
    #expect(counted("unix:uid=1000") == nil)
    settings.countsLoopback = true
    #expect(counted("unix:uid=1000") != nil)
    #expect(counted("unix:uid=1000") == counted("unix:uid=1000"))
    #expect(counted("unix:uid=1000") != counted("unix:uid=1001"))
    // Nobody knows whose it is: "unix" would be an IPv4 address by its bytes.
    #expect(counted("unix") == nil)
    // An address goes before a user, whoever says so.
    let remote = CallSource(
      peer: "192.0.2.1:1",
      user: "unix:uid=1000",
      told: [],
      by: nil,
      settings
    )
    #expect(remote.counted?.bytes == [192, 0, 2, 1])
  }

  @Test("Wrong passwords through a Unix socket use up what their user may guess")
  func signIn_throughUnixSocket_isLimited() async throws {
    var ground = try AuthStage.Ground()
    ground.isOnUnixSocket = true
    ground.settings.sourceLimits.failures = 3
    ground.settings.sourceLimits.countsLoopback = true
    try await AuthStage.run(on: ground) { stage in
      for number in 0..<4 {
        let answer = await outcome {
          _ = try await stage.signIn("nobody\(number)@example.org", password: "wrong password")
        }
        let isLimited = answer == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS"
        #expect(isLimited == (number == 3), "\(number): \(answer)")
      }
      #expect(stage.metric("gatehouse_auth_source_refusals_total{method=\"SignIn\"}") == 1)
    }
  }

  @Test("Only a named service is believed when it tells the address of its client")
  func callSource_told_isBelievedOfNamedServices() throws {
    var settings = SourceLimits()
    func counted(_ told: [String], by service: String?) -> SourceAddress? {
      CallSource(peer: "198.51.100.1:80", told: told, by: service, settings).counted
    }
    let (gateway, client) = (try address("198.51.100.1"), try address("192.0.2.1"))
    #expect(counted(["192.0.2.1"], by: "gateway") == gateway)
    settings.trustedProxies = ["gateway"]
    #expect(counted(["192.0.2.1"], by: "gateway") == client)
    #expect(counted(["::ffff:192.0.2.1"], by: "gateway") == client)
    #expect(counted(["192.0.2.1"], by: "tenancy") == gateway)
    #expect(counted(["192.0.2.1"], by: nil) == gateway)
    // What is not exactly one address is nobody's.
    for told in [
      [], ["192.0.2.1", "192.0.2.2"], ["192.0.2.1, 192.0.2.2"], [""], ["192.0.2.1:80"], ["client"],
    ] {
      #expect(counted(told, by: "gateway") == gateway, "\(told)")
    }
    let source = CallSource(peer: "x:1", told: ["127.0.0.1"], by: "gateway", settings)
    #expect(try source.counted == address("127.0.0.1"), "the gateway's host is not ours")
    #expect(source.network == "127.0.0.0/24")
  }

  @Test("The client of a trusted proxy counts, and one that is unknown counts as the proxy")
  func callSource_forwarded_isTheClient() throws {
    var settings = SourceLimits()
    func source(_ peer: String, _ client: ForwardedClient?) -> CallSource {
      CallSource(
        peer: peer,
        user: "unix:uid=1000",
        told: ["192.0.2.9"],
        by: "gateway",
        forwarded: client,
        settings.rules
      )
    }
    let client = ForwardedClient(try #require(SocketAddress(host: "192.0.2.1", port: 0)))
    for peer in ["198.51.100.1:80", "127.0.0.1:80", "unix"] {
      let found = source(peer, client)
      #expect(try found.counted == address("192.0.2.1") && found.address == found.counted)
      #expect(found.network == "192.0.2.0/24")
    }
    // Of a proxy on this host nobody knows whom it calls for, so it is not as free as a tool.
    let unknown = ForwardedClient(unknownBehind: Peer(address: "127.0.0.1:80"))
    #expect(source("127.0.0.1:80", nil).counted == nil)
    #expect(try source("127.0.0.1:80", unknown).counted == address("127.0.0.1"))
    #expect(source("unix", nil).counted == nil)
    #expect(source("unix", unknown).counted == SourceAddress(unixPeer: "unix:uid=1000"))
    // A service that proves to be one is believed first.
    settings.trustedProxies = ["gateway"]
    #expect(try source("198.51.100.1:80", client).counted == address("192.0.2.9"))
  }

  @Test("A source spends its attempts at once and gets them back evenly")
  func limiter_attempts_comeBackEvenly() throws {
    let limiter = SourceLimiter(limit: 20, window: 600_000, sourceCount: 1024, key: key)
    let source = try #require(try address("192.0.2.1"))
    var now: Int64 = 1_800_000_000_000
    for _ in 0..<20 { #expect(limiter.take(source, now: now) == .taken) }
    #expect(limiter.take(source, now: now) == .refused(wait: 30_000))
    #expect(try limiter.take(#require(try address("192.0.2.2")), now: now) == .taken)
    now += 29_999
    #expect(limiter.take(source, now: now) == .refused(wait: 1))
    now += 1
    #expect(limiter.take(source, now: now) == .taken)
    #expect(limiter.take(source, now: now) == .refused(wait: 30_000))
    // One that was right costs nothing.
    limiter.giveBack(source)
    for _ in 0..<100 {
      #expect(limiter.take(source, now: now) == .taken)
      limiter.giveBack(source)
    }
    now += 600_000
    for _ in 0..<20 { #expect(limiter.take(source, now: now) == .taken) }
    #expect(limiter.take(source, now: now) != .taken)
    // A clock that is set back does not lock anybody out.
    #expect(limiter.take(source, now: now - 86_400_000) == .taken)
  }

  @Test("Extreme clocks neither trap nor lock out")
  func limiter_extremeTimes_areTaken() throws {
    let limiter = SourceLimiter(limit: 1, window: 60_000, sourceCount: 8, key: key)
    let source = try #require(try address("192.0.2.1"))
    for now in [0, .max, .min, .max - 1, 0, .min + 1] as [Int64] {
      _ = limiter.take(source, now: now)
      limiter.giveBack(source)
    }
    #expect(limiter.take(source, now: 1_800_000_000_000) == .taken)
  }

  @Test("Floods from made-up sources forget, but the one with the most attempts stays known")
  func limiter_manySources_staysBoundedAndKeepsTheWorst() throws {
    let limiter = SourceLimiter(limit: 20, window: 600_000, sourceCount: 1024, key: key)
    let worst = try #require(try address("2001:db8::1"))
    for _ in 0..<20 { #expect(limiter.take(worst, now: 0) == .taken) }
    for number in 0..<20_000 {
      let flood = SourceAddress(.ipv4([10, 0, UInt8(number >> 8), UInt8(number & 255)], port: 1))
      #expect(limiter.take(try #require(flood), now: 0) == .taken)
    }
    #expect(limiter.take(worst, now: 0) != .taken)
  }

  @Test("A source that fails at many accounts is noticed once in a window")
  func limiter_manyAccounts_isNoticed() throws {
    let limiter = SourceLimiter(limit: 100, window: 600_000, sourceCount: 1024, key: key)
    let source = try #require(try address("192.0.2.1"))
    func noticed(_ accounts: Range<Int>, now: Int64) -> Int {
      accounts.count { number in
        _ = limiter.take(source, now: now)
        return limiter.isGuessing(source, account: Array("account \(number)".utf8))
      }
    }
    #expect(noticed(0..<5, now: 0) == 0)
    #expect(noticed(0..<5, now: 0) == 0, "the same accounts again are not more")
    #expect(noticed(5..<40, now: 0) == 1)
    #expect(noticed(0..<40, now: 10_000_000) == 1)
  }

  @Test("Where an account was signed in to is known for 30 days, and for that account alone")
  func successes_pairs_areRemembered() throws {
    let successes = RecentSuccesses(key: key)
    let (here, there) = (try #require(try address("192.0.2.1")), try address("192.0.2.2"))
    let (ada, eve) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    successes.insert(ada, here, now: 1000)
    #expect(successes.contains(ada, here, now: 1000 + RecentSuccesses.lifetime - 1))
    #expect(!successes.contains(ada, here, now: 1000 + RecentSuccesses.lifetime))
    #expect(!successes.contains(eve, here, now: 1000))
    #expect(try !successes.contains(ada, #require(there), now: 1000))
  }

  @Test("A device token is good for its account for 90 days, and no other text is")
  func deviceToken_texts_areTold() throws {
    let tokens = DeviceTokens(secret: HMACKey(key))
    let (ada, eve) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    let device = tokens.device(of: "ses_1")
    #expect(device == tokens.device(of: "ses_1"))
    #expect(device != tokens.device(of: "ses_2"))
    let now: Int64 = 1_800_000_000_000
    let text = tokens.token(device, of: ada, now: now)
    let read = KnownDevice(name: device.name, lastSignIn: now)
    #expect(tokens.read(text, of: ada, now: now) == read)
    #expect(tokens.read(text, of: ada, now: now - 1_000_000) == read, "a clock set back")
    #expect(tokens.read(text, of: ada, now: now + DeviceTokens.lifetime - 1) == read)
    #expect(tokens.read(text, of: ada, now: now + DeviceTokens.lifetime) == nil)
    #expect(tokens.read(text, of: eve, now: now) == nil)
    let other = DeviceTokens(secret: HMACKey([UInt8](repeating: 8, count: 32)))
    #expect(other.read(text, of: ada, now: now) == nil)
    for place in text.indices {
      var changed = text
      changed.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
      #expect(tokens.read(changed, of: ada, now: now) == nil)
    }
    for rubbish in ["", "A", text + "A", text + "=", String(text.dropLast(4)), "é"] {
      #expect(tokens.read(rubbish, of: ada, now: now) == nil, "\(rubbish)")
    }
  }
}
