internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The values asked of devices, when commands come to nothing.
///
/// A value is that of the newest command which waits or is done. Those that have failed or expired are passed over, and
/// behind the last of them is the value that was there before it.
enum DesiredState {
  /// Commands of a device that are looked at for a value, newest first.
  private static let commandCountMax = 256
  /// Expired commands that one transaction ends.
  private static let batchCount = 100

  /// A device as it is asked to be at an instant.
  static func settled(
    _ device: EntityRecord,
    now: Int64,
    _ tx: borrowing some Queryable
  ) throws -> EntityRecord {
    let commands = try CommandTable.newest(of: device.id, limit: commandCountMax, in: tx)
    var settled = device
    var found: Set<String> = []
    for command in commands {
      for change in command.changes where !found.contains(change.name) {
        let counts = command.counts(at: now)
        settled[desired: change.name] = counts ? change.to : change.from
        if counts { found.insert(change.name) }
      }
    }
    return settled
  }

  /// Stores the values asked of a device after a command has ended; what has changed by that.
  ///
  /// Nobody wrote it, so the device keeps its revision, as it does when it reports; apps that watch get it.
  static func settle(
    _ device: inout EntityRecord,
    _ policy: Policy,
    _ tx: borrowing WriteTransaction
  ) throws -> [SettingChange] {
    let (before, settled) = (device, try settled(device, now: tx.now, tx))
    guard before != settled else { return [] }
    device = try EntityTable.put(settled, insteadOf: before, policy, isReport: true, in: tx)
    let (old, new) = (before.desired, settled.desired)
    return Set(old.keys).union(new.keys).sorted().compactMap { name in
      old[name] == new[name] ? nil : SettingChange(name: name, from: old[name], to: new[name])
    }
  }

  /// Ends the commands that no device has carried out in time, each with a record in the device's history.
  static func expire(_ core: TenancyCore, now: Int64) async throws {
    let metrics = DeviceMetrics(core.metrics)
    while true {
      let ids = try await core.database.read { tx in
        try CommandTable.expired(at: now, limit: batchCount, in: tx)
      }
      guard !ids.isEmpty else { return }
      let count = try await core.changeOwn { tx in
        var count = 0
        for id in ids {
          guard var command = try CommandTable.find(id, in: tx), command.outcome == .waiting else {
            continue
          }
          try CommandTable.end(&command, .expired, in: tx)
          count += 1
          guard var device = try EntityTable.find(command.deviceID, type: SmartHome.device, in: tx)
          else {
            continue
          }
          let changes = try settle(&device, core.policy, tx)
          try record(command, "COMMAND_EXPIRED", changes, core, tx)
        }
        return count
      }
      for _ in 0..<count { metrics.commands.increment(.expired) }
    }
  }

  /// Adds to a device's history that a command came to nothing.
  static func record(
    _ command: CommandRecord,
    _ reason: String,
    _ changes: [SettingChange],
    _ core: TenancyCore,
    _ tx: borrowing WriteTransaction
  ) throws {
    let record = AccessRecord(
      id: core.identifiers.make(.accessRecord),
      deviceID: command.deviceID,
      userID: "",
      operation: command.operation,
      succeeded: false,
      reason: reason,
      role: "",
      recordedAt: tx.now,
      changes: changes
    )
    try AccessTable.insert(record, in: tx)
  }
}

extension CommandRecord {
  /// Whether the device is asked for what it set: it waits, or is done.
  fileprivate func counts(at now: Int64) -> Bool {
    switch outcome {
    case .waiting: expiresAt > now
    case .done: true
    case .failed, .expired: false
    }
  }
}
