/// The memory of a store beside it, in `PATH.lock`: that it was there, which one it was, and how
/// its files were when they were last written.
///
/// Two records with a checksum each, in sectors of their own. The first says which store it is, and is
/// written once. The second follows the store; it is written after what it tells of and before what makes
/// it untrue, so it never promises more than was synced to the disk.
struct StoreMarker: Equatable {
  /// Which store it is.
  struct Identity: Hashable, Sendable {
    /// Drawn at random when the store was made; also inside it.
    var storeID: [UInt8]
    /// The service's.
    var applicationID: Int32
  }

  /// The state of the write-ahead log.
  enum Log: Hashable, Sendable {
    /// Nothing: it is about to be written, or moved for the last time.
    case unknown
    /// It was moved into the file when the store was closed; nothing may be left in it.
    case empty
    /// So many frames of this run were confirmed by the disk; there may be more, or later runs.
    case atLeast(LogScan.Salts, frameCount: UInt32)
  }

  /// The pages of the database file when it was last written.
  struct Pages: Hashable, Sendable {
    var count: Int
    var digest: UInt64
  }

  /// How the files of the store are.
  struct State: Hashable, Sendable {
    var log = Log.unknown
    /// Nil while the file is being changed, and for files too large to be digested.
    var pages: Pages?
    /// The newest change that was committed.
    var revision: Int64 = 0
  }

  var identity: Identity?
  var state = State()

  static let byteCount = stateOffset + recordByteCount
  static let storeIDByteCount = 16
  private static let stateOffset = 512
  private static let recordByteCount = 64
  fileprivate static let magic = Array("gatehouse store\n".utf8)

  /// The marker of an unwritten file.
  init() {}

  /// Reads what a file says; nil when it is damaged.
  init?(_ bytes: [UInt8]) {
    // Stores that were made before there were markers have an empty file.
    guard !bytes.isEmpty else { return }
    guard bytes.count == Self.byteCount, let identity = Identity(bytes[0..<Self.recordByteCount]),
      let state = State(bytes[Self.stateOffset...])
    else { return nil }
    self.identity = identity
    self.state = state
  }

  /// Writes all of it and has the disk confirm it.
  func write(to file: StoreFileHandle) throws(StoreError) {
    guard let identity else { preconditionFailure("a marker of no store is not written") }
    var bytes = identity.bytes
    bytes += [UInt8](repeating: 0, count: Self.stateOffset - bytes.count)
    try file.write(bytes + state.bytes, at: 0)
    try file.synchronize()
  }

  /// Writes how the files are; not synced.
  func writeState(to file: StoreFileHandle) throws(StoreError) {
    try file.write(state.bytes, at: Self.stateOffset)
  }

  /// Reads the marker in a file; throws `corrupt` when it is damaged.
  static func read(_ file: StoreFileHandle) throws(StoreError) -> StoreMarker {
    var bytes = [UInt8](repeating: 0, count: byteCount + 1)
    let count = try file.read(into: &bytes, at: 0)
    guard let marker = StoreMarker(Array(bytes[..<count])) else {
      throw .corrupt(path: file.path, detail: "it cannot be read")
    }
    return marker
  }
}

extension StoreMarker.Identity {
  private static let format: UInt32 = 1

  fileprivate var bytes: [UInt8] {
    var record = MarkerRecord(StoreMarker.magic)
    record.append(UInt64(Self.format))
    record.append(UInt64(UInt32(bitPattern: applicationID)))
    record.bytes += storeID
    return record.sealed
  }

  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard var record = MarkerRecord(sealed: bytes),
      record.take(16) == StoreMarker.magic, record.takeWord() == UInt64(Self.format)
    else { return nil }
    applicationID = Int32(truncatingIfNeeded: record.takeWord())
    storeID = record.take(StoreMarker.storeIDByteCount)
  }
}

extension StoreMarker.State {
  fileprivate var bytes: [UInt8] {
    var record = MarkerRecord([])
    switch log {
    case .unknown: record.append(0, 0)
    case .empty: record.append(1, 0)
    case .atLeast(let salts, let frameCount):
      record.append(2 | UInt64(frameCount) << 32, UInt64(salts.first) << 32 | UInt64(salts.second))
    }
    record.append(UInt64(bitPattern: revision))
    record.append(pages == nil ? 0 : 1, UInt64(pages?.count ?? 0))
    record.append(pages?.digest ?? 0)
    return record.sealed
  }

  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard var record = MarkerRecord(sealed: bytes) else { return nil }
    let (kind, salts) = (record.takeWord(), record.takeWord())
    switch kind & 0xFFFF_FFFF {
    case 0: log = .unknown
    case 1: log = .empty
    case 2:
      log = .atLeast(
        .init(
          first: UInt32(truncatingIfNeeded: salts >> 32),
          second: UInt32(truncatingIfNeeded: salts)
        ),
        frameCount: UInt32(truncatingIfNeeded: kind >> 32)
      )
    default: return nil
    }
    revision = Int64(bitPattern: record.takeWord())
    let (hasPages, count) = (record.takeWord() == 1, record.takeWord())
    let digest = record.takeWord()
    if hasPages { pages = .init(count: Int(clamping: count), digest: digest) }
  }
}

/// 56 bytes and a checksum of them.
private struct MarkerRecord {
  var bytes: [UInt8]
  private static let contentByteCount = 56

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil when the checksum is another one.
  init?(sealed: ArraySlice<UInt8>) {
    bytes = Array(sealed.prefix(Self.contentByteCount))
    guard self.sealed.elementsEqual(sealed) else { return nil }
  }

  var sealed: [UInt8] {
    let padding = Self.contentByteCount - bytes.count
    let content = bytes + [UInt8](repeating: 0, count: padding)
    return content + Digests.sha256(content).prefix(8)
  }

  mutating func append(_ words: UInt64...) {
    for word in words {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
  }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }

  mutating func takeWord() -> UInt64 { take(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
