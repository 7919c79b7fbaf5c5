/// The contents of a write-ahead log, read as SQLite's recovery reads it (sqlite.org/fileformat2.html, "WAL
/// File Format"): up to the last commit whose frames all have the right checksums.
struct LogScan {
  /// The salts that distinguish one run of a log from another; the first number counts up each time it starts
  /// again.
  struct Salts: Hashable, Sendable {
    var first: UInt32
    var second: UInt32
  }

  /// Bytes in the file; 0 where there is none.
  private(set) var byteCount = 0
  /// From the header; nil when there is none that is in order.
  private(set) var salts: Salts?
  /// Frames up to the last commit.
  private(set) var committedFrameCount = 0

  private static let headerWordCount = 8
  private static let frameHeaderWordCount = 6

  /// Reads a log; nil means that there is none.
  init(_ file: StoreFileHandle?) throws(StoreError) {
    guard let file else { return }
    byteCount = try file.byteCount
    guard let header = try Header(file) else { return }
    salts = header.salts
    try countFrames(file, header)
  }

  private struct Header {
    var salts: Salts
    var pageByteCount: Int
    var isBigEndian: Bool
    var sum: (UInt32, UInt32)

    init?(_ file: StoreFileHandle) throws(StoreError) {
      var words = [UInt32](repeating: 0, count: LogScan.headerWordCount)
      guard try file.read(into: &words, at: 0) == 32 else { return nil }
      let magic = words[0].bigEndian
      guard magic & ~1 == 0x377F_0682 else { return nil }
      isBigEndian = magic & 1 == 1
      pageByteCount = Int(words[2].bigEndian)
      guard (512...65_536).contains(pageByteCount),
        pageByteCount & (pageByteCount - 1) == 0
      else { return nil }
      salts = Salts(first: words[4].bigEndian, second: words[5].bigEndian)
      sum = LogScan.sum(words[0..<6], isBigEndian, from: (0, 0))
      guard sum == (words[6].bigEndian, words[7].bigEndian) else { return nil }
    }
  }

  private mutating func countFrames(_ file: StoreFileHandle, _ header: Header) throws(StoreError) {
    let frameHeader = Self.frameHeaderWordCount
    var words = [UInt32](repeating: 0, count: frameHeader + header.pageByteCount / 4)
    var (offset, count, sum) = (32, 0, header.sum)
    while try file.read(into: &words, at: offset) == words.count * 4 {
      guard words[2].bigEndian == header.salts.first, words[3].bigEndian == header.salts.second
      else { return }
      sum = Self.sum(words[0..<2], header.isBigEndian, from: sum)
      sum = Self.sum(words[frameHeader...], header.isBigEndian, from: sum)
      guard sum == (words[4].bigEndian, words[5].bigEndian), words[0] != 0 else { return }
      count += 1
      if words[1] != 0 { committedFrameCount = count }
      offset += words.count * 4
    }
  }

  private static func sum(
    _ words: ArraySlice<UInt32>,
    _ isBigEndian: Bool,
    from start: (UInt32, UInt32)
  ) -> (UInt32, UInt32) {
    var (first, second) = start
    var index = words.startIndex
    while index < words.endIndex {
      let (even, odd) = (words[index], words[index + 1])
      first &+= (isBigEndian ? even.bigEndian : even.littleEndian) &+ second
      second &+= (isBigEndian ? odd.bigEndian : odd.littleEndian) &+ first
      index += 2
    }
    return (first, second)
  }

  /// The salts of a log that is being written, which need not be checked.
  static func salts(_ path: String) throws(StoreError) -> Salts? {
    guard let file = try StoreFileHandle.openForReading(path) else { return nil }
    var words = [UInt32](repeating: 0, count: headerWordCount)
    guard try file.read(into: &words, at: 0) == 32 else { return nil }
    return Salts(first: words[4].bigEndian, second: words[5].bigEndian)
  }

  /// The pages, counted from 0, of which the log has or had a copy: a checkpoint moves no others.
  static func pages(_ path: String, pageByteCount: Int) throws(StoreError) -> Set<Int> {
    guard let file = try StoreFileHandle.openForReading(path) else { return [] }
    var pages: Set<Int> = []
    var word: [UInt32] = [0]
    var offset = headerWordCount * 4
    while try file.read(into: &word, at: offset) == 4 {
      pages.insert(Int(word[0].bigEndian) - 1)
      offset += frameHeaderWordCount * 4 + pageByteCount
    }
    return pages
  }
}
