import Testing

@testable import RPCKit

@Suite("How much a loop reads at once")
struct ReadBudgetTests {
  @Test("less and less while turns take long, down to a bound, and all again when they are short")
  func byteCount_followsTheTurns() {
    var budget = ReadBudget()
    func take(_ milliseconds: Int64) -> Int {
      budget.turnTook(nanoseconds: milliseconds * 1_000_000)
      return budget.byteCount >> 10
    }
    #expect([1, 5, 8].map(take) == [64, 64, 64])
    #expect([9, 100, 2000].map(take) == [32, 16, 8])
    // Neither long nor short.
    #expect([5, 8, 4].map(take) == [8, 8, 8])
    #expect([50, 50].map(take) == [4, 4])
    #expect([3, 0, 0, 0, 0].map(take) == [8, 16, 32, 64, 64])
  }
}
