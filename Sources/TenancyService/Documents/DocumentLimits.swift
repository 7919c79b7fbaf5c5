internal import RPCKit
internal import ServiceKit

/// Every bound of users' documents.
///
/// A call that reaches one is refused and counted in `gatehouse_tenancy_document_refusals_total`.
enum DocumentLimits {
  /// Bytes of a document's content, as it is stored; the contract bounds what is sent as well.
  static let contentByteCountMax = 256 << 10
  /// Objects and arrays inside one another, and names in the path of a field.
  static let depthMax = 20
  /// The limits of a document: its bytes bound the number of its values.
  static let content = JSONLimits(
    byteCountMax: contentByteCountMax,
    depthMax: depthMax,
    valueCountMax: contentByteCountMax
  )

  /// Documents of one user.
  static let documentCountMax: Int64 = 50_000
  /// Bytes of one user's documents, with their names.
  static let byteCountMax: Int64 = 64 << 20
  /// Collections of one user.
  static let collectionCountMax = 100

  /// Bytes of existing documents that one call merges into: they are read and written in the one thread
  /// that writes, so everybody waits for them.
  static let mergedByteCountMax = 4 << 20

  /// Documents that are looked at for one page of a filtered list.
  static let examinedCountMax = 1000
  /// Bytes of documents that are read for one page, unless the first one alone is larger.
  static let examinedByteCountMax = 4 << 20
  /// Documents in a collection that is sorted by a field.
  static let sortedCountMax: Int64 = 10_000
  /// Bytes of a collection that is sorted by a field.
  static let sortedByteCountMax: Int64 = 8 << 20
  /// Documents that one user may have sorted by fields at once: every page sorts its collection anew.
  static let sortedAtOnceMax: Int64 = 200_000
  /// How long it takes until all of them are back, in milliseconds.
  static let sortWindow: Int64 = 4_000
  /// Bytes that count as another document where documents are large.
  static let sortedUnitByteCount: Int64 = 512

  /// Events that are read at a time for a watcher.
  static let eventCountMax = 256
  /// Bytes of documents that are read at a time for a watcher, unless the first one alone is larger.
  static let eventByteCountMax = 1 << 20
  /// Changes of a collection that happen while a watcher takes none of its events; then it is cut off.
  static let missedCountMax = 10_000

  /// Documents of one batch of a migration, or of one call that deletes them all.
  static let batchCountMax = 500
  /// Bytes of one batch of a migration, unless the first document alone is larger.
  static let batchByteCountMax = 4 << 20
}

/// The bounds, as the metric of refusals calls them.
enum DocumentLimit: String, CaseIterable, Sendable {
  case documents
  case bytes
  case collections
  case content
  case merge
  case sort
  case watch
}

/// The quantities that the bounds limit, and how often each refused something.
final class DocumentMeter: Sendable {
  /// How many documents users have had sorted by fields lately.
  let sorts = SpendingLimit(
    amount: DocumentLimits.sortedAtOnceMax,
    window: DocumentLimits.sortWindow
  )
  let refusals: CounterByLabel<DocumentLimit>

  init(_ registry: MetricRegistry) {
    refusals = CounterByLabel(
      registry,
      "gatehouse_tenancy_document_refusals_total",
      help: "Calls about documents of users that were refused at a limit, by the limit.",
      label: "limit"
    )
  }
}
