/// The number of a table's rows, and a digest of them that is the same in whichever order they come.
///
/// The sum of the SHA-256 digests of all rows, in four words: it tells damage and loss, not forgery.
struct TableDigest: Equatable {
  private(set) var count = 0
  private var sum: [UInt64] = [0, 0, 0, 0]

  mutating func add(_ row: CopiedRow) {
    count += 1
    let digest = Digests.sha256(Self.bytes(of: row))
    for word in sum.indices {
      let bytes = digest[(word * 8)..<(word * 8 + 8)]
      sum[word] &+= bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The first word in hexadecimal digits.
  var text: String {
    let digits = String(sum[0], radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Each value with its kind and its length, so that no two rows have the same bytes.
  private static func bytes(of row: CopiedRow) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in row.values {
      switch value {
      case .null: bytes.append(0)
      case .integer(let number): append(1, "\(number)".utf8, to: &bytes)
      case .real(let number): append(2, "\(number)".utf8, to: &bytes)
      case .text(let text): append(3, text.utf8, to: &bytes)
      case .blob(let blob): append(4, blob, to: &bytes)
      }
    }
    return bytes
  }

  private static func append(
    _ kind: UInt8,
    _ value: some Collection<UInt8>,
    to bytes: inout [UInt8]
  ) {
    bytes.append(kind)
    bytes += "\(value.count):".utf8
    bytes += value
  }
}
