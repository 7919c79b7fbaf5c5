internal import RPCKit
internal import ServiceKit

/// How far the migration of one user is; see docs/decisions/0102.
///
/// `pending` → `running` → `done`. Each batch moves the cursor in the transaction that copies its
/// documents, so whatever ends the process leaves a state from which the next batch continues.
struct LegacyMigration: Hashable, Sendable {
  /// Where the last batch ended, in the order of collections and identifiers.
  var lastCollection = ""
  /// Where the last batch ended.
  var lastID = ""
  var copiedCount: Int64 = 0
  /// Of names that the user had given to documents already.
  var skippedCount: Int64 = 0
  /// Milliseconds since 1970; nil before the first batch.
  var startedAt: Int64?
  /// Milliseconds since 1970; nil before the last batch.
  var finishedAt: Int64?

  /// The document in which a user finds the state, and which the service alone writes.
  static let documentName = "\(documentCollection)/\(documentID)"
  static let documentCollection = "settings"
  static let documentID = "migration"

  /// The content of the user's document.
  var content: JSONObject {
    var object = JSONObject()
    object["state"] = .string(finishedAt != nil ? "done" : startedAt != nil ? "running" : "pending")
    object["copied_count"] = .number(JSONNumber(copiedCount))
    object["skipped_count"] = .number(JSONNumber(skippedCount))
    object["started_at"] = startedAt.map { .string(DocumentTransform.text(ofTime: $0)) }
    object["finished_at"] = finishedAt.map { .string(DocumentTransform.text(ofTime: $0)) }
    return object
  }
}
