internal import PeerContracts
internal import TenancyContracts

/// The objects that an app was sent, as far as a change that it is yet to be sent may be part of them.
///
/// A read sees commits that are about to be published, so an object may reflect changes that come as events later.
struct SentObjects: Sendable {
  /// An object as events name it.
  private struct Key: Hashable {
    let kind: Tenancy_V1.AppEventKind
    let type: String
    let id: String
    let collection: String

    init(_ event: Tenancy_V1.AppEvent) {
      (kind, type) = (event.kind, event.objectType)
      (id, collection) = (event.objectId, event.collection)
    }
  }

  /// The newest change that any other object may reflect: those of an earlier stream, and those not kept here.
  private var others: Int64
  /// The newest change that each of these objects reflects.
  private var newest: [Key: Int64] = [:]

  /// Those of a stream that begins where anything sent before reflects no change after this one.
  init(reflecting revision: Int64) { others = revision }

  /// Whether an event of a change may have been sent in the same way already.
  func mayHave(_ event: Tenancy_V1.AppEvent, of revision: Int64) -> Bool {
    revision <= others || newest[Key(event)].map { revision <= $0 } == true
  }

  /// Adds what was sent; changes up to `position` will not come again.
  mutating func add(
    _ events: [Tenancy_V1.AppEvent],
    reflecting revision: Int64,
    position: Int64
  ) {
    if !newest.isEmpty { newest = newest.filter { $0.value > position } }
    guard revision > position else { return }
    for event in events { newest[Key(event)] = revision }
    guard newest.count > AppWatchLimits.sentCountMax else { return }
    // What may have been sent may be marked.
    others = max(others, newest.values.max() ?? 0)
    newest = [:]
  }
}
