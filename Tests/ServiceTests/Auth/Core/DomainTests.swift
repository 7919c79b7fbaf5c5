import ServiceKit
import Testing

@testable import AuthService

@Suite("Rules of AuthService")
struct DomainTests {
  @Test("A password is refused for its length, for being common, and for being part of the address")
  func policy_objections_areExact() {
    let policy = PasswordPolicy()
    func objection(_ password: String) -> PasswordPolicy.Objection? {
      policy.objection(to: password, email: "Ada.Lovelaceby@Engines.example")
    }
    #expect(objection("1234567") == .length)
    #expect(objection(String(repeating: "x", count: 1025)) == .length)
    #expect(objection(String(repeating: "xy", count: 512)) == nil)
    #expect(objection("password") == .common)
    #expect(objection("PassWord1") == .common)
    #expect(objection("12345678") == .common)
    #expect(objection("LOVELACEBY") == .partOfEmail)
    #expect(objection("ada.lovelaceby") == .partOfEmail)
    #expect(objection("ada.lovelaceby@engines.example") == .partOfEmail)
    #expect(objection("ada.lovelaceby and more") == nil)
    // Code points count, composed where they can be, so that no keyboard makes a password longer.
    #expect(objection("éàüñçõš") == .length)
    #expect(objection("e\u{301}a\u{300}u\u{308}n\u{303}c\u{327}o\u{303}s\u{30C}") == .length)
    #expect(objection("éàüñçõšž") == nil)
    #expect(objection("日本語の合言葉") == .length)
    #expect(objection("日本語の合言葉だ") == nil)
  }

  @Test(
    "Passwords that many have are refused, whatever list has them, and with letters replaced",
    arguments: [
      "123123123", "987654321", "88888888", "michelle", "basketball", "Basketball", "password",
      "iloveyou1", "sunshine", "superman", "princess1", "football", "trustno1", "1q2w3e4r",
      "qwertyuiop", "11111111", "abcd1234", "jennifer", "computer", "elizabeth",
      "p@ssw0rd", "P@$$W0RD", "p4ssw0rd", "passw0rd1", "b4sk3tb4ll", "M1chelle", "!loveyou",
      "$un$h1ne", "f00tb411", "unifiedsmarthome",
    ]
  )
  func password_common_isRefused(password: String) {
    #expect(PasswordPolicy().objection(to: password, email: "x@example.org") == .common)
  }

  @Test(
    "Passwords that few have are taken",
    arguments: [
      "correct horse battery", "Tr0ub4dor&3x", "kf83hslw", "mein hund frisst gern", "8f3k-29sd",
      "password of my own making", "zwölf Boxkämpfer",
    ]
  )
  func password_rare_isTaken(password: String) {
    #expect(PasswordPolicy().objection(to: password, email: "x@example.org") == nil)
  }

  @Test("The list of common passwords is in order and complete")
  func commonPasswords_table_isInOrder() throws {
    let bytes = try #require(Base64URL.decode(CommonPasswords.entries))
    #expect(bytes.count == CommonPasswords.count * CommonPasswords.entryByteCount)
    #expect(CommonPasswords.count > 10_000)
    let size = CommonPasswords.entryByteCount
    for start in stride(from: size, to: bytes.count, by: size) {
      let (left, right) = (bytes[start - size..<start], bytes[start..<start + size])
      #expect(left.lexicographicallyPrecedes(right))
    }
  }

