import Testing

@testable import ServiceKit

@Suite("Times of commits by several clocks")
struct NewestTimeTests {
  private static let most = NewestTime.differenceMax

  @Test("A clock that is behind goes by the newest change, unless that is of a clock set wrong")
  func now_ofClockBehind() {
    var newest = NewestTime(.min)
    #expect(newest.now(by: 1_000) == 1_000)
    newest.take(31_000)
    #expect(newest.now(by: 1_000) == 31_000 && newest.now(by: 40_000) == 40_000)
    newest.take(20_000)
    #expect(newest.now(by: 1_000) == 31_000)
    newest.take(1_000 + Self.most)
    #expect(newest.now(by: 1_000) == 1_000 + Self.most)
    newest.take(1_001 + Self.most)
    #expect(newest.now(by: 1_000) == 1_000)
  }

  @Test("Once the clock is right again, commits go by what is newest from then on")
  func take_afterClockSetWrong_forgetsIt() {
    var newest = NewestTime(1_000)
    newest.take(1_000 + 365 * 86_400_000)
    #expect(newest.now(by: 2_000) == 2_000)
    newest.take(32_000)
    #expect(newest.now(by: 2_000) == 32_000)
  }
}
