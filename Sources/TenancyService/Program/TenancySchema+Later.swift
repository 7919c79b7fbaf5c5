internal import ServiceKit

extension TenancySchema {
  /// From version 9 to version 16.
  static let later = [
    Migration(
      version: 9,
      // Associations that ended before this are no longer known: `report_coverage` says so, unless the
      // store is new. See `AssociationHistory` and `RefusalTally`.
      sql: """
        CREATE TABLE association_history (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          association_id TEXT NOT NULL,
          user_id TEXT NOT NULL,
          role TEXT NOT NULL,
          custom_role TEXT NOT NULL,
          entity_id TEXT NOT NULL,
          entity_type TEXT NOT NULL,
          entity_name TEXT NOT NULL,
          root_id TEXT NOT NULL,
          granted_by TEXT NOT NULL,
          valid_from INTEGER,
          valid_until INTEGER,
          recurring TEXT,
          began_at INTEGER NOT NULL,
          ended_at INTEGER
        );
        INSERT INTO association_history (association_id, user_id, role, custom_role, entity_id,
            entity_type, entity_name, root_id, granted_by, valid_from, valid_until, recurring,
            began_at)
          SELECT a.id, a.user_id, a.role, coalesce(d.name, ''), a.entity_id, e.type, e.name,
            e.root_id, a.granted_by, a.valid_from, a.valid_until, a.recurring, a.created_at
          FROM association a JOIN entity e ON e.id = a.entity_id
          LEFT JOIN role_definition d ON d.id = a.variant ORDER BY a.added;
        CREATE INDEX association_history_by_root ON association_history (root_id, sequence);
        CREATE INDEX association_history_open ON association_history (association_id)
          WHERE ended_at IS NULL;
        CREATE INDEX association_history_open_by_entity ON association_history (entity_id)
          WHERE ended_at IS NULL;
        CREATE INDEX association_history_ended ON association_history (ended_at)
          WHERE ended_at IS NOT NULL;
        CREATE TABLE refusal (
          root_id TEXT NOT NULL,
          hour INTEGER NOT NULL,
          actor TEXT NOT NULL,
          on_behalf_of TEXT NOT NULL,
          action TEXT NOT NULL,
          object TEXT NOT NULL,
          reason TEXT NOT NULL,
          count INTEGER NOT NULL,
          first_at INTEGER NOT NULL,
          last_at INTEGER NOT NULL,
          PRIMARY KEY (root_id, hour, actor, on_behalf_of, action, object, reason)
        ) WITHOUT ROWID;
        CREATE INDEX refusal_by_hour ON refusal (hour);
        CREATE TABLE report_coverage (since INTEGER NOT NULL);
        INSERT INTO report_coverage
          SELECT CASE WHEN EXISTS (SELECT 1 FROM audit_log)
            THEN CAST(strftime('%s', 'now') AS INTEGER) * 1000 ELSE 0 END;
        """
    ),
    Migration(
      version: 10,
      // One history of roles instead of two. What ended before version 9 is known without its tree, so no
      // report has it; a row there began when the one before it ended.
      sql: """
        ALTER TABLE association_history ADD COLUMN variant TEXT NOT NULL DEFAULT '';
        UPDATE association_history SET variant = coalesce(
          (SELECT variant FROM association WHERE id = association_id),
          (SELECT variant FROM past_association WHERE id = association_id), '');
        INSERT INTO association_history (association_id, user_id, role, custom_role, entity_id,
            entity_type, entity_name, root_id, granted_by, valid_from, valid_until, recurring, variant,
            began_at, ended_at)
          SELECT id, user_id, role, '', entity_id, '', '', '', '', valid_from, valid_until, recurring,
            variant, began_at, ended_at
          FROM (
            SELECT *, coalesce(
              lag(ended_at) OVER (PARTITION BY id ORDER BY sequence), created_at) AS began_at
            FROM past_association) AS past
          WHERE NOT EXISTS (
            SELECT 1 FROM association_history AS known
            WHERE known.association_id = past.id AND known.ended_at = past.ended_at)
          ORDER BY sequence;
        DROP TABLE past_association;
        CREATE INDEX association_history_by_user ON association_history (user_id, ended_at);
        ALTER TABLE invitation ADD COLUMN recurring TEXT;
        """
    ),
    Migration(
      version: 11,
      // Codes of invitations by address, until AuthService has taken the mails with them.
      sql: """
        CREATE TABLE invitation_mail (
          invitation_id TEXT PRIMARY KEY REFERENCES invitation (id) ON DELETE CASCADE,
          sealed BLOB NOT NULL,
          attempts INTEGER NOT NULL,
          due_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX invitation_mail_by_due ON invitation_mail (due_at, invitation_id);
        """
    ),
    Migration(
      version: 12,
      // What exports of accounts look for.
      sql: """
        CREATE INDEX pairing_by_user ON pairing (user_id, id);
        CREATE INDEX invitation_by_closer ON invitation (closed_by, id) WHERE closed_by <> '';
        CREATE INDEX refusal_by_actor ON refusal (actor);
        CREATE INDEX refusal_on_behalf ON refusal (on_behalf_of) WHERE on_behalf_of <> '';
        """
    ),
    Migration(version: 13, sql: Tombstones.table),
    Migration(
      version: 14,
      // What was deleted, and which of it EntitlementService has not heard of yet. That is everything which
      // older versions have deleted and still know of: roots, and children, who have points.
      sql: """
        CREATE TABLE entity_deletion (
          id TEXT PRIMARY KEY,
          entity_id TEXT NOT NULL,
          entity_type TEXT NOT NULL,
          deleted_by TEXT NOT NULL,
          deleted_at INTEGER NOT NULL,
          holder_count INTEGER NOT NULL,
          finished_at INTEGER
        );
        CREATE INDEX entity_deletion_by_finish ON entity_deletion (finished_at)
          WHERE finished_at IS NOT NULL;
        CREATE TABLE ended_holder (
          holder_id TEXT PRIMARY KEY,
          deletion_id TEXT NOT NULL,
          attempts INTEGER NOT NULL,
          due_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX ended_holder_by_due ON ended_holder (due_at, holder_id);
        CREATE INDEX ended_holder_by_deletion ON ended_holder (deletion_id);
        INSERT INTO ended_holder SELECT id, '', 0, 0 FROM tombstone
          WHERE parent_id = 'sys_root' OR type = 'child';
        """
    ),
    Migration(
      version: 15,
      // What AuthService says of accounts, as far as it decides who can act for good; since when an entity is
      // where it is, 0 for always; and what one user did with a device.
      sql: """
        CREATE TABLE account_state (
          user_id TEXT PRIMARY KEY,
          version INTEGER NOT NULL,
          is_disabled INTEGER NOT NULL,
          is_deletion_begun INTEGER NOT NULL
        ) WITHOUT ROWID;
        ALTER TABLE entity ADD COLUMN placed_at INTEGER NOT NULL DEFAULT 0;
        UPDATE entity SET placed_at = coalesce((
          SELECT max(past.ended_at) FROM past_entity AS past
          WHERE past.id = entity.id AND past.parent_id <> entity.parent_id), 0);
        CREATE INDEX access_record_by_user ON access_record (device_id, user_id, recorded_at, id);
        """
    ),
    Migration(
      version: 16,
      // What an invitation was made for, and what has happened since. Of several to one role for one address
      // the latest stays.
      sql: """
        ALTER TABLE invitation ADD COLUMN replaces_window INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE invitation ADD COLUMN made_for TEXT;
        ALTER TABLE invitation ADD COLUMN made_at INTEGER NOT NULL DEFAULT 0;
        UPDATE invitation SET made_for = (
          SELECT d.base_role || ' ' || d.actions FROM role_definition d
          JOIN entity e ON e.root_id = d.root_id
          WHERE e.id = invitation.entity_id AND d.name = invitation.role);
        UPDATE invitation SET state = 'revoked',
            closed_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000
          WHERE state = 'pending' AND email_key <> '' AND EXISTS (
            SELECT 1 FROM invitation AS later
            WHERE later.email_key = invitation.email_key AND later.email_key <> ''
              AND later.entity_id = invitation.entity_id AND later.role = invitation.role
              AND later.state = 'pending' AND later.id > invitation.id
              AND later.expires_at > CAST(strftime('%s', 'now') AS INTEGER) * 1000);
        ALTER TABLE association_history ADD COLUMN ended_revision INTEGER;
        CREATE INDEX pairing_code_by_issuer ON pairing_code (issued_by, created_at);
        """
    ),
  ]
}
