internal import ServiceKit

/// The holdings of subjects, from memory or the store.
final class HoldingsReader: Sendable {
  private let store: ServiceStore
  private let catalogue: CurrentCatalog
  private let cache: HoldingsCache

  /// Keeps `countMax` subjects in memory, at most.
  init(store: ServiceStore, catalogue: CurrentCatalog, countMax: Int) {
    self.store = store
    self.catalogue = catalogue
    cache = HoldingsCache(countMax: countMax)
  }

  /// The holdings of a subject.
  func holdings(of subject: Subject) async throws -> Holdings {
    switch cache.lookup(subject) {
    case .known(let holdings): return holdings
    case .unknown(let ticket):
      do {
        let holdings = try await store.read { try Holdings(stored: subject, in: $0) }
        cache.finish(ticket, subject, holdings)
        return holdings
      } catch {
        cache.finish(ticket, subject, nil)
        throw error
      }
    }
  }
}

extension HoldingsReader: CommitFollower {
  /// Forgets what other programs that serve the store have changed.
  func follow(_ changes: [Change]) {
    for change in changes {
      guard let subject = SubjectVersionTable.read(change)?.subject else { continue }
      cache.beginChange(subject)
      cache.endChange(subject)
    }
  }
}

extension HoldingsReader: SubjectFollower {
  func beginChange(_ subject: Subject) { cache.beginChange(subject) }

  func endChange(_ subject: Subject) { cache.endChange(subject) }

  func timeline(
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> [DueChange] {
    try Holdings(stored: subject, in: tx).timeline(after: tx.now, selling: catalogue.value)
  }
}