  @Test("Limits of sources are read from settings, and wrong ones are named")
  func settings_sourceLimits_areRead() throws {
    func read(_ json: String) throws -> SourceLimits {
      let value = try JSONReader.read(Array(json.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
      return try ConfigurationReader.decode(value) { (members) throws(JSONDecodingError) in
        try AuthSettings(&members)
      }.sourceLimits
    }
    let standard = try read("{}")
    #expect(standard.failures == 20)
    #expect(standard.signUps == 20)
    #expect(standard.window == 600_000)
    #expect(standard.trustedProxies.isEmpty)
    #expect(!standard.countsLoopback)
    let limits = try read(
      """
      {"source_limits": {"failures": 5, "sign_ups": 6, "window_minutes": 7, "sources": 2048,
                         "trusted_proxies": ["gateway"], "loopback": true}}
      """
    )
    #expect(limits.failures == 5)
    #expect(limits.signUps == 6)
    #expect(limits.window == 420_000)
    #expect(limits.sourceCount == 2048)
    #expect(limits.trustedProxies == ["gateway"])
    #expect(limits.countsLoopback)
    for (setting, value) in [
      ("failures", "0"), ("sign_ups", "-1"), ("window_minutes", "1441"), ("sources", "1"),
      ("trusted_proxies", "\"gateway\""), ("loopback", "1"), ("failure", "1"),
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try read("{\"source_limits\": {\"\(setting)\": \(value)}}")
      }
      #expect(error?.description.contains("source_limits.\(setting)") == true)
    }
    let removed = #expect(throws: ConfigurationError.self) {
      try read(#"{"source_limits": {"unknown_addresses": 50}}"#)
    }
    #expect(removed?.description.contains("source_limits.unknown_addresses: was removed") == true)
  }

  @Test("A password record survives its text, and what is not one is refused")
  func record_text_roundTrips() {
    let record = PasswordRecord(
      pepperVersion: 3,
      cost: .standard,
      salt: [UInt8](0..<16),
      tag: [UInt8](224...255)
    )
    #expect(record.text.hasPrefix("3:$argon2id$v=19$m=19456,t=2,p=1$"))
    #expect(PasswordRecord(record.text) == record)
    #expect(!record.isOutdated(cost: .standard, pepperVersion: 3))
    #expect(record.isOutdated(cost: .standard, pepperVersion: 4))
    #expect(record.isOutdated(cost: PasswordCost(memory: 47_104, passes: 1), pepperVersion: 3))
    let text = record.text
    for changed in [
      "", ":", "x" + text, String(text.dropFirst()), String(text.dropLast()), text + "$",
      text.replacing("m=19456", with: "m=1000000000"), text.replacing("t=2", with: "t=11"),
      text.replacing("p=1", with: "p=2"), text.replacing("v=19", with: "v=16"),
      text.replacing("argon2id", with: "argon2i"), text.replacing("t=2,", with: "t=2,t=2,"),
      text.replacing("m=19456", with: "m=-1"), text.replacing("3:", with: "-3:"),
    ] {
      #expect(PasswordRecord(changed) == nil, "\(changed)")
    }
  }

  @Test("Five attempts are free, then each waits twice as long, at most fifteen minutes")
  func attempts_failures_waitLonger() {
    var counter = AttemptCounter()
    var now: Int64 = 1_000_000
    var waits: [Int64] = []
    for _ in 0..<20 {
      #expect(reserve(&counter, now))
      waits.append(counter.until - now)
      if counter.until > now {
        var early = counter
        #expect(!reserve(&early, counter.until - 1))
        #expect(early == counter)
      }
      now = counter.until
    }
    let seconds = waits.map { $0 / 1000 }
    #expect(seconds.prefix(6) == [0, 0, 0, 0, 1, 2])
    #expect(seconds[10] == 64)
    #expect(seconds.suffix(3) == [900, 900, 900])
  }

  @Test("Free attempts do not wait for the clock of the one before; others do")
  func attempts_clocksDiffer_freeOnesDoNotWait() {
    var counter = AttemptCounter()
    for now in [20_000, 10_000, 19_999, 0, 30_000] as [Int64] {
      #expect(reserve(&counter, now))
    }
    #expect(counter.failures == AttemptCounter.freeCount)
    #expect(!reserve(&counter, 30_999))
    let policy = PinPolicy()
    var pin = PinAttempts()
    for now in [20_000, 10_000] as [Int64] {
      #expect(pin.reserve(policy, now: now) == .taken)
    }
  }

  @Test("Counting stops at the largest number, and a clock that was set back locks nobody out")
  func attempts_extremes_doNotLock() {
    var counter = AttemptCounter(failures: .max, last: 1000, until: 0)
    #expect(reserve(&counter, 2000))
    #expect(counter.failures == .max)
    #expect(counter.until == 2000 + AttemptCounter.waitMax)
    var future = AttemptCounter(failures: 9, last: 1 << 50, until: 1 << 50)
    #expect(reserve(&future, 1000))
    var stale = AttemptCounter(failures: 50, last: 0, until: 0)
    #expect(reserve(&stale, AttemptCounter.quietMax + 1))
    #expect(stale.failures == 1)
    var edge = AttemptCounter(failures: 5, last: .max, until: .max)
    _ = edge.reserve(now: .max)
    _ = edge.reserve(now: .min)
  }

  private func reserve(_ counter: inout AttemptCounter, _ now: Int64) -> Bool {
    counter.reserve(now: now)
  }

  private func take(
    _ state: inout RefreshState,
    _ shown: UInt32,
    _ now: Int64
  ) -> RefreshState.Outcome {
    state.take(shown, now: now, lifetimes: lifetimes)
  }

  private let lifetimes = SessionLifetimes(idle: 1000_000, absolute: 5000_000, countMax: 3)

  private func state(generation: UInt32 = 5, isRevoked: Bool = false) -> RefreshState {
    RefreshState(
      generation: generation,
      rotated: 100_000,
      idleEnd: 1_100_000,
      absoluteEnd: 1_500_000,
      isRevoked: isRevoked
    )
  }

  @Test("The newest refresh token makes the next one, and moves the end of the session")
  func refresh_newest_rotates() {
    var state = state()
    #expect(take(&state, 5, 200_000) == .rotated)
    #expect(state.generation == 6)
    #expect(state.rotated == 200_000)
    #expect(state.idleEnd == 1_200_000)
    #expect(take(&state, 6, 1_100_000) == .rotated)
    #expect(state.idleEnd == 1_500_000, "never past the absolute end")
    #expect(take(&state, 7, 1_500_000) == .refused)
  }

  @Test("The one before is taken again for thirty seconds and changes nothing but their count")
  func refresh_previousInGrace_repeats() {
    var state = state()
    var before = state
    #expect(take(&state, 4, 100_000) == .repeated)
    #expect(take(&state, 4, 130_000) == .repeated)
    before.repeatCount = 2
    #expect(state == before)
    #expect(take(&state, 4, 130_001) == .reused)
    #expect(state.isRevoked)
    #expect(take(&state, 5, 130_002) == .refused)
  }

  @Test("Using the successor ends the grace of its predecessor")
  func refresh_previousAfterSuccessorWasUsed_isReuse() {
    var state = state()
    #expect(take(&state, 5, 100_001) == .rotated)
    #expect(take(&state, 4, 100_002) == .reused)
    #expect(state.isRevoked)
  }

  @Test("What is over, revoked or from the future is refused and changes nothing")
  func refresh_endedOrFuture_isRefused() {
    for (shown, now, start) in [
      (5, 1_100_000, state()), (4, 1_100_000, state()), (1, 1_100_000, state()),
      (5, 200_000, state(isRevoked: true)), (1, 200_000, state(isRevoked: true)),
      (6, 200_000, state()), (UInt32.max, 200_000, state()),
      (UInt32.max, 200_000, state(generation: .max)),
    ] as [(UInt32, Int64, RefreshState)] {
      var changed = start
      #expect(take(&changed, shown, now) == .refused)
      #expect(changed == start)
    }
  }

  @Test("A refresh token says what it was made for, and every change makes it nothing")
  func refreshToken_anyChange_isRefused() throws {
    let keys = try #require(RefreshTokenKeys([1: [UInt8](repeating: 1, count: 32)]))
    let token = keys.token(session: "ses_x", generation: 77)
    #expect(keys.token(session: "ses_x", generation: 77) == token)
    let read = try #require(keys.read(token))
    #expect(read.session == "ses_x")
    #expect(read.generation == 77)
    let letters = Array(token)
    for index in letters.indices {
      var changed = letters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(keys.read(String(changed)) == nil)
    }
    for text in ["", "A", String(token.dropLast()), token + "A", token + "=", "é"] {
      #expect(keys.read(text) == nil)
    }
    let renewed = try #require(
      RefreshTokenKeys([
        1: [UInt8](repeating: 1, count: 32), 2: [UInt8](repeating: 2, count: 32),
      ])
    )
    #expect(renewed.read(token) != nil)
    #expect(keys.read(renewed.token(session: "ses_x", generation: 77)) == nil)
    #expect(RefreshTokenKeys([:]) == nil)
    #expect(RefreshTokenKeys([1: [1]]) == nil)
  }

