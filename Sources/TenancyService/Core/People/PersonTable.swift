internal import ServiceKit

/// A display name, as AuthService counts its changes.
public struct PersonName: Hashable, Sendable {
  /// The name.
  public let text: String
  /// Counts the changes of the name: of two answers the one with the greater number is newer.
  public let version: Int64

  /// Makes a name.
  public init(_ text: String, version: Int64) { (self.text, self.version) = (text, version) }

  /// The key by which lists are sorted and searched: without regard to case, and not longer than an index needs.
  var key: String { Self.key(of: text) }

  static func key(of text: String) -> String { String(text.lowercased().prefix(keyCountMax)) }

  /// Characters of a key, at most.
  private static let keyCountMax = 64
}

/// The people whom answers of this service show, with their names as far as they are known.
///
/// AuthService has the names. A person is noted here when it is first shown anywhere; `NameFiller` asks for its
/// name, `PeopleFollower` hears of later ones, and erasing the account deletes the row. So lists of a hundred
/// thousand members are read, searched and sorted without a call.
enum PersonTable {
  /// The kind of the entry in the change log of a person who is new here.
  static let changeKind = "person"
  /// Associations that one transaction gives another key.
  static let keyCountMax = 500
  /// People whose names one transaction forgets.
  static let forgottenCountMax = 2000

  static let migration = Migration(
    version: 18,
    // Everyone who is shown already; names are asked for after the start. The sort key is kept with the
    // association: a join would sort all members of an organization for each page.
    sql: """
      CREATE TABLE person (
        user_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        version BIGINT NOT NULL,
        asked_at BIGINT
      );
      CREATE INDEX person_unasked ON person (user_id) WHERE asked_at IS NULL;
      INSERT INTO person (user_id, name, name_key, version)
        SELECT id, '', '', 0 FROM (
          SELECT user_id AS id FROM association UNION SELECT granted_by FROM association
          UNION SELECT user_id FROM association_history
          UNION SELECT granted_by FROM association_history
          UNION SELECT user_id FROM access_record UNION SELECT invited_by FROM invitation
          UNION SELECT user_id FROM pairing UNION SELECT issued_by FROM pairing
          UNION SELECT user_id FROM suspension UNION SELECT suspended_by FROM suspension
          UNION SELECT defined_by FROM role_definition) AS shown
        WHERE id <> '' AND substr(id, 1, 4) <> 'del_';
      CREATE TABLE feed_position (
        name TEXT PRIMARY KEY,
        revision BIGINT NOT NULL
      );
      ALTER TABLE association ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE association ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE association ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
      UPDATE association SET revision = added, updated_at = coalesce((
        SELECT max(state.began_at) FROM association_history AS state
        WHERE state.association_id = association.id AND state.ended_at IS NULL), created_at);
      CREATE INDEX association_by_name ON association (entity_id, name_key, added);
      DROP INDEX association_by_entity;
      CREATE INDEX association_by_entity ON association (entity_id, added, name_key);
      """
  )
}

extension PersonTable {
  /// The version of the name that is known of a person; 0 for none, nil for a person who was never noted.
  static func nameVersion(of userID: String, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT version FROM person WHERE user_id = ?", .text(userID)) { $0.integer(0) }
  }

  /// The first people whose names were never asked for.
  static func unasked(limit: Int, in tx: borrowing some Queryable) throws -> [String] {
    try tx.query(
      "SELECT user_id FROM person WHERE asked_at IS NULL ORDER BY user_id LIMIT ?",
      .integer(limit)
    ) { $0.text(0) }
  }
}

extension PersonTable {
  /// Notes a person who is shown from now on; the key of its name, empty until that is known.
  ///
  /// Not for users who were erased: nobody would ever delete them again.
  @discardableResult
  static func note(person userID: String, in tx: borrowing WriteTransaction) throws -> String {
    let key = try tx.first("SELECT name_key FROM person WHERE user_id = ?", .text(userID)) {
      $0.text(0)
    }
    if let key { return key }
    try insert(userID, PersonName("", version: 0), in: tx)
    return ""
  }

  /// Notes a person with a name that AuthService has just told.
  ///
  /// The name is asked for once more: of one that changed in between, nothing was heard.
  static func note(
    person userID: String,
    named name: PersonName,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let known = try nameVersion(of: userID, in: tx) else {
      return try insert(userID, name, in: tx)
    }
    guard known < name.version else { return }
    try tx.execute(
      "UPDATE person SET name = ?, name_key = ?, version = ?, asked_at = NULL WHERE user_id = ?",
      .text(name.text),
      .text(name.key),
      .integer(name.version),
      .text(userID)
    )
  }

  private static func insert(
    _ userID: String,
    _ name: PersonName,
    in tx: borrowing WriteTransaction
  ) throws {
    guard !userID.isEmpty, !userID.hasPrefix(Pseudonym.prefix) else { return }
    try tx.execute(
      "INSERT INTO person (user_id, name, name_key, version) VALUES (?, ?, ?, ?)",
      .text(userID),
      .text(name.text),
      .text(name.key),
      .integer(name.version)
    )
    try tx.appendChange(kind: changeKind, subject: userID, scope: "")
  }

  /// Takes over a name that AuthService tells, nil for a user whom it does not have; false when so many
  /// associations need the new key that the rest is for another transaction.
  ///
  /// Nothing is taken over of a person who was never noted or was erased, nor of a name older than the known one.
  /// The name itself comes last, so that a process which ends in between begins again.
  static func take(
    _ name: PersonName?,
    of userID: String,
    isAnswer: Bool,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    guard let known = try nameVersion(of: userID, in: tx) else { return true }
    let name = name ?? PersonName("", version: 0)
    guard name.version >= known || name.version == 0 else {
      // Nothing is left to ask for: a newer name is known.
      if isAnswer {
        try tx.execute(
          "UPDATE person SET asked_at = ? WHERE user_id = ?",
          .integer(tx.now),
          .text(userID)
        )
      }
      return true
    }
    let rekeyed = try tx.rowsChanged(
      by: """
        UPDATE association SET name_key = ? WHERE id IN (
          SELECT id FROM association WHERE user_id = ? AND name_key <> ? LIMIT ?)
        """,
      .text(name.key),
      .text(userID),
      .text(name.key),
      .integer(keyCountMax)
    )
    guard rekeyed < keyCountMax else { return false }
    try tx.execute(
      """
      UPDATE person SET name = ?, name_key = ?, version = ?, asked_at = coalesce(?, asked_at)
      WHERE user_id = ?
      """,
      .text(name.text),
      .text(name.key),
      .integer(name.version),
      .optionalInteger(isAnswer ? tx.now : nil),
      .text(userID)
    )
    return true
  }

  /// Has names asked for again that were asked for by an instant (milliseconds since 1970), and forgets the versions
  /// of all; false when so many are left that the rest is for another transaction.
  static func forget(askedBy instant: Int64, in tx: borrowing WriteTransaction) throws -> Bool {
    let count = try tx.rowsChanged(
      by: """
        UPDATE person SET asked_at = NULL, version = 0 WHERE user_id IN (
          SELECT user_id FROM person WHERE asked_at <= ? OR asked_at IS NULL AND version > 0 LIMIT ?)
        """,
      .integer(instant),
      .integer(forgottenCountMax)
    )
    return count < forgottenCountMax
  }

  static func erase(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM person WHERE user_id = ?", .text(userID))
  }
}
