import ServiceKit

/// The state of a store as a program knows it without asking, by the changes that it has followed.
final class Memory: CommitFollower, @unchecked Sendable {
  private(set) var owners: [String: Set<String>] = [:]
  private(set) var formerGuests: Set<String> = []
  /// All changes that were followed.
  private(set) var changes: [Change] = []
  private(set) var revision: Int64
  private let report: (String) -> Void

  init(
    revision: Int64,
    owners: [String: Set<String>],
    formerGuests: Set<String>,
    report: @escaping (String) -> Void
  ) {
    (self.revision, self.owners, self.formerGuests) = (revision, owners, formerGuests)
    self.report = report
  }

  func follow(_ changes: [Change]) {
    for change in changes {
      if change.revision != revision + 1 {
        report("follows change \(change.revision) after \(revision)")
      }
      revision = change.revision
      self.changes.append(change)
      Self.apply(change, &owners, &formerGuests)
    }
  }

  /// Takes over a change; whether a house has lost its last owner by it.
  @discardableResult
  static func apply(
    _ change: Change,
    _ owners: inout [String: Set<String>],
    _ formerGuests: inout Set<String>
  ) -> Bool {
    switch change.kind {
    case "owner.joined": owners[change.scope, default: []].insert(change.subject)
    case "owner.left":
      owners[change.scope, default: []].remove(change.subject)
      return owners[change.scope, default: []].isEmpty
    case "guest.left": formerGuests.insert(change.subject)
    default: break
    }
    return false
  }
}
