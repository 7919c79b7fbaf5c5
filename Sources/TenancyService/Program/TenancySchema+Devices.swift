internal import ServiceKit

extension TenancySchema {
  /// Values asked of devices besides a state, when they last reported, and what commands and operations set.
  static let desiredState = Migration(
    version: 20,
    sql: """
      ALTER TABLE entity ADD COLUMN desired TEXT NOT NULL DEFAULT '';
      ALTER TABLE entity ADD COLUMN reported_at BIGINT;
      ALTER TABLE device_command ADD COLUMN changes TEXT NOT NULL DEFAULT '';
      ALTER TABLE access_record ADD COLUMN changes TEXT NOT NULL DEFAULT '';
      DROP INDEX device_command_by_device;
      CREATE INDEX device_command_by_device ON device_command (device_id, revision);
      CREATE INDEX device_command_waiting_of_device ON device_command (device_id, expires_at)
        WHERE outcome = '';
      """
  )

  /// The codes that claim devices, and since when a device is its owner's.
  static let deviceClaims = Migration(
    version: 22,
    sql: """
      CREATE TABLE device_claim (
        device_id TEXT PRIMARY KEY REFERENCES entity (id) ON DELETE CASCADE,
        code_key BLOB,
        code_digest BLOB,
        issued_at BIGINT NOT NULL,
        claimed_at BIGINT
      ) WITHOUT ROWID;
      CREATE INDEX device_claim_by_code ON device_claim (code_key) WHERE code_key IS NOT NULL;
      """
  )

  /// The hardware bridge of each property, which several programs of the service agree on.
  ///
  /// See `BridgeTable`.
  static let bridges = Migration(
    version: 28,
    sql: """
      CREATE TABLE bridge (
        property_id TEXT PRIMARY KEY,
        watch_id TEXT NOT NULL,
        begun_at BIGINT NOT NULL
      ) WITHOUT ROWID;
      """
  )
}
