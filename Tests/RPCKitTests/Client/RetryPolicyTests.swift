import Testing

@testable import RPCKit

@Suite("Back-off, retry policy and retry budget")
struct RetryPolicyTests {
  @Test("back-off stays between zero and a bound that doubles up to its maximum")
  func backOff_bounds() {
    let backOff = BackOff()
    let bounds = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
    for (index, bound) in bounds.enumerated() {
      #expect(backOff.pause(attempt: index + 1, random: 0) == .zero)
      #expect(backOff.pause(attempt: index + 1, random: .max) == .milliseconds(bound))
      let half = backOff.pause(attempt: index + 1, random: 1 << 63)
      #expect(half >= .milliseconds(bound / 2) && half <= .milliseconds(bound / 2 + 1))
    }
    #expect(backOff.pause(attempt: .max, random: .max) == .seconds(10))
    #expect(backOff.pause(attempt: 0, random: .max) == .milliseconds(100))
  }

  @Test("a connection's age varies by ten per cent")
  func age_jitter() {
    #expect(ConnectionSlot.jittered(.seconds(100), 0) == .seconds(90))
    let longest = ConnectionSlot.jittered(.seconds(100), .max)
    #expect(longest > .milliseconds(109_999) && longest <= .seconds(110))
  }

  @Test("a call may be sent again when that is safe, and not too often")
  func policy_table() {
    let policy = RetryPolicy()
    let refused = RPCError(.aborted, "", isNotProcessed: true)
    let unavailable = RPCError(.unavailable, "")
    let failed = RPCError(.internal, "")
    #expect(policy.permits(refused, attempt: 1, isIdempotent: false))
    #expect(policy.permits(refused, attempt: 4, isIdempotent: false))
    #expect(!policy.permits(refused, attempt: 5, isIdempotent: false))
    #expect(policy.permits(unavailable, attempt: 1, isIdempotent: true))
    #expect(!policy.permits(unavailable, attempt: 1, isIdempotent: false))
    #expect(!policy.permits(failed, attempt: 1, isIdempotent: true))
    #expect(!RetryPolicy.never.permits(refused, attempt: 1, isIdempotent: true))
  }

  @Test("the budget lets a fifth of the calls be sent again, and ten a second beside")
  func budget_fills() {
    func at(_ seconds: Double) -> MonotonicInstant {
      MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }
    var budget = RetryBudget(RetryPolicy())
    func withdrawAll(_ time: Double) -> Int {
      var count = 0
      while budget.withdraw(now: at(time)) { count += 1 }
      return count
    }
    #expect(withdrawAll(1) == 10)
    for _ in 0..<25 { budget.deposit() }
    #expect(withdrawAll(1) == 5)
    #expect(withdrawAll(1.5) == 5)
    #expect(withdrawAll(1000) == 100)
    // A clock that stands still or seems to go back earns nothing.
    #expect(withdrawAll(999) == 0)
  }

  @Test("RetryInfo is read, and nonsense in it is not")
  func retryInfo_isRead() {
    func delay(_ bytes: [UInt8]) -> Duration? {
      RPCError(
        .unavailable,
        "",
        details: [.init(typeURL: "type.googleapis.com/google.rpc.RetryInfo", value: bytes)]
      ).retryDelay
    }
    #expect(delay([0x0A, 0x02, 0x08, 0x03]) == .seconds(3))
    #expect(delay([0x0A, 0x05, 0x10, 0x80, 0x89, 0x7A, 0x08]) == nil)
    #expect(delay([0x0A, 0x04, 0x10, 0x80, 0x89, 0x7A]) == .milliseconds(2))
    #expect(delay([]) == nil)
    #expect(delay([0xFF]) == nil)
    #expect(
      delay([0x0A, 0x0B, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])
        == .zero
    )
    #expect(delay([0x0A, 0x06, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == .seconds(315_576_000))
    #expect(delay([0x0A, 0x04, 0x08, 0x80, 0xA3, 0x05]) == .seconds(86_400))
    #expect(RPCError(.unavailable, "").retryDelay == nil)
  }
}
