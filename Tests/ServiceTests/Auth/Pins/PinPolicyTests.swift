import Testing

@testable import AuthService

@Suite("Which PINs are accepted, and how often they may be tried")
struct PinPolicyTests {
  @Test(
    "A PIN that many people have is refused",
    arguments: [
      "000000", "777777", "123456", "890123", "654321", "210987", "121212", "454545", "123123",
      "907907", "112233", "159753", "147258", "520131",
    ]
  )
  func objection_commonSix_isFound(pin: String) {
    #expect(PinPolicy().objection(to: pin) == .common)
  }

  @Test(
    "So is one of four digits, and a year",
    arguments: ["0000", "1234", "4321", "8901", "6969", "1004", "2580", "1987", "2011", "1900"]
  )
  func objection_commonFour_isFound(pin: String) {
    #expect(PinPolicy(digitCount: 4).objection(to: pin) == .common)
  }

  @Test("Another number of digits is refused, and what is no digit")
  func objection_length_isExact() {
    for pin in ["", "48291", "4829157", "48291a", "４８２９１５", "48291 "] {
      #expect(PinPolicy().objection(to: pin) == .length, "\(pin)")
    }
    #expect(PinPolicy(digitCount: 4).objection(to: "482915") == .length)
  }

  @Test("Any other one is accepted", arguments: ["482915", "198700", "013579", "123455", "900001"])
  func objection_other_isNone(pin: String) {
    #expect(PinPolicy().objection(to: pin) == nil)
    #expect(PinPolicy(digitCount: 4).objection(to: "4829") == nil)
  }

  /// The waits after each attempt in a row, each made as soon as it may be; the last one disables.
  private func waits(_ policy: PinPolicy) -> [Int64] {
    var (attempts, now, waits): (PinAttempts, Int64, [Int64]) = (PinAttempts(), 1_000_000, [])
    while attempts.reserve(policy, now: now) == .taken {
      let wait = attempts.until - now
      waits.append(wait / 1000)
      if wait > 0, !attempts.isDisabled(policy) {
        #expect(attempts.reserve(policy, now: now) == .early(wait))
        #expect(attempts.reserve(policy, now: now + wait - 1) == .early(1))
      }
      now += wait
    }
    #expect(attempts.isDisabled(policy))
    #expect(attempts.left(policy) == 0)
    #expect(attempts.reserve(policy, now: now + 365 * 86_400_000) == .disabled)
    return waits
  }

  @Test("Half of the attempts are free, the others wait longer and longer, the last one disables")
  func reserve_inARow_waitsGrow() {
    #expect(waits(PinPolicy()) == [0, 0, 0, 0, 30, 60, 300, 900, 3600, 3600])
    #expect(waits(PinPolicy(digitCount: 4)) == [0, 30, 60, 300, 900])
    #expect(waits(PinPolicy(digitCount: 5)) == [0, 30, 60, 300, 900])
  }

  @Test("A clock that was set back makes nobody wait longer than the longest wait")
  func reserve_clockSetBack_doesNotWaitForever() {
    let policy = PinPolicy()
    let now: Int64 = 1_700_000_000_000
    var attempts = PinAttempts(failures: 6, last: now, until: now + 300_000)
    #expect(attempts.reserve(policy, now: now) == .early(300_000))
    #expect(attempts.reserve(policy, now: now - 86_400_000) == .taken)
    #expect(attempts.failures == 7)
  }
}
