internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

extension LegacyDraft {
  /// Reads one of a request; DOCUMENT_INVALID says where its content is no JSON object.
  init(_ document: Tenancy_V1.LegacyDocument, field: String) throws(RPCError) {
    id = document.id
    userID = document.userId
    json = try DocumentContent(json: document.json, field: "\(field).json").text
    guard json.utf8.count <= DocumentLimits.contentByteCountMax else {
      throw ErrorCatalog.tenancy.invalid(
        "\(field).json",
        "DOCUMENT_INVALID",
        "has more than \(DocumentLimits.contentByteCountMax) bytes"
      )
    }
  }
}

extension LegacyTable {
  /// The state of the collections as an answer has it.
  static func message(in tx: borrowing some Queryable) throws -> Tenancy_V1.LegacyCollections {
    let documents = try tx.first("SELECT count(*) FROM legacy_document") { $0.integer(0) }
    let users = try tx.first(
      "SELECT count(*) FROM legacy_migration WHERE finished_at IS NOT NULL"
    ) { $0.integer(0) }
    return Tenancy_V1.LegacyCollections(
      sealedAt: try sealedAt(in: tx).map { .init(milliseconds: $0) },
      documentCount: UInt64(clamping: documents ?? 0),
      migratedUserCount: UInt64(clamping: users ?? 0)
    )
  }
}

extension LegacyMigration {
  /// `pending`, `running` or `done`.
  var state: Tenancy_V1.LegacyMigrationState {
    finishedAt != nil ? .done : startedAt != nil ? .running : .pending
  }

  /// The state as an answer has it.
  func message(remaining: Int64) -> Tenancy_V1.LegacyMigration {
    Tenancy_V1.LegacyMigration(
      state: state,
      copiedCount: UInt64(clamping: copiedCount),
      skippedCount: UInt64(clamping: skippedCount),
      remainingCount: UInt64(clamping: remaining),
      startedAt: startedAt.map { .init(milliseconds: $0) },
      finishedAt: finishedAt.map { .init(milliseconds: $0) }
    )
  }
}
