import RPCKit
import ServiceKit
import Synchronization
import Testing

@testable import AuthService

@Suite("Passwords and the threads that hash them")
struct PasswordTests {
  private let cost = PasswordCost(memory: 8, passes: 1)
  private let ada = HashShare(user: "ada")

  private func hasher(_ peppers: [Int: UInt8], cost: PasswordCost? = nil) throws -> PasswordHasher {
    let keys = peppers.mapValues { [UInt8](repeating: $0, count: 32) }
    return PasswordHasher(
      cost: cost ?? self.cost,
      peppers: try #require(Peppers(keys)),
      random: SystemRandomSource()
    )
  }

  @Test("The right password is right, every other one wrong, and no record is always wrong")
  func check_passwords_areTold() throws {
    let hasher = try hasher([1: 7])
    let record = try hasher.record(of: "pass\u{0}word")
    #expect(try hasher.check("pass\u{0}word", against: record))
    #expect(try !hasher.check("pass", against: record))
    #expect(try !hasher.check("pass\u{0}word ", against: record))
    #expect(try !hasher.check("pass\u{0}word", against: nil))
    #expect(try hasher.record(of: "pass\u{0}word") != record, "salts differ")
  }

  @Test("A record needs its pepper, and is renewed when pepper or cost change")
  func check_pepperChanges_isToldOutdated() throws {
    let old = try hasher([1: 7])
    let record = try old.record(of: "password")
    #expect(try !hasher([1: 8]).check("password", against: record))
    #expect(try !hasher([2: 7]).check("password", against: record))
    let both = try hasher([1: 7, 2: 9])
    #expect(try both.check("password", against: record))
    #expect(both.isOutdated(record))
    #expect(!old.isOutdated(record))
    #expect(try hasher([1: 7], cost: PasswordCost(memory: 16, passes: 1)).isOutdated(record))
  }

  @Test(
    "A record of a lower cost takes the work of today's with what is computed besides",
    arguments: [
      PasswordCost(memory: 8, passes: 1), PasswordCost(memory: 7168, passes: 5),
      PasswordCost(memory: 19_456, passes: 1), PasswordCost(memory: 19_456, passes: 2),
      PasswordCost(memory: 9216, passes: 4), PasswordCost(memory: 12_288, passes: 3),
    ]
  )
  func supplement_lowerCost_makesWorkEqual(_ cost: PasswordCost) {
    let today = PasswordCost(memory: 47_104, passes: 3)
    let rest = cost.supplement(to: today)
    // But for less than the smallest hash.
    let missing = today.work - cost.work - (rest?.work ?? 0)
    #expect((0..<PasswordCost.memoryRange.lowerBound * today.passes).contains(missing))
    #expect(today.supplement(to: today) == nil)
    #expect(today.supplement(to: cost) == nil)
  }

  @Test("A wrong password takes the same work for an older record and for none")
  func check_olderRecord_takesTheSameWork() throws {
    let now = try hasher([1: 7], cost: PasswordCost(memory: 16_384, passes: 4))
    let record = try hasher([1: 7]).record(of: "password")
    func time(_ body: () throws -> Bool) throws -> Duration {
      var best = Duration.seconds(100)
      for _ in 0..<5 {
        var isRight = true
        let taken = try ContinuousClock().measure { isRight = try body() }
        #expect(!isRight)
        best = min(best, taken)
      }
      return best
    }
    let known = try time { try now.check("wrong", against: record) }
    let unknown = try time { try now.check("wrong", against: nil) }
    #expect(known > unknown / 2 && known < unknown * 2, "\(known) and \(unknown)")
    #expect(try now.check("password", against: record))
  }

