internal import ServiceKit

/// The tables of TenancyService.
enum TenancySchema {
  /// Marks the file as this service's: "GHTN".
  static let applicationID: Int32 = 0x4748_544E

  /// All steps, oldest first; forward only.
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE entity (
          id TEXT PRIMARY KEY,
          type TEXT NOT NULL,
          parent_id TEXT REFERENCES entity (id),
          root_id TEXT NOT NULL,
          name TEXT NOT NULL,
          attributes TEXT NOT NULL,
          desired_state TEXT NOT NULL,
          revision INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        CREATE INDEX entity_by_parent ON entity (parent_id);
        INSERT INTO entity VALUES ('sys_root', 'system', NULL, 'sys_root', '', '{}', '', 0, 0, 0);
        CREATE TABLE association (
          id TEXT PRIMARY KEY,
          user_id TEXT NOT NULL,
          entity_id TEXT NOT NULL REFERENCES entity (id),
          role TEXT NOT NULL,
          valid_from INTEGER,
          valid_until INTEGER,
          granted_by TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          added INTEGER NOT NULL
        );
        CREATE INDEX association_by_user ON association (user_id, added);
        CREATE INDEX association_by_entity ON association (entity_id, added);
        CREATE TABLE entity_link (
          link TEXT NOT NULL,
          from_id TEXT NOT NULL REFERENCES entity (id),
          to_id TEXT NOT NULL REFERENCES entity (id),
          place INTEGER NOT NULL,
          PRIMARY KEY (link, from_id, to_id)
        );
        CREATE INDEX entity_link_by_from ON entity_link (from_id, place);
        CREATE INDEX entity_link_by_to ON entity_link (to_id);
        CREATE TABLE access_record (
          id TEXT PRIMARY KEY,
          device_id TEXT NOT NULL,
          user_id TEXT NOT NULL,
          operation TEXT NOT NULL,
          succeeded INTEGER NOT NULL,
          reason TEXT NOT NULL,
          role TEXT NOT NULL,
          recorded_at INTEGER NOT NULL
        );
        CREATE INDEX access_record_by_device ON access_record (device_id, recorded_at, id);
        CREATE TABLE tombstone (
          id TEXT PRIMARY KEY,
          type TEXT NOT NULL,
          root_id TEXT NOT NULL,
          deleted_at INTEGER NOT NULL
        );
        CREATE TABLE service_secret (
          name TEXT PRIMARY KEY,
          bytes BLOB NOT NULL
        );
        """
    ),
    Migration(
      version: 2,
      sql: """
        CREATE TABLE suspension (
          user_id TEXT PRIMARY KEY,
          note TEXT NOT NULL,
          suspended_by TEXT NOT NULL,
          suspended_at INTEGER NOT NULL,
          revision INTEGER NOT NULL
        );
        """
    ),
    Migration(
      version: 3,
      sql: """
        ALTER TABLE access_record ADD COLUMN is_stranger INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX access_record_of_strangers ON access_record (device_id, recorded_at, id)
          WHERE is_stranger = 1;
        CREATE INDEX association_by_granter ON association (granted_by) WHERE valid_until IS NOT NULL;
        """
    ),
    Migration(
      version: 4,
      // Where older ones hung is not known any more; their roots are.
      sql: """
        ALTER TABLE tombstone ADD COLUMN parent_id TEXT NOT NULL DEFAULT 'sys_root';
        UPDATE tombstone SET parent_id = root_id WHERE root_id <> id;
        CREATE INDEX tombstone_by_time ON tombstone (deleted_at, id);
        """
    ),
    Migration(
      version: 5,
      sql: """
        DROP INDEX association_by_granter;
        CREATE INDEX association_by_granter ON association (granted_by, role);
        """
    ),
    Migration(
      version: 6,
      // The content comes last, so that it is not read for the sake of what stands behind it. See
      // `UserDocuments` for documents and `StoreTransaction.changes` for the index of the change log.
      sql: """
        CREATE TABLE document (
          user_id TEXT NOT NULL,
          collection TEXT NOT NULL,
          id TEXT NOT NULL,
          revision INTEGER NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          digest BLOB NOT NULL,
          byte_count INTEGER NOT NULL,
          json TEXT NOT NULL,
          PRIMARY KEY (user_id, collection, id)
        );
        CREATE INDEX document_by_revision ON document (user_id, collection, revision, id);
        CREATE INDEX document_by_creation ON document (user_id, collection, created_at, id);
        CREATE TABLE document_usage (
          user_id TEXT NOT NULL,
          collection TEXT NOT NULL,
          document_count INTEGER NOT NULL CHECK (document_count >= 0),
          byte_count INTEGER NOT NULL CHECK (byte_count >= 0),
          PRIMARY KEY (user_id, collection)
        ) WITHOUT ROWID;
        CREATE INDEX document_change ON change_log (scope, revision) WHERE kind = 'document';
        CREATE TABLE legacy_document (
          collection TEXT NOT NULL
            CHECK (collection IN ('sessions', 'mood_entries', 'insights', 'chat_messages')),
          id TEXT NOT NULL,
          user_id TEXT NOT NULL,
          digest BLOB NOT NULL,
          byte_count INTEGER NOT NULL,
          json TEXT NOT NULL,
          PRIMARY KEY (collection, id)
        );
        CREATE INDEX legacy_document_by_user ON legacy_document (user_id, collection, id);
        CREATE TABLE legacy_seal (sealed_at INTEGER NOT NULL);
        CREATE TRIGGER legacy_document_insert BEFORE INSERT ON legacy_document
          WHEN EXISTS (SELECT 1 FROM legacy_seal)
          BEGIN SELECT RAISE(ABORT, 'legacy collections are read-only'); END;
        CREATE TRIGGER legacy_document_update BEFORE UPDATE ON legacy_document
          WHEN EXISTS (SELECT 1 FROM legacy_seal)
          BEGIN SELECT RAISE(ABORT, 'legacy collections are read-only'); END;
        CREATE TABLE legacy_migration (
          user_id TEXT PRIMARY KEY,
          collection TEXT NOT NULL,
          document_id TEXT NOT NULL,
          copied_count INTEGER NOT NULL,
          skipped_count INTEGER NOT NULL,
          started_at INTEGER NOT NULL,
          finished_at INTEGER
        );
        """
    ),
    Migration(
      version: 7,
      // What was replaced or removed, with the instant until which it counted; see `PastForest`.
      sql: """
        ALTER TABLE association ADD COLUMN recurring TEXT;
        ALTER TABLE association ADD COLUMN variant TEXT NOT NULL DEFAULT '';
        CREATE INDEX association_by_variant ON association (variant) WHERE variant <> '';
        CREATE TABLE role_definition (
          id TEXT PRIMARY KEY,
          root_id TEXT NOT NULL REFERENCES entity (id),
          name TEXT NOT NULL,
          base_role TEXT NOT NULL,
          actions TEXT NOT NULL,
          defined_by TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          UNIQUE (root_id, name)
        );
        CREATE TABLE past_role_definition (
          sequence INTEGER PRIMARY KEY,
          id TEXT NOT NULL,
          root_id TEXT NOT NULL,
          name TEXT NOT NULL,
          base_role TEXT NOT NULL,
          actions TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          ended_at INTEGER NOT NULL
        );
        CREATE INDEX past_role_definition_by_root ON past_role_definition (root_id, ended_at);
        CREATE INDEX past_role_definition_by_time ON past_role_definition (ended_at);
        ALTER TABLE entity_link ADD COLUMN began_at INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE past_entity (
          sequence INTEGER PRIMARY KEY,
          id TEXT NOT NULL,
          type TEXT NOT NULL,
          parent_id TEXT,
          name TEXT NOT NULL,
          attributes TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          ended_at INTEGER NOT NULL
        );
        CREATE INDEX past_entity_by_id ON past_entity (id, sequence);
        CREATE INDEX past_entity_by_time ON past_entity (ended_at);
        CREATE TABLE past_association (
          sequence INTEGER PRIMARY KEY,
          id TEXT NOT NULL,
          user_id TEXT NOT NULL,
          entity_id TEXT NOT NULL,
          role TEXT NOT NULL,
          valid_from INTEGER,
          valid_until INTEGER,
          recurring TEXT,
          variant TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          ended_at INTEGER NOT NULL
        );
        CREATE INDEX past_association_by_user ON past_association (user_id, ended_at);
        CREATE INDEX past_association_by_time ON past_association (ended_at);
        CREATE TABLE past_link (
          link TEXT NOT NULL,
          from_id TEXT NOT NULL,
          to_id TEXT NOT NULL,
          began_at INTEGER NOT NULL,
          ended_at INTEGER NOT NULL
        );
        CREATE INDEX past_link_by_to ON past_link (to_id, ended_at);
        CREATE INDEX past_link_by_time ON past_link (ended_at);
        CREATE TABLE past_suspension (
          user_id TEXT NOT NULL,
          began_at INTEGER NOT NULL,
          ended_at INTEGER NOT NULL
        );
        CREATE INDEX past_suspension_by_user ON past_suspension (user_id, ended_at);
        CREATE INDEX past_suspension_by_time ON past_suspension (ended_at);
        CREATE TABLE past_policy (
          sequence INTEGER PRIMARY KEY,
          began_at INTEGER NOT NULL,
          digest BLOB NOT NULL,
          sources TEXT NOT NULL
        );
        """
    ),
    Migration(
      version: 8,
      // What belongs to an entity goes with it. Codes are found by the beginning of their digest, and
      // pairing codes by the letters that are no secret.
      sql: """
        CREATE TABLE invitation (
          id TEXT PRIMARY KEY,
          entity_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
          role TEXT NOT NULL,
          email TEXT NOT NULL,
          email_key TEXT NOT NULL,
          valid_from INTEGER,
          valid_until INTEGER,
          expires_at INTEGER NOT NULL,
          invited_by TEXT NOT NULL,
          inviter_acr TEXT NOT NULL,
          code_key BLOB NOT NULL,
          code_digest BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          state TEXT NOT NULL,
          closed_at INTEGER,
          closed_by TEXT NOT NULL,
          association_id TEXT NOT NULL
        );
        CREATE INDEX invitation_by_entity ON invitation (entity_id, id);
        CREATE INDEX invitation_by_inviter ON invitation (invited_by, id);
        CREATE INDEX invitation_by_address ON invitation (email_key, id) WHERE email_key <> '';
        CREATE INDEX invitation_by_code ON invitation (code_key);
        CREATE INDEX invitation_by_expiry ON invitation (expires_at);
        CREATE INDEX invitation_pending_of_entity ON invitation (entity_id, expires_at)
          WHERE state = 'pending';
        CREATE INDEX invitation_pending_of_inviter ON invitation (invited_by, expires_at)
          WHERE state = 'pending';
        CREATE TABLE pairing_code (
          selector TEXT PRIMARY KEY,
          digest BLOB NOT NULL,
          family_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
          child_id TEXT REFERENCES entity (id) ON DELETE CASCADE,
          issued_by TEXT NOT NULL,
          issuer_acr TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          wrong_count INTEGER NOT NULL
        );
        CREATE INDEX pairing_code_by_family ON pairing_code (family_id, created_at);
        CREATE INDEX pairing_code_by_child ON pairing_code (child_id);
        CREATE INDEX pairing_code_by_expiry ON pairing_code (expires_at);
        CREATE TABLE pairing (
          id TEXT PRIMARY KEY,
          family_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
          child_id TEXT REFERENCES entity (id) ON DELETE CASCADE,
          device_id TEXT NOT NULL,
          device_name TEXT NOT NULL,
          user_id TEXT NOT NULL,
          issued_by TEXT NOT NULL,
          paired_at INTEGER NOT NULL,
          association_id TEXT NOT NULL
        );
        CREATE INDEX pairing_by_family ON pairing (family_id, id);
        CREATE INDEX pairing_by_child ON pairing (child_id);
        CREATE UNIQUE INDEX pairing_by_device ON pairing (device_id, user_id);
        CREATE TABLE device_command (
          id TEXT PRIMARY KEY,
          revision INTEGER NOT NULL UNIQUE,
          device_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
          property_id TEXT NOT NULL,
          operation TEXT NOT NULL,
          parameters TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          outcome TEXT NOT NULL,
          detail TEXT NOT NULL,
          acknowledged_at INTEGER
        );
        CREATE INDEX device_command_by_device ON device_command (device_id);
        CREATE INDEX device_command_waiting ON device_command (revision) WHERE outcome = '';
        CREATE INDEX device_command_waiting_of_property ON device_command (property_id, revision)
          WHERE outcome = '';
        CREATE INDEX device_command_by_expiry ON device_command (expires_at);
        """
    ),
    Migration(
      version: 9,
      // Associations that ended before this are not known any more: `report_coverage` says so, unless the
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
    // Integrator: the PIN has this number; take its body.
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
    RoleReview.migration,
  ]
}
