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

  /// The event of an action that has made the record what it is, or has removed it; nil for what is no news.
  func event(of action: AuditedAction, after before: Self?) -> RecordEvent?
}

/// An action on a record, as events depend on it.
struct AuditedAction {
  /// The effect on the record.
  enum Effect {
    case made
    case changed
    case removed
  }

  let effect: Effect
  /// The last part of the action's name: `update` of `unit.update`.
  let deed: String

  init(_ action: String, _ effect: Effect) {
    self.effect = effect
    deed = String(action.drop { $0 != "." }.dropFirst())
  }
}

/// An event about a record.
struct RecordEvent {
  let type: String
  /// The object, if it is not what the audit log names.
  var object: String?
  /// The person it is about.
  var userID = ""
  var data = EventData([:])
}

extension WriteTransaction {
  /// Records that a record has changed, or was made or removed, and tells other systems of it.
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
    guard keepsEvents else { return }
    let effect: AuditedAction.Effect = before == nil ? .made : after == nil ? .removed : .changed
    guard let event = record.event(of: AuditedAction(action, effect), after: before) else { return }
    try self.event(
      event.type,
      object: event.object ?? record.auditObject,
      scope: record.rootID,
      userID: event.userID,
      event.data
    )
  }
}
