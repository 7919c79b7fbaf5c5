/// Reads values of ASN.1 in DER, one after the other (X.690).
///
/// Only what receipts need: tags of one byte, definite lengths of up to four bytes. It never looks past the
/// bytes it was given, and every value it returns takes at least two of them, so anyone who reads to the end
/// ends.
struct DERReader {
  /// The tag that begins a value.
  enum Tag: UInt8 {
    case integer = 0x02
    case octetString = 0x04
    case utf8String = 0x0C
    case ia5String = 0x16
    case sequence = 0x30
    case set = 0x31
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether nothing is left.
  var isAtEnd: Bool { rest.isEmpty }

  /// The contents of the next value, which must have this tag.
  mutating func contents(of tag: Tag) throws(AppleVerificationError) -> ArraySlice<UInt8> {
    guard rest.first == tag.rawValue else { throw .invalid(.malformed) }
    rest = rest.dropFirst()
    let count = try length()
    guard count <= rest.count else { throw .invalid(.malformed) }
    let contents = rest.prefix(count)
    rest = rest.dropFirst(count)
    return contents
  }

  /// The next value as a whole number of at most eight bytes.
  mutating func integer() throws(AppleVerificationError) -> Int64 {
    let digits = try contents(of: .integer)
    guard let first = digits.first, digits.count <= 8 else { throw .invalid(.malformed) }
    let sign: Int64 = first >= 0x80 ? -1 : 0
    return digits.reduce(sign) { $0 << 8 | Int64($1) }
  }

  private mutating func length() throws(AppleVerificationError) -> Int {
    guard let first = rest.first else { throw .invalid(.malformed) }
    rest = rest.dropFirst()
    guard first >= 0x80 else { return Int(first) }
    let count = Int(first & 0x7F)
    // 0x80 stands for a length that is not said, which DER does not have.
    guard (1...4).contains(count), count <= rest.count else { throw .invalid(.malformed) }
    let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(count)
    return length
  }
}