  @Test("The tag is that of the reference implementation of Argon2")
  func argon2id_vector_matches() throws {
    // argon2 "password" with salt "somesaltsomesalt", -id -t 2 -k 65536 -p 1 -l 32.
    let tag = try #require(
      Argon2id.tag(
        password: Array("password".utf8),
        salt: Array("somesaltsomesalt".utf8),
        cost: PasswordCost(memory: 65_536, passes: 2)
      )
    )
    #expect(Base64URL.encode(tag) == "_DO3gTkjHTS3Fia9YkXB1y76GQrWBcPYFmpyrc7fosI")
  }

  @Test("More than two seconds of work is refused at once, and a permit is free after its job")
  func pool_full_sheds() async throws {
    let registry = MetricRegistry()
    let pool = try HashPool(threadCount: 1, metrics: registry)
    let gate = Gate()
    var permits = pool.fill(.ordinary)
    // 40 ms are assumed before anything was measured: 50 places, and three quarters for a lane.
    #expect(permits.count == 37)
    permits += pool.fill(.trusted)
    #expect(permits.count == 50)
    #expect(pool.count == 50)
    let refusal = #expect(throws: RPCError.self) { try pool.reserve(.ordinary, for: ada) }
    #expect(refusal?.code == .resourceExhausted)
    #expect(refusal?.details.contains { $0.typeURL.hasSuffix("RetryInfo") } == true)
    // A caller that goes away before its job begins gives its place back …
    permits.removeLast()
    #expect(pool.count == 49)
    let taken = permits.popLast()
    let last = try #require(taken)
    permits = []
    #expect(pool.count == 1)
    // … and one that goes away while it runs does not.
    let running = Task { try await pool.run(last) { gate.pass() } }
    await gate.waitUntilReached()
    running.cancel()
    #expect(pool.count == 1)
    gate.open()
    try await running.value
    pool.stop()
    #expect(pool.count == 0)
  }

  @Test("A flood in one lane leaves places to the other, and each is counted for itself")
  func pool_ordinaryFull_trustedIsTaken() async throws {
    let registry = MetricRegistry()
    let pool = try HashPool(threadCount: 1, metrics: registry)
    let places = HeldPlaces(of: pool, .ordinary)
    let trusted = try pool.reserve(.trusted, for: ada)
    let lines = String(decoding: registry.render(), as: UTF8.self).split(separator: "\n")
    #expect(lines.contains(#"gatehouse_auth_password_hashes_shed_total{lane="ordinary"} 1"#))
    #expect(lines.contains(#"gatehouse_auth_password_hashes_shed_total{lane="trusted"} 0"#))
    #expect(lines.contains(#"gatehouse_auth_password_hashes_waiting{lane="ordinary"} 37"#))
    #expect(lines.contains(#"gatehouse_auth_password_hashes_waiting{lane="trusted"} 1"#))
    #expect(try await pool.run(trusted) { 7 } == 7)
    places.free()
    pool.stop()
    #expect(pool.count == 0)
    let text = String(decoding: registry.render(), as: UTF8.self)
    #expect(text.contains(#"gatehouse_auth_password_hashes_waiting{lane="ordinary"} 0"#))
    #expect(text.contains(#"gatehouse_auth_password_hashes_waiting{lane="trusted"} 0"#))
    #expect(text.contains(#"gatehouse_auth_password_hash_wait_seconds_count{lane="trusted"} 1"#))
  }

  @Test("Where a hash takes a second, strangers leave four places for each thread to known devices")
  func pool_slowHashes_keepsPlacesForTheTrusted() throws {
    let pool = try HashPool(threadCount: 2, expectedDuration: .seconds(1))
    let ordinary = pool.fill(.ordinary)
    let trusted = pool.fill(.trusted)
    #expect(ordinary.count == 3 && trusted.count == 8)
    #expect(pool.count == 11)
    pool.stop()
  }

  @Test("Jobs run on as many threads as there are, and never on more")
  func pool_manyJobs_allRun() async throws {
    let pool = try HashPool(threadCount: 2)
    let census = Census()
    let results = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        let permit = try pool.reserve(.ordinary, for: HashShare(user: "\(number)"))
        group.addTask {
          try await pool.run(permit) {
            census.enter()
            defer { census.leave() }
            return number
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.sorted() == Array(0..<40))
    #expect(census.most <= 2)
    pool.stop()
    #expect(pool.count == 0)
  }

  @Test("What a job throws reaches its caller")
  func pool_jobThrows_isThrown() async throws {
    struct Failure: Error {}
    let pool = try HashPool(threadCount: 1)
    let permit = try pool.reserve(.ordinary, for: ada)
    await #expect(throws: Failure.self) { try await pool.run(permit) { throw Failure() } }
    pool.stop()
  }
}

/// Counts who is inside at once.
private final class Census: Sendable {
  private let counts = Lock((now: 0, most: 0))

  var most: Int { counts.withLock { $0.most } }

  func enter() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func leave() { counts.withLock { $0.now -= 1 } }
}
