internal import PeerContracts
internal import AuthContracts
internal import RPCKit

/// The document of an export on its way to the client: pieces are sent as they come.
final class ExportStream: Sendable {
  private let document: Lock<ExportDocument>
  private let writer: ResponseWriter<Auth_V1.ExportPiece>

  /// Takes over a document that was just begun.
  init(_ document: ExportDocument, to writer: ResponseWriter<Auth_V1.ExportPiece>) {
    self.document = Lock(document)
    self.writer = writer
  }

  /// Tells what a service knows; `read` hands over its sections, part by part.
  func tell(
    _ service: String,
    _ read: (_ take: (String, [String]) async throws -> Void) async throws -> Void
  ) async throws {
    try document.withLock { try $0.begin(service: service) }
    try await read { section, records in
      try self.document.withLock { try $0.add(records, to: section) }
      try await self.send()
    }
    try document.withLock { try $0.end() }
  }

  /// Sends the end of the document.
  func finish() async throws {
    try document.withLock { try $0.finish() }
    try await send(all: true)
  }

  /// Sends what there is once it is worth a message; waits while the client has no room for it.
  private func send(all: Bool = false) async throws {
    guard let piece = document.withLock({ $0.take(all: all) }) else { return }
    try await writer.write(.init(json: piece))
  }
}
