internal import RPCKit
internal import ServiceKit

/// Keeps what subjects have in memory, and so must know of each change from before its commit until after it.
protocol SubjectFollower: Sendable {
  /// A write is going to change the subject.
  func beginChange(_ subject: Subject)

  /// The write is over, however it ended.
  func endChange(_ subject: Subject)

  /// The next change by time alone, with what is stored in this transaction.
  func timeline(
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> [DueChange]
}

/// The subjects that one write changes, and the holders whose points it does.
final class SubjectChanges: Sendable {
  private let follower: any SubjectFollower
  private let tombstones: Tombstones?
  private let pointsNews: PointsNews?
  /// Whether other programs that serve the store have to hear of points by the log.
  private let isShared: Bool
  private let subjects = Lock(Set<Subject>())
  private let holders = Lock(Set<String>())

  init(
    _ follower: any SubjectFollower,
    tombstones: Tombstones? = nil,
    pointsNews: PointsNews? = nil,
    isShared: Bool = false
  ) {
    self.isShared = isShared
    (self.follower, self.tombstones, self.pointsNews) = (follower, tombstones, pointsNews)
  }

  /// Whether a user was deleted.
  func isErased(userID: String, in tx: borrowing WriteTransaction) throws -> Bool {
    try tombstones?.contains(.user(userID), in: tx) ?? false
  }

  /// Whether a user or an entity was deleted.
  func isErased(_ subject: Subject, in tx: borrowing WriteTransaction) throws -> Bool {
    try tombstones?.contains(subject.tombstone, in: tx) ?? false
  }

  /// Throws NOT_FOUND for a user or an entity that was deleted: what a service does late must not bring
  /// anything back.
  func requireNotErased(_ subject: Subject, in tx: borrowing WriteTransaction) throws {
    try requireNone(subject.tombstone, in: tx)
  }

  /// As the other one, for an entity that has points.
  func requireNotErased(holder id: String, in tx: borrowing WriteTransaction) throws {
    try requireNone(.holder(id), in: tx)
  }

  private func requireNone(_ name: Tombstones.Name, in tx: borrowing WriteTransaction) throws {
    guard let tombstones, try tombstones.contains(name, in: tx) else { return }
    throw EntitlementError.notFound
  }

  /// Says that a subject is being changed; at most counted once.
  func begin(_ subject: Subject) {
    if subjects.withLock({ $0.insert(subject).inserted }) { follower.beginChange(subject) }
  }

  /// Announces that the points of a holder changed, once the write is over.
  ///
  /// By the log of changes where other programs serve the store too; else in memory, which costs no row.
  func changePoints(of holder: String, in tx: borrowing WriteTransaction) throws {
    guard isShared else { return holders.withLock { _ = $0.insert(holder) } }
    try tx.announce(kind: PointsNews.changeKind, subject: holder)
  }

  /// Says that the write is over, however it ended.
  func end() {
    let ended = subjects.withLock { subjects in
      defer { subjects = [] }
      return subjects
    }
    for subject in ended { follower.endChange(subject) }
    let changed = holders.withLock { holders in
      defer { holders = [] }
      return holders
    }
    for holder in changed { pointsNews?.note(holder) }
  }

  /// Raises the version of a subject whose entitlements this transaction has changed, says in its log why
  /// and what, and tells those who watch.
  ///
  /// From here until the commit has been answered nobody is served from memory.
  @discardableResult
  func raise(
    _ subject: Subject,
    because cause: ChangeCause,
    _ parts: [PartChange],
    in tx: borrowing WriteTransaction
  ) throws -> UInt64 {
    try requireNotErased(subject, in: tx)
    begin(subject)
    let version = try SubjectVersionTable.increment(subject, in: tx)
    try EntitlementChangeTable.append(
      parts,
      because: cause,
      ahead: try follower.timeline(of: subject, in: tx),
      of: subject,
      version: version,
      in: tx
    )
    try SubjectVersionTable.announce(subject, version: version, in: tx)
    try Self.tell(of: subject, because: cause, parts, version: Int64(clamping: version), in: tx)
    return version
  }

  /// Writes the event of a plan that is another one now.
  static func tell(
    of subject: Subject,
    because cause: ChangeCause,
    _ parts: [PartChange],
    version: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let changed = parts.map { "\($0.part.kind.rawValue) \($0.effect.rawValue)" }
    try tx.event(
      "plan.changed",
      object: subject.id,
      scope: subject.id,
      userID: subject.kind == .user ? subject.id : "",
      EventData([
        "subject": subject.kind.rawValue,
        "cause": cause.rawValue,
        "changed": changed.isEmpty ? nil : Set(changed).sorted().joined(separator: ", "),
        "version": "\(version)",
      ])
    )
  }
}

extension Subject {
  /// The name of the subject among those that were deleted.
  fileprivate var tombstone: Tombstones.Name { kind == .user ? .user(id) : .holder(id) }
}
