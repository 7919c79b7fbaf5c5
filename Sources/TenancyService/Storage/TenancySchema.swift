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
  ]
}
