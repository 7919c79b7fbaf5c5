import LoadGenerator
import Testing

/// When calls are due.
@Suite struct ArrivalScheduleTests {
  @Test(
    "An even schedule neither drifts nor rounds its rate away",
    arguments: [3.0, 7000, 333_333]
  )
  func even_afterManyArrivals_hasNoDrift(rate: Double) {
    var schedule = ArrivalSchedule(rate: rate, isPoisson: false, share: 0, of: 1, seed: 1)
    let count = 1_000_000
    var last: Int64 = 0
    for index in 0..<count {
      let due = schedule.next()
      #expect(abs(Double(due) - Double(index) * 1e9 / rate) < 2)
      last = due
    }
    #expect(abs(Double(last) / 1e9 - Double(count - 1) / rate) < 1e-6)
  }

  @Test("The shares of several threads interleave to the whole")
  func even_sharesOfThree_areTheWhole() {
    func arrivals(_ share: Int, _ shareCount: Int, _ count: Int) -> [Int64] {
      var schedule = ArrivalSchedule(
        rate: 900,
        isPoisson: false,
        share: share,
        of: shareCount,
        seed: 1
      )
      return (0..<count).map { _ in schedule.next() }
    }
    let parts = (0..<3).flatMap { arrivals($0, 3, 100) }.sorted()
    #expect(parts == arrivals(0, 1, 300))
  }

  @Test("A Poisson schedule has the rate, and gaps that vary as much as they are long")
  func poisson_gaps_areExponential() {
    var schedule = ArrivalSchedule(rate: 2000, isPoisson: true, share: 0, of: 1, seed: 42)
    let count = 200_000
    var gaps: [Double] = []
    var last: Int64 = 0
    for _ in 0..<count {
      let due = schedule.next()
      #expect(due >= last)
      gaps.append(Double(due - last) / 1e9)
      last = due
    }
    let mean = gaps.reduce(0, +) / Double(count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
    #expect(abs(mean * 2000 - 1) < 0.01)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.02)
  }

  @Test("A seed repeats a Poisson schedule, and another does not")
  func poisson_seed_decides() {
    func first(_ seed: UInt64) -> [Int64] {
      var schedule = ArrivalSchedule(rate: 100, isPoisson: true, share: 0, of: 1, seed: seed)
      return (0..<10).map { _ in schedule.next() }
    }
    #expect(first(5) == first(5))
    #expect(first(5) != first(6))
  }
}
