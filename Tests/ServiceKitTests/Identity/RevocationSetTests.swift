import RPCKit
import ServiceKit
import Synchronization
import Testing

@Suite("How long revocations are kept")
struct RevocationSetTests {
  private let uptime = Uptime()
  private let lifetime = Revocation.lifetimeMin

  private final class Uptime: Sendable {
    private let milliseconds = Atomic<Int64>(0)

    var now: MonotonicInstant {
      MonotonicInstant(nanoseconds: milliseconds.load(ordering: .relaxed) * 1_000_000)
    }

    func advance(by span: Int64) { milliseconds.add(span, ordering: .relaxed) }
  }

  private func set() -> RevocationSet { RevocationSet { [uptime] in uptime.now } }

  /// Adds so many that the set looks for what can go.
  private func fill(_ set: RevocationSet, now: Int64) {
    let first = set.count
    set.insert(
      (first..<(3 * first + 1024)).map {
        Revocation(.session("filler \($0)"), expires: now + lifetime)
      },
      now: now
    )
  }

  private func claims(_ session: String, user: String = "usr_1") -> AccessClaims {
    AccessClaims(
      userID: user,
      sessionID: session,
      tokenID: "t",
      issued: 0,
      expires: 1,
      acr: "pwd",
      methods: [],
      authenticated: 0
    )
  }

  @Test("They are forgotten when no token could have lived")
  func revocations_overTime_arePruned() {
    let set = set()
    for number in 0..<100_000 {
      let now = Int64(number) * 1000
      uptime.advance(by: 1000)
      set.insert([Revocation(.session("ses_\(number)"), expires: now + lifetime)], now: now)
    }
    #expect(set.count < 2048)
  }

  @Test("A year that was not has none forgotten, of sessions or of users")
  func revocations_clockAheadAndBack_stay() {
    let (set, year) = (set(), Int64(365 * 86_400_000))
    set.insert(
      [
        Revocation(.session("ses_1"), expires: lifetime),
        Revocation(.user("usr_2", notBefore: 1), expires: lifetime),
      ],
      now: 0
    )
    uptime.advance(by: 60_000)
    fill(set, now: year)
    fill(set, now: 60_000)
    #expect(set.isRevoked(claims("ses_1")))
    #expect(set.isRevoked(claims("ses_9", user: "usr_2")))
  }

  @Test("Heard of by a service whose clock is ahead, they are kept as long as a token lives")
  func revocations_heardTooLate_stay() {
    let (set, year) = (set(), Int64(365 * 86_400_000))
    set.insert([Revocation(.session("ses_1"), expires: lifetime)], now: year)
    uptime.advance(by: lifetime - 1)
    fill(set, now: year + lifetime - 1)
    #expect(set.isRevoked(claims("ses_1")))
    uptime.advance(by: 1)
    fill(set, now: year + lifetime)
    #expect(!set.isRevoked(claims("ses_1")))
  }

  @Test("One that concerns a later hour is kept until that hour, whatever the clock says meanwhile")
  func revocations_ofTheFuture_stay() {
    let (set, hour) = (set(), Int64(3_600_000))
    set.insert([Revocation(.session("ses_1"), expires: hour + lifetime)], now: 0)
    uptime.advance(by: lifetime)
    // Ahead for longer than a token lives.
    fill(set, now: 2 * hour)
    #expect(set.isRevoked(claims("ses_1")))
    uptime.advance(by: hour)
    // Behind.
    fill(set, now: hour)
    #expect(set.isRevoked(claims("ses_1")))
    fill(set, now: hour + lifetime)
    #expect(!set.isRevoked(claims("ses_1")))
  }

  @Test("One without an end is kept, and extreme times do not trap")
  func revocations_extremeTimes_stay() {
    let set = set()
    set.insert([Revocation(.session("ses_1"), expires: .max)], now: .min)
    set.insert([Revocation(.session("ses_2"), expires: .min)], now: .max)
    fill(set, now: 0)
    #expect(set.isRevoked(claims("ses_1")))
    #expect(set.isRevoked(claims("ses_2")))
  }
}
