/// A digest of each page of a database file, and one of all of them that follows in small steps.
///
/// Finds accidents, not forgers: anyone who can write the file can write the digest beside it. A change
/// within one 64-bit word is always found, any other but once in 2⁶⁴.
struct PageDigests {
  /// Pages digested.
  var pageCount: Int { digests.count }
  /// The digest of all pages in their order.
  private(set) var total: UInt64 = 0

  private let pageByteCount: Int
  private var digests: [UInt64] = []

  /// Reads a whole file.
  ///
  /// A page that is not complete counts like one that ends in zeros.
  init(_ file: StoreFileHandle, pageByteCount: Int) throws(StoreError) {
    self.pageByteCount = pageByteCount
    try update(file, pages: [])
  }

  /// Reads pages again, counted from 0, and those by which the file has grown.
  mutating func update(_ file: StoreFileHandle, pages: Set<Int>) throws(StoreError) {
    let byteCount = try file.byteCount
    let newCount = (byteCount + pageByteCount - 1) / pageByteCount
    while digests.count > newCount {
      total &-= Self.share(digests[digests.count - 1], of: digests.count - 1)
      digests.removeLast()
    }
    var words = [UInt64](repeating: 0, count: pageByteCount / 8)
    for page in pages where digests.indices.contains(page) {
      let digest = try digest(file, page, &words)
      total &-= Self.share(digests[page], of: page)
      total &+= Self.share(digest, of: page)
      digests[page] = digest
    }
    while digests.count < newCount {
      let digest = try digest(file, digests.count, &words)
      total &+= Self.share(digest, of: digests.count)
      digests.append(digest)
    }
  }

  private func digest(
    _ file: StoreFileHandle,
    _ page: Int,
    _ words: inout [UInt64]
  ) throws(StoreError) -> UInt64 {
    let count = try file.read(into: &words, at: page * pageByteCount)
    if count < pageByteCount {
      for index in (count + 7) / 8..<words.count { words[index] = 0 }
    }
    return Self.digest(words)
  }

  /// Each step is a bijection of the word and of what came before, so no single word can change
  /// without the result changing.
  private static func digest(_ words: [UInt64]) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    for word in words {
      state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
      state ^= state &>> 32
    }
    return state
  }

  /// The share of a page in the total: depends on its place, so that swapped pages are found.
  private static func share(_ digest: UInt64, of page: Int) -> UInt64 {
    var state = digest &+ UInt64(truncatingIfNeeded: page &+ 1) &* 0x9E37_79B9_7F4A_7C15
    state = (state ^ (state &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    state = (state ^ (state &>> 27)) &* 0x94D0_49BB_1331_11EB
    return state ^ (state &>> 31)
  }
}
