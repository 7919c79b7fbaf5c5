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
}
