import Testing

@testable import AuthService

@Suite("How imports leave room for others")
struct ImportPaceTests {
  /// The rest after a batch of 30 ms beside so many writes.
  private func rest(
    _ count: UInt64,
    took: Int64 = 30_000_000,
    waiting: (before: Bool, after: Bool) = (false, false)
  ) -> Int64 {
    ImportPace(
      beginningAt: 5,
      beside: .init(writeCount: 7, areHashesWaiting: waiting.before)
    )
    .rest(
      now: 5 + took,
      beside: .init(writeCount: 7 + count, areHashesWaiting: waiting.after)
    )
  }

  @Test("Alone an import does not rest")
  func rest_alone_isNone() {
    #expect(rest(1) == 0)
    // A batch that was refused before it wrote.
    #expect(rest(0) == 0)
  }

  @Test("Beside others it rests as long as it took, and never for more than a second")
  func rest_besideOthers_isAsLong() {
    #expect(rest(2) == 30_000_000)
    #expect(rest(200) == 30_000_000)
    #expect(rest(2, took: 5_000_000_000) == ImportPace.restMax)
    #expect(rest(2, took: -1) == 0)
  }

  @Test("Beside people who sign in it has a twentieth of the time")
  func rest_whileHashesWait_isLong() {
    #expect(rest(1, waiting: (true, false)) == 19 * 30_000_000)
    #expect(rest(2, waiting: (false, true)) == 19 * 30_000_000)
    #expect(rest(0, took: 60_000_000, waiting: (true, true)) == ImportPace.restMax)
    #expect(rest(0, took: -1, waiting: (true, true)) == 0)
  }
}
