internal import ServiceKit

/// Takes everything from an entity that was deleted in TenancyService.
struct HolderEnd {
  let holderID: String

  /// The subjects that an entity can be here.
  ///
  /// TenancyService's identifiers are of one entity each, so the subject of another kind has nothing.
  private var subjects: [Subject] {
    [Subject.Kind.organization, .portfolio, .family].map { Subject($0, holderID) }
  }

  /// Deletes what the entity has, tells watchers that its features are gone, and remembers it for good.
  ///
  /// Purchases stay, bound to nobody: their buyers may hand them in for other subjects. May be done again.
  func run(
    _ tombstones: Tombstones,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    for subject in subjects {
      changes.begin(subject)
      let version = try SubjectVersionTable.current(of: subject, in: tx)
      try SubjectRows.delete(subject, in: tx)
      try PurchaseBindingTable.remove(of: subject, in: tx)
      // Anyone who has a version was given something, and others may have kept that.
      guard version > 0 else { continue }
      try SubjectVersionTable.announce(subject, version: version + 1, in: tx)
    }
    try SubjectRows.deletePoints(of: holderID, in: tx)
    guard try tombstones.insert(.holder(holderID), in: tx) else { return }
    try tx.audit("holder.end", object: holderID, scope: holderID)
  }
}
