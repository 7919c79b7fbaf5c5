import ServiceKit
import Testing

@Suite("Instants as text")
struct InstantTextTests {
  @Test(
    "Text becomes milliseconds, and those the text of UTC",
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0),
      ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29T12:00:00.000Z", 951_825_600_000),
      ("2026-11-21T08:00:00.123Z", 1_795_248_000_123),
      ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)]
  )
  func instant_bothWays_isTheSame(_ text: String, _ milliseconds: Int64) {
    #expect(InstantText.milliseconds(text) == milliseconds)
    #expect(InstantText.text(milliseconds) == text)
  }

  @Test(
    "Offsets, lower case and finer digits are understood",
    arguments: [
      ("1970-01-01t00:00:00z", 0),
      ("1970-01-01T01:30:00+01:30", 0),
      ("1969-12-31T22:00:00-02:00", 0),
      ("1970-01-01T00:00:00.5Z", 500),
      ("1970-01-01T00:00:00.001999999Z", 1),
      ("1969-12-31T23:59:59.0019Z", -999),
    ] as [(String, Int64)]
  )
  func instant_inOtherSpelling_isUnderstood(_ text: String, _ milliseconds: Int64) {
    #expect(InstantText.milliseconds(text) == milliseconds)
  }

  @Test(
    "What is no instant is refused",
    arguments: [
      "", "2026", "2026-11-21", "2026-11-21T08:00:00", "2026-11-21 08:00:00Z",
      "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
      "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
      "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00Z ", "+026-01-01T00:00:00Z", "２０２６-01-01T00:00:00Z",
      "2026-01-01T00:00:00.1\u{301}Z",
    ]
  )
  func instant_ofAnythingElse_isRefused(_ text: String) {
    #expect(InstantText.milliseconds(text) == nil)
  }
}
