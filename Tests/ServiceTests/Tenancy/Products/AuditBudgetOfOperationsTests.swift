import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("What attempts leave behind")
struct AuditBudgetOfOperationsTests {
  @Test("Whoever is refused again and again leaves no more records than the budget allows")
  func operate_refusedOftenByOne_isBounded() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let unlock = { (user: String) in
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: "unlock"),
            options: .by(user)
          )
        }
      }
      func count(_ sql: String, _ user: String) async throws -> Int64 {
        try await stage.service.core.read { tx in
          try tx.first(sql, .text(user)) { $0.integer(0) } ?? -1
        }
      }
      let budget = AuditBudget.countMax
      for _ in 0..<budget {
        #expect(try await unlock("usr_stranger") == Refusal(.notFound, "NOT_FOUND"))
      }
      for _ in 0..<20 {
        let refused = try await unlock("usr_stranger")
        #expect(refused == Refusal(.resourceExhausted, "AUDIT_BUDGET_SPENT"))
      }
      let audits = "SELECT count(*) FROM audit_log WHERE actor = ?"
      #expect(try await count(audits, "user:usr_stranger") == budget)
      let accesses = "SELECT count(*) FROM access_record WHERE user_id = ?"
      // Of strangers a device's history keeps the newest only.
      #expect(try await count(accesses, "usr_stranger") == AccessTable.attemptCountMax.ofStranger)
      // Others have budgets of their own, and a change is made and recorded whatever was before.
      #expect(try await unlock("usr_other") == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await unlock(home.tenant) == nil)
      stage.clock.advance(AuditBudget.interval)
      #expect(try await unlock("usr_stranger") == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("What changes nothing is bounded too, and what changes something never is")
  func operate_withoutChange_isBounded() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let operate = { (operation: String) in
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: operation),
            options: .by(home.tenant)
          )
        }
      }
      #expect(try await operate("unlock") == nil)
      for _ in 0..<AuditBudget.countMax { #expect(try await operate("unlock") == nil) }
      #expect(try await operate("unlock") == Refusal(.resourceExhausted, "AUDIT_BUDGET_SPENT"))
      for operation in ["lock", "unlock", "lock"] {
        #expect(try await operate(operation) == nil, "\(operation)")
      }
    }
  }

  @Test("What a caller names its request is checked before it is kept")
  func requestID_isChecked() async throws {
    try await TenancyStage.run { stage in
      for (name, isKept) in [("req-7", true), (String(repeating: "x", count: 5000), false)] {
        var options = CallOptions.by("usr_ada")
        options.metadata["x-request-id"] = name
        options.metadata["traceparent"] = name
        _ = try await stage.portfolios.create(.init(name: "p"), options: options)
        let kept = try await stage.service.core.read { tx in
          try tx.first("SELECT request_id FROM audit_log ORDER BY sequence DESC") { $0.text(0) }
        }
        #expect((kept == name) == isKept)
        #expect(kept.map { (1...64).contains($0.utf8.count) } == true)
      }
    }
  }
}
