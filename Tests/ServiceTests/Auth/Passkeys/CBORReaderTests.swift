import Testing

@testable import AuthService

@Suite("Canonical CBOR")
struct CBORReaderTests {
  @Test(
    "What authenticators write is read",
    arguments: [
      ("00", CBORValue.integer(0)), ("17", .integer(23)), ("1818", .integer(24)),
      ("1901f4", .integer(500)), ("1a00010000", .integer(65_536)),
      ("1b7fffffffffffffff", .integer(.max)), ("20", .integer(-1)), ("390100", .integer(-257)),
      ("3b7fffffffffffffff", .integer(.min)), ("40", .bytes([])), ("4201ff", .bytes([1, 255])),
      ("60", .text("")), ("63666d74", .text("fmt")), ("62c3bc", .text("ü")), ("80", .array([])),
      ("8201f5", .array([.integer(1), .boolean(true)])), ("f4", .boolean(false)), ("f6", .null),
      ("a0", .map(CBORMap())),
      (
        "a2012003f6",
        .map(
          CBORMap(members: [
            .init(key: .integer(1), value: .integer(-1)), .init(key: .integer(3), value: .null),
          ])
        )
      ),
      ("8181818100", .array([.array([.array([.array([.integer(0)])])])])),
    ]
  )
  func read_canonical_isValue(text: String, value: CBORValue) throws {
    #expect(try CBORReader.read(try #require(hexadecimal(text))) == value)
  }

  @Test(
    "What has a second spelling, or lies about its length, is refused",
    arguments: [
      // Nothing, too little, too much.
      "", "18", "19ff", "1bff", "0000", "4201", "62ff", "8201", "a101",
      // Longer than need be.
      "1817", "190017", "1900ff", "1a0000ffff", "1b00000000ffffffff", "5801ff", "780161", "980100",
      "b8010000",
      // Past 64 bits with a sign.
      "1b8000000000000000", "3bffffffffffffffff",
      // Indefinite lengths, tags, fractions, other simple values, reserved numbers.
      "5f4101ff", "7f6161ff", "9f01ff", "bf0101ff", "c100", "d81800", "f93c00", "fa3f800000",
      "fb3ff0000000000000", "f7", "f8ff", "ff", "1c", "1d", "1e", "1f", "fc",
      // Counts past the bytes that are left.
      "9b7fffffffffffffff", "9affffffff", "bb7fffffffffffffff", "baffffffff", "5b7fffffffffffffff",
      "5affffffff", "7affffffff", "82", "a2010203",
      // Not UTF-8.
      "62ff61", "61c3", "63eda080",
      // Keys: twice, not sorted, of other kinds.
      "a201000100", "a203000100", "a220000100", "a2617a006161 00", "a26261610061 6200",
      "a2616101010 2", "a1400 0", "a1800 0", "a1f500", "a1f600",
      // Too deep.
      "818181818100", "a101a101a101a101a10100",
    ]
  )
  func read_other_isRefused(text: String) throws {
    let bytes = try #require(hexadecimal(text.filter { $0 != " " }))
    #expect(fault { _ = try CBORReader.read(bytes) } == .cbor)
  }

  @Test("The outermost map may be in any order, those in it not, and no key is there twice")
  func read_orderFree_isTheOutermostOnly() throws {
    let sorted = try #require(hexadecimal("a2616101616202"))
    let unsorted = try #require(hexadecimal("a2616202616101"))
    let inner = try #require(hexadecimal("a101a2616202616101"))
    let twice = try #require(hexadecimal("a3616202616101616202"))
    #expect(try CBORReader.read(unsorted, isOuterOrderFree: true).map?["a"] == .integer(1))
    #expect(try CBORReader.read(sorted).map?["b"] == .integer(2))
    #expect(fault { _ = try CBORReader.read(unsorted) } == .cbor)
    for bytes in [inner, twice] {
      #expect(fault { _ = try CBORReader.read(bytes, isOuterOrderFree: true) } == .cbor)
    }
  }

  @Test("Every beginning of an item is refused, and what is behind it is given back")
  func read_cut_isRefused() throws {
    for vector in try WebAuthnVector.all() {
      let whole = vector.attestationObject
      #expect(try CBORReader.readFirst(whole[...]).rest.isEmpty)
      let (_, rest) = try CBORReader.readFirst((whole + [1, 2])[...])
      #expect(Array(rest) == [1, 2])
      for count in stride(from: 0, to: whole.count, by: 3) {
        #expect(fault { _ = try CBORReader.read(Array(whole.prefix(count))) } == .cbor)
      }
    }
  }

  @Test("An item has at most 16 KiB")
  func read_long_isRefused() throws {
    func item(_ count: Int) -> [UInt8] {
      [0x59, UInt8(count >> 8), UInt8(count & 255)] + [UInt8](repeating: 0, count: count)
    }
    let most = CBORReader.byteCountMax - 3
    #expect(try CBORReader.read(item(most)).bytes?.count == most)
    #expect(fault { _ = try CBORReader.read(item(most + 1)) } == .cbor)
  }
}
