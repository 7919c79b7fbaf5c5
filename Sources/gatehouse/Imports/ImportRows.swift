internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// The rows of a file that has one as JSON in each line, in batches.
///
/// Blank lines and those of more than a mebibyte are no rows.
struct ImportRows {
  /// A row as it is sent.
  struct Row: Sendable {
    /// The row in the line; empty if it cannot be read, so that its place in the file is kept.
    var message = Auth_V1.ImportRow()
    /// Why the line cannot be read; nil if it can.
    var problem: String?
  }

  /// Rows that are sent at once; while they are written, nobody else writes.
  static let batchCount = 250

  private let file: FilePieces
  private let json: MessageJSON
  private var lines = LogLines()
  private var waiting: [Row] = []
  private var isAtEnd = false

  /// Opens a file.
  init(_ path: String, _ registry: SchemaRegistry) throws {
    file = try FilePieces(path)
    json = MessageJSON(registry)
  }

  /// The next rows, as many as a batch may have; empty at the end.
  mutating func next() throws -> [Row] {
    while waiting.count < Self.batchCount, !isAtEnd { try readPiece() }
    let batch = Array(waiting.prefix(Self.batchCount))
    waiting.removeFirst(batch.count)
    return batch
  }

  /// Leaves rows out that were imported before; false if there are not so many.
  mutating func skip(_ count: UInt64) throws -> Bool {
    var rest = count
    while rest > 0 {
      while waiting.isEmpty, !isAtEnd { try readPiece() }
      guard !waiting.isEmpty else { return false }
      let skipped = Int(min(rest, UInt64(waiting.count)))
      waiting.removeFirst(skipped)
      rest -= UInt64(skipped)
    }
    return true
  }

  private mutating func readPiece() throws {
    var found: [ArraySlice<UInt8>] = []
    if let piece = try file.next() {
      lines.add(piece) { found.append($0) }
    } else {
      isAtEnd = true
      lines.finish { found.append($0) }
    }
    waiting += found.map { row(of: $0) }
  }

  private func row(of line: ArraySlice<UInt8>) -> Row {
    do {
      let limits = JSONLimits(byteCountMax: LogLines.byteCountMax, depthMax: 4)
      let value = try JSONReader.read(Array(line), limits: limits)
      let bytes = try json.encode(value, as: Auth_V1.ImportRow.protobufName)
      let message = try Auth_V1.ImportRow(protobuf: bytes.span, limits: MessageLimits())
      // What breaks the contract's limits would have the whole batch refused.
      var violations: [FieldViolation] = []
      message.validate(path: "", into: &violations)
      guard let violation = violations.first else { return Row(message: message) }
      return Row(problem: "\(violation.field): \(violation.description)")
    } catch {
      return Row(problem: "\(error)")
    }
  }
}