  @Test("The session that was idle longest makes room")
  func sessions_tooMany_oldestGoes() {
    #expect(lifetimes.evicted([("a", 1), ("b", 2)]).isEmpty)
    #expect(lifetimes.evicted([("a", 3), ("b", 2), ("c", 1)]) == ["c"])
    #expect(lifetimes.evicted([("a", 3), ("b", 2), ("c", 1), ("d", 0)]) == ["d", "c"])
  }

  @Test("A key is made ten minutes before it signs, and published until its tokens have ended")
  func rotation_overTime_overlaps() {
    let rotation = SigningKeyRotation(period: 1000, lead: 100, overlap: 50)
    #expect(rotation.plan([], now: 7, confirmed: 7) == .init(newKeyFrom: 7, retired: []))
    let first = [(id: "a", from: Int64(0))]
    #expect(rotation.plan(first, now: 899, confirmed: 899) == .init(newKeyFrom: nil, retired: []))
    #expect(rotation.plan(first, now: 900, confirmed: 900) == .init(newKeyFrom: 1000, retired: []))
    // Down for long: the old key signs on until the new one is known everywhere.
    #expect(
      rotation.plan(first, now: 5000, confirmed: 5000) == .init(newKeyFrom: 5100, retired: [])
    )
    let both = first + [(id: "b", from: Int64(1000))]
    #expect(rotation.signer(both, now: 999) == "a")
    #expect(rotation.signer(both, now: 1000) == "b")
    #expect(rotation.plan(both, now: 1050, confirmed: 1050) == .init(newKeyFrom: nil, retired: []))
    #expect(
      rotation.plan(both, now: 1051, confirmed: 1051) == .init(newKeyFrom: nil, retired: ["a"])
    )
    #expect(rotation.end(from: 0, successor: 1000, now: 500) == 1050)
    #expect(rotation.end(from: 0, successor: nil, now: 5000) == 5150)
  }

  @Test("A key is made when none signs now, whatever clock the others were made by")
  func rotation_clockWasAhead_makesAKey() {
    let rotation = SigningKeyRotation(period: 1000, lead: 100, overlap: 50)
    let ahead = [(id: "a", from: Int64(50_000))]
    #expect(rotation.plan(ahead, now: 7, confirmed: 7) == .init(newKeyFrom: 7, retired: []))
    // Set right by a little: the key that is due soon stays the next one.
    #expect(rotation.plan(ahead, now: 49_950, confirmed: 0).newKeyFrom == 49_950)
    // With the new one everything continues as if the other were not there.
    let both = [(id: "b", from: Int64(7))] + ahead
    #expect(rotation.plan(both, now: 906, confirmed: 906) == .init(newKeyFrom: nil, retired: []))
    #expect(rotation.plan(both, now: 907, confirmed: 907) == .init(newKeyFrom: 1007, retired: []))
    #expect(rotation.signer(both, now: 49_999) == "b")
  }

  @Test("No key is retired on the word of the wall clock alone, in either direction")
  func rotation_clockJumps_retiresNothing() {
    let rotation = SigningKeyRotation(period: 1000, lead: 100, overlap: 50)
    let keys = [(id: "a", from: Int64(0)), (id: "b", from: 1000)]
    #expect(rotation.plan(keys, now: 1_000_000, confirmed: 1020).retired == [])
    #expect(
      rotation.plan(keys, now: -1_000_000, confirmed: 1020)
        == .init(newKeyFrom: -1_000_000, retired: [])
    )
    #expect(rotation.plan(keys, now: 1051, confirmed: 1051).retired == ["a"])
    // A clock that jumps about makes some keys and not any number of them.
    let many = (1...9).map { (id: "f\($0)", from: Int64($0) * 1_000_000) }
    #expect(rotation.plan(many, now: 0, confirmed: 0).retired == (5...9).map { "f\($0)" })
  }

  @Test("A default is chosen when the first role appears, and cleared when its role goes")
  func default_rolesChange_follows() {
    let nowhere: (String) -> Bool = { _ in false }
    #expect(DefaultChoice.none.following([], reaches: nowhere) == .none)
    #expect(DefaultChoice.none.following(["a", "b"], reaches: nowhere) == .chosen("a"))
    #expect(DefaultChoice.chosen("a").following(["b", "a"], reaches: nowhere) == .chosen("a"))
    #expect(DefaultChoice.chosen("a").following(["b"], reaches: nowhere) == .cleared)
    #expect(DefaultChoice.chosen("a").following([], reaches: nowhere) == .none)
    #expect(DefaultChoice.chosen("a").following([], reaches: { $0 == "a" }) == .chosen("a"))
    #expect(DefaultChoice.cleared.following(["b"], reaches: nowhere) == .cleared)
    #expect(DefaultChoice.cleared.following([], reaches: nowhere) == .none)
    for choice in [DefaultChoice.none, .chosen("a"), .cleared] {
      #expect(DefaultChoice(stored: choice.stored) == choice)
    }
  }

  @Test("Addresses are compared without regard to ASCII case, and kept as they are")
  func email_case_isIgnored() {
    #expect(EmailAddress("Ada@Example.ORG").key == EmailAddress("ada@example.org").key)
    #expect(EmailAddress("Ada@Example.ORG").text == "Ada@Example.ORG")
    #expect(EmailAddress("É@x").key == "É@x")
  }

  @Test("A session keeps the network, not the host")
  func network_address_isCoarse() {
    #expect(CoarseNetwork.name(of: "192.0.2.77:4040") == "192.0.2.0/24")
    #expect(CoarseNetwork.name(of: "[2001:db8:7:8::9]:4040") == "2001:db8:7::/48")
    for odd in ["unix", "", ":", "[::1]:1", "1.2.3:4", "1.2.3.4.5:6", "a.b.c.d:1"] {
      #expect(CoarseNetwork.name(of: odd) == "")
    }
  }

  @Test("Lifetimes of access tokens differ by five percent at most, downwards")
  func lifetime_anyChance_isWithinBounds() {
    var seen: Set<Int64> = []
    for number in 0..<200 {
      let lifetime = AccessTokenLifetime.standard.shortened(by: [0, 0, UInt8(number), 0x5A])
      #expect((570_000...600_000).contains(lifetime))
      seen.insert(lifetime)
    }
    #expect(seen.count > 10)
  }
}
