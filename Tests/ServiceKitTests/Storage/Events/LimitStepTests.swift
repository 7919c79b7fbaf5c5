import ServiceKit
import Testing

@Suite("Uses of limits that are news")
struct LimitStepTests {
  @Test(
    "A use is news when it reaches four fifths, or all, from below",
    arguments: [
      (0, 3, 5, nil), (3, 4, 5, 80), (4, 5, 5, 100), (0, 5, 5, 100), (4, 4, 5, nil), (5, 6, 5, nil),
      (5, 4, 5, nil), (0, 1, 1, 100), (0, 1, 2, nil), (1, 2, 2, 100), (7, 8, 10, 80),
      (8, 9, 10, nil),
      (79, 80, 100, 80), (0, 1, 0, nil), (0, 1, -1, nil), (Int64.max - 2, .max - 1, .max - 1, 100),
    ] as [(Int64, Int64, Int64, Int64?)]
  )
  func reached(_ before: Int64, _ after: Int64, _ maximum: Int64, _ percent: Int64?) {
    #expect(LimitSteps.reached(from: before, to: after, of: maximum) == percent)
  }
}
