import Testing

@testable import RPCKit

@Suite("A rate of attempts")
struct CellRateTests {
  /// Three at once, one of which comes back every ten.
  private let rate = CellRate(count: 3, interval: 10)

  @Test("As many as there are can be taken at once, and then one each interval")
  func take_allAtOnce_thenOnePerInterval() {
    var settled: Int64 = 0
    for _ in 0..<3 { #expect(rate.take(&settled, now: 1000) == nil) }
    #expect(settled == 1030)
    #expect(rate.take(&settled, now: 1000) == 10)
    #expect(rate.take(&settled, now: 1009) == 1)
    #expect(rate.take(&settled, now: 1010) == nil)
    #expect(rate.take(&settled, now: 1010) == 10)
    #expect(!rate.isSettled(settled, now: 1039))
    #expect(rate.isSettled(settled, now: 1040))
  }

  @Test("Several are taken together, or none of them")
  func take_several_isAllOrNothing() {
    var settled: Int64 = 0
    #expect(rate.take(&settled, 2, now: 1000) == nil)
    #expect(rate.take(&settled, 2, now: 1000) == 10)
    #expect(settled == 1020)
    #expect(rate.take(&settled, 1, now: 1000) == nil)
    #expect(rate.take(&settled, 0, now: 1000) == nil)
    #expect(rate.take(&settled, 3, now: 1029) == 1)
    #expect(rate.take(&settled, 3, now: 1030) == nil)
  }

  @Test("More than there ever are cannot be taken, however long somebody waits")
  func take_moreThanAll_isRefused() {
    var settled: Int64 = 0
    #expect(rate.take(&settled, 4, now: 1000) == .max)
    #expect(rate.take(&settled, .max, now: 1000) == .max)
    #expect(settled == 0)
  }

  @Test("What is given back can be taken again, and is not saved up")
  func giveBack_isNoMoreThanAll() {
    var settled: Int64 = 0
    #expect(rate.take(&settled, 3, now: 1000) == nil)
    rate.giveBack(&settled)
    #expect(rate.take(&settled, now: 1000) == nil)
    #expect(rate.take(&settled, now: 1000) == 10)
    for _ in 0..<100 { rate.giveBack(&settled, 3) }
    #expect(rate.take(&settled, 3, now: 1000) == nil)
    #expect(rate.take(&settled, now: 1000) == 10)
  }

  @Test("A clock that is set back locks nobody out")
  func clock_setBack_isSettled() {
    var settled: Int64 = 0
    #expect(rate.take(&settled, 3, now: 1_000_000) == nil)
    #expect(rate.isSettled(settled, now: 1000))
    #expect(rate.take(&settled, 3, now: 1000) == nil)
    #expect(settled == 1030)
  }

  @Test("No time and no count traps", arguments: [Int64.min, -1, 0, .max])
  func extremes_doNotTrap(instant: Int64) {
    for start in [Int64.min, 0, .max] {
      var settled = start
      _ = rate.take(&settled, now: instant)
      rate.giveBack(&settled, 3)
      _ = rate.isSettled(settled, now: instant)
      _ = rate.take(&settled, 3, now: instant)
    }
  }
}
