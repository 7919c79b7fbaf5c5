import Testing

@testable import AuthService

@Suite("How imports leave room for others")
struct ImportPaceTests {
  /// The rest after a batch of 30 ms beside so many writes.
  private func rest(_ count: UInt64, took: Int64 = 30_000_000) -> Int64 {
    ImportPace(beginningAt: 5, writeCount: 7).rest(now: 5 + took, writeCount: 7 + count)
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
}
