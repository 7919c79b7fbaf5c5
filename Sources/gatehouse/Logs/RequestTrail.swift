internal import RPCKit
internal import ServiceKit

/// Gathers what logs and stores say of one request.
struct RequestTrail {
  /// Most entries that are gathered.
  static let entryCountMax = 10_000
  /// The end of a store's name; everything else is a log.
  private static let storeSuffix = ".db"

  /// The request's id.
  let request: String
  /// The entries found, in no order.
  private(set) var entries: [TrailEntry] = []

  init(request: String) { self.request = request }

  /// Whether there may be more than was gathered.
  var isFull: Bool { entries.count >= Self.entryCountMax }

  /// Adds what a log or a store says; `-` is a log from standard input.
  mutating func read(_ path: String) async throws {
    let name = path == "-" ? path : String(path.split(separator: "/").last ?? "")
    guard path.hasSuffix(Self.storeSuffix) else { return try readLog(path, name) }
    // SQLite would make a file that is missing look like an empty store.
    guard SecretFile.exists(path) else { throw FileError("\(path): no such file or directory") }
    let records = try await Database.auditRecords(
      ofRequest: request,
      in: path,
      limit: Self.entryCountMax - entries.count
    )
    entries += records.map { TrailEntry($0, source: name) }
  }

  private mutating func readLog(_ path: String, _ name: String) throws {
    // Most lines are of other requests: they are recognized by their bytes, before they are read as JSON.
    let (request, needle) = (request, Array(request.utf8))
    var found: [TrailEntry] = []
    var lines = LogLines()
    let take = { (line: ArraySlice<UInt8>) in
      guard found.count < Self.entryCountMax, line.contains(needle) else { return }
      if let entry = TrailEntry(line: line, request: request, source: name) { found.append(entry) }
    }
    let file = try FilePieces(path == "-" ? "/dev/stdin" : path)
    while let piece = try file.next() { lines.add(piece, take) }
    lines.finish(take)
    entries += found.prefix(Self.entryCountMax - entries.count)
  }
}
