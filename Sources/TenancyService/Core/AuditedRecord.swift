internal import ServiceKit

/// A record whose changes go to the audit log.
protocol AuditedRecord {
  /// The identifier of what the audit log says was changed.
  var auditObject: String { get }
  /// The tenant it belongs to.
  var rootID: String { get }
  /// The detail that tells it from other records of the object; empty if it is the object.
  var auditDetail: String { get }
  /// Digest of all that people can change.
  var digest: [UInt8] { get }
}

extension WriteTransaction {
  /// Records that a record has changed, or was made or removed.
  func audit<Record: AuditedRecord>(
    _ action: String,
    from before: Record? = nil,
    to after: Record? = nil
  ) throws {
    guard let record = after ?? before else { return }
    try audit(
      action,
      object: record.auditObject,
      scope: record.rootID,
      before: before?.digest,
      after: after?.digest,
      detail: record.auditDetail
    )
  }
}
