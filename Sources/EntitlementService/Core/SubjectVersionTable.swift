internal import ServiceKit

/// The table `subject_version`: how often a subject's entitlements have changed.
enum SubjectVersionTable {
  /// The kind of change that watches are notified of, with the version as payload.
  static let changeKind = "subject"

  /// The version of a subject; 0 for one that never had anything.
  static func current(of subject: Subject, in tx: borrowing some Queryable) throws -> UInt64 {
    let version = try tx.first(
      "SELECT version FROM subject_version WHERE kind = ? AND id = ?",
      subject.stored.kind,
      subject.stored.id
    ) { $0.integer(0) }
    return UInt64(version ?? 0)
  }

  /// Raises the version of a subject; the new one.
  static func increment(_ subject: Subject, in tx: borrowing WriteTransaction) throws -> UInt64 {
    let version = try tx.first(
      """
      INSERT INTO subject_version (kind, id, version) VALUES (?, ?, 1)
      ON CONFLICT (kind, id) DO UPDATE SET version = subject_version.version + 1 RETURNING version
      """,
      subject.stored.kind,
      subject.stored.id
    ) { $0.integer(0) }
    return UInt64(version ?? 0)
  }

  /// Tells those who watch that the entitlements of a subject are others.
  static func announce(
    _ subject: Subject,
    version: UInt64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.appendChange(
      kind: changeKind,
      subject: "\(subject.kind.rawValue)/\(subject.id)",
      scope: "",
      payload: Array("\(version)".utf8)
    )
  }

  /// The subject and version of a change; nil for a change of another kind.
  static func read(_ change: Change) -> (subject: Subject, version: UInt64)? {
    guard change.kind == changeKind, let slash = change.subject.firstIndex(of: "/"),
      let kind = Subject.Kind(rawValue: String(change.subject[..<slash])),
      let version = UInt64(String(decoding: change.payload, as: UTF8.self))
    else { return nil }
    let id = change.subject[change.subject.index(after: slash)...]
    return (Subject(kind, String(id)), version)
  }
}
