import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Each change leaves one record that says what it was.
@Suite("The audit trail of changes")
struct AuditTrailTests {
  private struct Entry: Equatable {
    let actor: String
    let action: String
    let object: String
    /// Whether it says what was before, and what is now.
    let hasDigests: Bool
    let changesSomething: Bool
  }

  /// The records since one.
  private func entries(
    after sequence: Int64,
    _ stage: TenancyStage
  ) async throws -> [Entry] {
    try await stage.service.database.read { tx in
      try tx.query(
        """
        SELECT actor, action, object, before_digest IS NOT NULL AND after_digest IS NOT NULL,
          CASE WHEN before_digest <> after_digest THEN 1 ELSE 0 END
        FROM audit_log WHERE sequence > ? ORDER BY sequence
        """,
        .integer(sequence)
      ) { row in
        Entry(
          actor: row.text(0),
          action: row.text(1),
          object: row.text(2),
          hasDigests: row.boolean(3),
          changesSomething: row.boolean(4)
        )
      }
    }
  }

  private func last(_ stage: TenancyStage) async throws -> Int64 {
    try await stage.service.database.read { tx in
      try tx.first("SELECT coalesce(max(sequence), 0) FROM audit_log") { $0.integer(0) } ?? 0
    }
  }

  @Test("Other common areas are recorded with what they were before; the same ones are no change")
  func commonAreas_changed_areRecorded() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let set = { (devices: [String]) in
        try await stage.units.update(
          .init(unitId: home.unit, commonAreaDevices: .init(deviceIds: devices)),
          options: .by(home.manager)
        )
      }
      let start = try await last(stage)
      let changed = try await set([home.gate, home.cellar])
      let record = Entry(
        actor: "user:\(home.manager)",
        action: "unit.set_common_areas",
        object: home.unit,
        hasDigests: true,
        changesSomething: true
      )
      #expect(try await entries(after: start, stage) == [record])
      #expect(try await set([home.gate, home.cellar]).revision == changed.revision)
      #expect(try await entries(after: start, stage) == [record])
      // Another order is another answer.
      #expect(try await set([home.cellar, home.gate]).revision != changed.revision)
      #expect(try await entries(after: start, stage) == [record, record])

      let unit = try await stage.units.create(
        .init(propertyId: home.property, name: "Other", commonAreaDeviceIds: [home.gate]),
        options: .by(home.manager)
      ).id
      let made = try await entries(after: start, stage).dropFirst(2)
      #expect(made.map(\.action) == ["unit.create", "unit.set_common_areas"])
      #expect(made.allSatisfy { $0.object == unit })
    }
  }

  @Test("An operation leaves one record, whether the device changes by it or not")
  func operation_leavesOneRecord() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let start = try await last(stage)
      for changes in [true, false] {
        _ = try await stage.devices.operate(
          .init(deviceId: home.door, operation: "unlock"),
          options: .by(home.tenant)
        )
        let entry = try await entries(after: start, stage).last
        #expect(
          entry
            == Entry(
              actor: "user:\(home.tenant)",
              action: "device.unlock",
              object: home.door,
              hasDigests: changes,
              changesSomething: changes
            )
        )
      }
      #expect(try await entries(after: start, stage).count == 2)
    }
  }

  @Test("Another policy is recorded with the one that it replaces; the same one is no change")
  func policy_reloaded_isRecorded() async throws {
    try await TenancyStage.run { stage in
      let start = try await last(stage)
      let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
      let other = text.replacing(#""enabled": true"#, with: #""enabled": false"#)
      for _ in 0..<2 { try await stage.service.reload { [UInt8](other.utf8) } }
      #expect(
        try await entries(after: start, stage) == [
          Entry(
            actor: "svc://tenancy",
            action: "policy.load",
            object: "sys_root",
            hasDigests: true,
            changesSomething: true
          )
        ]
      )
    }
  }
}
