internal import ServiceKit

/// The tables of TenancyService.
enum TenancySchema {
  /// Marks the file as this service's: "GHTN".
  static let applicationID: Int32 = 0x4748_544E
  /// Of the schema that all steps make, for `DatabaseConfiguration.schemaDigest`; SchemaDigestTests says what it is.
  static let digest = "U07Y7QHri-iLr2likg5ET-yimt1kL1-ff3_ebQEvvSw"

  /// All steps, oldest first; forward only.
  static let migrations =
    first + later
    + [
      RoleReview.migration, PersonTable.migration, LimitTable.migration, desiredState,
      InvitationTable.migration, deviceClaims, portable, EndedFamilyTable.migration,
      InvitationTable.roots, trees, webhooks, bridges, notices, deliveries,
      typeOrder, EntityDeletionTable.migration,
    ]

  /// Lists everything of a type page by page.
  private static let typeOrder = Migration(
    version: 31,
    sql: """
      DROP INDEX entity_by_type;
      CREATE INDEX entity_by_type ON entity (type, id);
      """
  )

  /// Finds the rows of one tree, and the types that there are.
  private static let trees = Migration(
    version: 26,
    sql: """
      CREATE INDEX entity_by_root ON entity (root_id);
      CREATE INDEX entity_by_type ON entity (type);
      """
  )

  /// Up to version 8.
  private static let first = [
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
      // Where older ones hung is no longer known; their roots are.
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
        """,
      postgresTriggers: """
        CREATE FUNCTION legacy_document_is_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF EXISTS (SELECT 1 FROM legacy_seal) THEN
              RAISE EXCEPTION 'legacy collections are read-only';
            END IF;
            RETURN NEW;
          END $$;
        CREATE TRIGGER legacy_document_write BEFORE INSERT OR UPDATE ON legacy_document
          FOR EACH ROW EXECUTE FUNCTION legacy_document_is_sealed();
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
  ]
}
