internal import ServiceKit

/// A mail with the code of an invitation that nobody has taken yet, as the store keeps it.
///
/// The row is the only place that has the code, sealed, and goes when the mail was taken or is of no use.
struct InvitationMail: Sendable {
  let invitation: InvitationRecord
  /// The name of the entity that the role is on, as it is now.
  let entityName: String
  /// The name of what a device is in; empty for other entities.
  let parentName: String
  /// The code, sealed for the invitation.
  let sealed: [UInt8]
}

enum InvitationMailTable {
  /// Adds one that is due now.
  static func insert(
    _ invitationID: String,
    sealed: [UInt8],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "INSERT INTO invitation_mail (invitation_id, sealed, attempts, due_at) VALUES (?, ?, 0, ?)",
      values: [.text(invitationID), .blob(sealed), .integer(tx.now)]
    )
  }

  /// That of an invitation; nil once it was taken or dropped.
  static func find(
    _ invitationID: String,
    namingParentOf hasParent: (String) -> Bool = { _ in false },
    in tx: borrowing some Queryable
  ) throws -> InvitationMail? {
    let sealed = try tx.first(
      "SELECT sealed FROM invitation_mail WHERE invitation_id = ?",
      .text(invitationID)
    ) { $0.blob(0) }
    // There is no mail without an invitation: its key is a foreign one.
    guard let sealed, let invitation = try InvitationTable.find(invitationID, in: tx) else {
      return nil
    }
    let entity = try EntityTable.find(invitation.entityID, type: invitation.entityType, in: tx)
    return InvitationMail(
      invitation: invitation,
      entityName: entity?.name ?? "",
      parentName: hasParent(invitation.entityType) ? try parentName(of: entity, in: tx) : "",
      sealed: sealed
    )
  }

  /// The name of what an entity is in: a device alone says little, as there are many front doors.
  private static func parentName(
    of entity: EntityRecord?,
    in tx: borrowing some Queryable
  ) throws -> String {
    guard let entity else { return "" }
    return try EntityTable.all([entity.parentID], in: tx).first?.name ?? ""
  }

  /// Has one that waits tried now; false when none does.
  static func hurry(_ invitationID: String, in tx: borrowing WriteTransaction) throws -> Bool {
    try tx.rowsChanged(
      by: "UPDATE invitation_mail SET due_at = ? WHERE invitation_id = ?",
      .integer(tx.now),
      .text(invitationID)
    ) > 0
  }

  /// Notes that a mail was taken.
  static func taken(_ invitationID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE invitation SET mailed_at = ? WHERE id = ?",
      .integer(tx.now),
      .text(invitationID)
    )
  }

  /// Forgets one, and the code with it.
  static func delete(_ invitationID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM invitation_mail WHERE invitation_id = ?",
      .text(invitationID)
    )
  }
}
