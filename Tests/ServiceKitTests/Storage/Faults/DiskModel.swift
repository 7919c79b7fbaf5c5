import RPCKitTesting

/// One thing that was done to a disk.
enum DiskOperation: Sendable {
  /// A file was opened, and made if there was none.
  case open(String)
  case write(String, offset: Int, [UInt8])
  case truncate(String, byteCount: Int)
  /// The disk has confirmed what the file holds, and perhaps the names in its folder.
  case sync(String, withFolder: Bool)
  /// The disk was asked to confirm, and failed: what was pending is lost or not, nobody knows.
  case failedSync(String)
  case delete(String, withFolder: Bool)
}

/// What a disk surely holds, and what it may have lost when the power goes.
///
/// A write that was not synchronized may be there, be missing, or be there in part, sector by sector
/// and in any order; so may the longer file without the bytes in it. Names come and go in order, as
/// journalling file systems have it.
struct DiskModel {
  private enum Pending {
    case write(offset: Int, [UInt8])
    case truncate(byteCount: Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Pending] = []
  }

  private enum Naming {
    case make(String, file: Int)
    case delete(String)
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [Naming] = []

  private static let sectorByteCount = 512

  /// A disk that holds these files.
  init(_ contents: [String: [UInt8]] = [:]) {
    for (name, bytes) in contents {
      names[name] = files.count
      files.append(File(durable: bytes))
    }
    durableNames = names
  }

  /// Does one thing more; `random` decides what becomes of a failed synchronization.
  mutating func apply(_ operation: DiskOperation, _ random: inout SimulationRandom) {
    switch operation {
    case .open(let name):
      guard names[name] == nil else { return }
      names[name] = files.count
      pendingNames.append(.make(name, file: files.count))
      files.append(File())
    case .write(let name, let offset, let bytes):
      change(name) { $0.pending.append(.write(offset: offset, bytes)) }
    case .truncate(let name, let byteCount):
      change(name) { $0.pending.append(.truncate(byteCount: byteCount)) }
    case .sync(let name, let withFolder):
      change(name) { file in
        for pending in file.pending { Self.perform(pending, on: &file.durable) }
        file.pending = []
      }
      if withFolder { settleNames() }
    case .failedSync(let name):
      // Later synchronizations succeed without them: the kernel takes the pages for written ones.
      var fate = Fate(&random)
      change(name) { file in
        for pending in file.pending { fate.perform(pending, on: &file.durable) }
        file.pending = []
      }
    case .delete(let name, let withFolder):
      names[name] = nil
      pendingNames.append(.delete(name))
      if withFolder { settleNames() }
    }
  }

  /// The files that are there after the power has gone and come back.
  func afterPowerLoss(_ random: inout SimulationRandom) -> [String: [UInt8]] {
    var surviving = durableNames
    let count = random.number(in: 0...pendingNames.count)
    for naming in pendingNames.prefix(count) { Self.perform(naming, on: &surviving) }
    var fate = Fate(&random)
    // In order of name: the same seed must leave the same disk.
    let contents = surviving.sorted { $0.key < $1.key }.map { name, index in
      var bytes = files[index].durable
      for pending in files[index].pending { fate.perform(pending, on: &bytes) }
      return (name, bytes)
    }
    return Dictionary(uniqueKeysWithValues: contents)
  }

  private mutating func change(_ name: String, _ body: (inout File) -> Void) {
    guard let index = names[name] else { preconditionFailure("\(name) was not opened") }
    body(&files[index])
  }

  private mutating func settleNames() {
    for naming in pendingNames { Self.perform(naming, on: &durableNames) }
    pendingNames = []
  }

  private static func perform(_ naming: Naming, on names: inout [String: Int]) {
    switch naming {
    case .make(let name, let file): names[name] = file
    case .delete(let name): names[name] = nil
    }
  }

  private static func perform(_ pending: Pending, on bytes: inout [UInt8]) {
    switch pending {
    case .write(let offset, let written): write(written[...], at: offset, to: &bytes)
    case .truncate(let byteCount): resize(&bytes, to: byteCount)
    }
  }

  private static func write(_ written: ArraySlice<UInt8>, at offset: Int, to bytes: inout [UInt8]) {
    if bytes.count < offset + written.count { resize(&bytes, to: offset + written.count) }
    bytes.replaceSubrange(offset..<offset + written.count, with: written)
  }

  private static func resize(_ bytes: inout [UInt8], to byteCount: Int) {
    if bytes.count > byteCount {
      bytes.removeLast(bytes.count - byteCount)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count))
    }
  }

  /// What one loss of power does to what was pending.
  private struct Fate {
    private enum Survivors {
      case none
      case all
      /// So many operations, and the first bytes of the next.
      case first(Int)
      /// Each sector with this probability.
      case sectors(Double)
    }

    private let survivors: Survivors
    /// Whether the file is longer although the bytes in it are lost.
    private let keepsLength: Bool
    private var count = 0
    private var random: SimulationRandom

    init(_ random: inout SimulationRandom) {
      self.random = SimulationRandom(seed: random.next())
      survivors =
        switch random.number(in: 0...9) {
        case 0: .none
        case 1: .all
        case 2...4: .first(random.skewedNumber(in: 0...64))
        default: .sectors(Double(random.number(in: 5...95)) / 100)
        }
      keepsLength = random.chance(0.5)
    }

    mutating func perform(_ pending: Pending, on bytes: inout [UInt8]) {
      defer { count += 1 }
      switch (survivors, pending) {
      case (.all, _): DiskModel.perform(pending, on: &bytes)
      case (.first(let limit), _) where count < limit: DiskModel.perform(pending, on: &bytes)
      case (.first(count), .write(let offset, let written)):
        let kept = random.number(in: 0...written.count)
        DiskModel.write(written.prefix(kept), at: offset, to: &bytes)
        keepLength(offset + written.count, &bytes)
      case (.sectors(let chance), .truncate):
        if random.chance(chance) { DiskModel.perform(pending, on: &bytes) }
      case (.sectors(let chance), .write(let offset, let written)):
        writeSectors(written, at: offset, chance, to: &bytes)
        keepLength(offset + written.count, &bytes)
      case (.none, .write(let offset, let written)), (.first, .write(let offset, let written)):
        keepLength(offset + written.count, &bytes)
      case (.none, .truncate), (.first, .truncate): break
      }
    }

    private mutating func writeSectors(
      _ written: [UInt8],
      at offset: Int,
      _ chance: Double,
      to bytes: inout [UInt8]
    ) {
      var start = 0
      while start < written.count {
        let inSector = DiskModel.sectorByteCount - (offset + start) % DiskModel.sectorByteCount
        let end = min(written.count, start + inSector)
        if random.chance(chance) {
          DiskModel.write(written[start..<end], at: offset + start, to: &bytes)
        }
        start = end
      }
    }

    private func keepLength(_ byteCount: Int, _ bytes: inout [UInt8]) {
      guard keepsLength, bytes.count < byteCount else { return }
      DiskModel.resize(&bytes, to: byteCount)
    }
  }
}
