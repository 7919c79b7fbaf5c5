import Testing

@testable import EntitlementService

@Suite("Values in DER")
struct DERReaderTests {
  private func contents(_ bytes: [UInt8]) -> [UInt8]? {
    var reader = DERReader(bytes[...])
    return (try? reader.contents(of: .octetString)).map { Array($0) }
  }

  @Test("Lengths of one to five bytes are read, and no byte past the end")
  func contents_lengths() {
    #expect(contents([0x04, 0x00]) == [])
    #expect(contents([0x04, 0x02, 7, 8, 9]) == [7, 8])
    #expect(contents([0x04, 0x81, 0x01, 7]) == [7])
    #expect(contents([0x04, 0x84, 0, 0, 0, 1, 7]) == [7])
    let long = [UInt8](repeating: 1, count: 300)
    #expect(contents([0x04, 0x82, 0x01, 0x2C] + long) == long)
    for bytes in [
      [], [0x04], [0x04, 0x01], [0x04, 0x81], [0x04, 0x82, 0x01], [0x04, 0x81, 0x02, 7],
      [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 7],
    ] as [[UInt8]] {
      #expect(contents(bytes) == nil, "\(bytes)")
    }
  }

  @Test("Lengths that are not said, or have more than four bytes, are refused")
  func contents_badLengths_areRefused() {
    #expect(contents([0x04, 0x80, 0, 0]) == nil)
    #expect(contents([0x04, 0x85, 0, 0, 0, 0, 1, 7]) == nil)
    #expect(contents([0x04, 0xFF] + [UInt8](repeating: 0, count: 130)) == nil)
  }

  @Test(
    "Whole numbers have a sign and at most eight bytes",
    arguments: [
      ([0x02, 0x01, 0x00], 0), ([0x02, 0x01, 0x7F], 127), ([0x02, 0x02, 0x06, 0xA6], 1702),
      ([0x02, 0x01, 0xFF], -1), ([0x02, 0x02, 0x00, 0xFF], 255),
      ([0x02, 0x08, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], Int64.max),
      ([0x02, 0x08, 0x80, 0, 0, 0, 0, 0, 0, 0], Int64.min), ([0x02, 0x00], nil),
      ([0x02, 0x09, 0, 1, 1, 1, 1, 1, 1, 1, 1], nil), ([0x04, 0x01, 0x00], nil),
    ] as [([UInt8], Int64?)]
  )
  func integer(bytes: [UInt8], expected: Int64?) {
    var reader = DERReader(bytes[...])
    #expect((try? reader.integer()) == expected)
  }
}
