import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Compliance reports")
struct ReportTests {
  private static let hour: Int64 = 3_600_000
  private static let minute: Int64 = 60_000

  /// A building whose owner and administrator have bought the pack.
  private func withBuilding(
    _ body: (TenancyStage, Building, SmallEntitlementService) async throws -> Void
  ) async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      for user in [home.owner, home.admin] { entitlement.set(["compliancePack"], of: user) }
      try await body(stage, home, entitlement)
    }
  }

  @Test("A report says who held which role from when to when, who did what, and who was refused")
  func report_ofTree_saysWhatHappened() async throws {
    try await withBuilding { stage, home, _ in
      let start = TenancyStage.start
      stage.clock.advance(Self.minute)
      for (user, operation) in [(home.tenant, "unlock"), (home.guest, "lock")] {
        _ = try await stage.devices.operate(
          .init(deviceId: home.door, operation: operation),
          options: .by(user)
        )
      }
      // A refused operation, which has a record of its own.
      _ = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.cellar, operation: "unlock"),
          options: .by(home.tenant)
        )
      }
      // Refused calls, which are counted.
      for _ in 0..<3 {
        _ = try await refusal {
          try await stage.units.delete(.init(unitId: home.unit), options: .by(home.tenant))
        }
      }
      stage.clock.advance(Self.minute)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      stage.clock.advance(Self.minute)
      let report = try await stage.report(on: home.portfolio, by: home.owner)
      #expect(report.isSealed)
      let now = start + 3 * Self.minute
      let first = try #require(report.lines.first)
      #expect(first.kind == .report && first[.object] == home.portfolio)
      #expect(first[.until] == ReportLine.text(ofInstant: now) && first[.detail] == "complete")
      func time(_ minutes: Int64) -> String {
        ReportLine.text(ofInstant: start + minutes * Self.minute)
      }
      #expect(
        report.texts(.access, .actor, .role, .object, .name, .time, .until) == [
          "user:\(home.owner) owner \(home.portfolio) Portfolio home \(time(0)) ",
          "user:\(home.admin) portfolio_admin \(home.portfolio) Portfolio home \(time(0)) ",
          "user:\(home.manager) property_manager \(home.property) Property home \(time(0)) ",
          "user:\(home.tenant) tenant \(home.unit) Unit home \(time(0)) \(time(2))",
        ]
      )
      // It ended with the right of the tenant who had lent it.
      #expect(
        report.texts(.pass, .actor, .role, .object, .grantedBy, .time, .until) == [
          "user:\(home.guest) guest \(home.door) user:\(home.tenant) \(time(0)) \(time(2))"
        ]
      )
      #expect(
        report.texts(.operation, .actor, .action, .object, .time) == [
          "user:\(home.tenant) device.unlock \(home.door) \(time(1))",
          "user:\(home.guest) device.lock \(home.door) \(time(1))",
        ]
      )
      #expect(
        report.texts(.refusal, .actor, .action, .object, .reason, .count) == [
          "user:\(home.tenant) device.unlock \(home.cellar) OUT_OF_SCOPE ",
          "user:\(home.tenant) unit.delete \(home.unit) ROLE_LACKS_ACTION 3",
        ]
      )
      let changes = report.texts(.change, .action)
      #expect(changes.contains("portfolio.create") && changes.contains("role.remove"))
      #expect(!report.lines.contains { $0[.request].isEmpty && $0.kind == .change })
      // Reading it is something that was done, as the next report says.
      stage.clock.advance(1)
      let later = try await stage.report(on: home.portfolio, from: now, by: home.admin)
      #expect(
        later.texts(.change, .actor, .action) == ["user:\(home.owner) portfolio.view_report"]
      )
      // Behind the seal, so that the lines stay the same whatever people are called.
      let people = [home.owner, home.admin, home.manager, home.tenant, home.guest]
      try await stage.service.names.drain()
      let named = try await stage.report(on: home.portfolio, until: now, by: home.owner)
      #expect(named.text == report.text && named.names.map(\.id) == people.sorted())
      #expect(named.names.allSatisfy { !$0.displayName.isEmpty })
      let rest = try await stage.report(
        on: home.portfolio,
        until: now,
        afterLine: UInt64(report.lines.count),
        by: home.owner
      )
      #expect(rest.text.isEmpty && rest.names == named.names)
    }
  }

  @Test("What happens later changes nothing in the report of an interval that is over")
  func report_ofSameInterval_isTheSame() async throws {
    try await withBuilding { stage, home, _ in
      stage.clock.advance(Self.hour)
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "view_status"),
        options: .by(home.tenant)
      )
      _ = try await refusal {
        try await stage.units.delete(.init(unitId: home.unit), options: .by(home.tenant))
      }
      stage.clock.advance(Self.hour)
      let until = stage.clock.now
      let first = try await stage.report(on: home.portfolio, until: until, by: home.owner)
      #expect(
        try await stage.report(on: home.portfolio, until: until, by: home.owner).text == first.text
      )
      // The same millisecond is not part of the interval.
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "view_status"),
        options: .by(home.tenant)
      )
      for _ in 0..<2 {
        _ = try await refusal {
          try await stage.units.delete(.init(unitId: home.unit), options: .by(home.tenant))
        }
        stage.clock.advance(Self.hour)
      }
      _ = try await stage.units.update(
        .init(unitId: home.unit, name: "Another name"),
        options: .by(home.manager)
      )
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_next"),
        options: .by(home.manager)
      )
      let second = try await stage.report(on: home.portfolio, until: until, by: home.admin)
      #expect(second.text == first.text && second.seal?.digest == first.seal?.digest)
      #expect(first.isSealed && second.isSealed)
      #expect(first.lines.count > 10)
    }
  }

  @Test("The policy decides who may read it, and readers need the feature that it names")
  func read_byOthers_isRefused() async throws {
    try await withBuilding { stage, home, entitlement in
      func refused(_ user: String, _ root: String) async throws -> Refusal? {
        try await refusal { try await stage.report(on: root, by: user) }
      }
      let lacking = Refusal(.failedPrecondition, "FEATURE_NOT_AVAILABLE")
      #expect(try await refused(home.owner, home.portfolio) == nil)
      #expect(try await refused(home.manager, home.portfolio) == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await refused("usr_stranger", home.portfolio) == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await refused(home.owner, "prt_unknown") == Refusal(.notFound, "NOT_FOUND"))
      // The policy has reports on portfolios alone.
      #expect(
        try await refused(home.owner, home.property)
          == Refusal(.permissionDenied, "ROLE_LACKS_ACTION")
      )
      entitlement.set([], of: home.admin)
      let isForgotten = try await stage.eventually {
        try await refused(home.admin, home.portfolio) == lacking
      }
      #expect(isForgotten)
      entitlement.setDown(true)
      stage.clock.advance(1)
      let unknown = "usr_second_owner"
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: unknown, role: "owner"),
        options: .by(home.owner)
      )
      #expect(
        try await refused(unknown, home.portfolio)
          == Refusal(.unavailable, "ENTITLEMENTS_UNAVAILABLE")
      )
    }
  }

  @Test(
    "Without a policy that allows it nobody reads a report, not even whoever may do everything else"
  )
  func read_withoutPolicy_isRefused() async throws {
    let policy = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
      .replacing(
        #""report": "portfolio.view_report", "report_feature": "compliancePack""#,
        with: #""move": "portfolio.view_report""#
      )
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let home = try await Building(stage, name: "home")
      let refused = try await refusal { try await stage.report(on: home.portfolio, by: home.owner) }
      #expect(refused == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
    }
  }

  @Test(
    "An interval must have begun and ended",
    arguments: [(1, 1, "from"), (2, 1, "from"), (0, 9, "until")] as [(Int64, Int64, String)]
  )
  func read_ofOtherIntervals_isRefused(from: Int64, until: Int64, field: String) async throws {
    try await withBuilding { stage, home, _ in
      let now = stage.clock.now - 5
      let error = await #expect(throws: RPCError.self) {
        try await stage.report(
          on: home.portfolio,
          from: now + from,
          until: now + until,
          by: home.owner
        )
      }
      #expect(error?.reason == "INTERVAL_INVALID" && error?.message.hasPrefix(field) == true)
    }
  }

  @Test("Thousands of lines come in parts, each once and in order, also those of one millisecond")
  func report_ofManyRows_isWhole() async throws {
    try await withBuilding { stage, home, _ in
      let count = 3 * ReportReader.rowCountMax + 7
      try await stage.service.database.write(
        as: Author(.service("test"), requestID: "req_test")
      ) { tx in
        for number in 0..<count {
          try tx.audit("many.\(number)", object: home.door, scope: home.portfolio)
          try AssociationHistoryTable.begin(
            of: AssociationRecord(
              id: "asc_\(number)",
              userID: "usr_\(number)",
              entity: try EntityTable.known(home.unit, type: "unit", in: tx),
              role: "tenant",
              grantedBy: "",
              now: tx.now
            ),
            in: tx
          )
        }
      }
      stage.clock.advance(1)
      let report = try await stage.report(on: home.portfolio, by: home.owner)
      #expect(report.isSealed)
      let many = report.texts(.change, .action).filter { $0.hasPrefix("many.") }
      #expect(many == (0..<count).map { "many.\($0)" })
      let users = report.texts(.access, .actor).suffix(count)
      #expect(Array(users) == (0..<count).map { "user:usr_\($0)" })
      #expect(report.partByteCounts.count >= 6)
      #expect(report.partByteCounts.allSatisfy { $0 < 2 * ReportReader.byteCountMax })
    }
  }

  @Test("A report that broke off is continued after any line, and its seal is of the whole")
  func report_afterLines_hasTheRest() async throws {
    try await withBuilding { stage, home, _ in
      try await stage.service.database.write(
        as: Author(.service("test"), requestID: "req_test")
      ) { tx in
        for number in 0..<(2 * ReportReader.rowCountMax + 5) {
          try tx.audit("many.\(number)", object: home.door, scope: home.portfolio)
        }
      }
      stage.clock.advance(1)
      let until = stage.clock.now
      let whole = try await stage.report(on: home.portfolio, until: until, by: home.owner)
      let lines = whole.text.split(separator: "\n").map { "\($0)\n" }
      // The last one is more than there are, which the reader sees by the seal.
      for count in [1, 2, 700, lines.count - 1, lines.count, lines.count + 9] {
        stage.clock.advance(1)
        let rest = try await stage.report(
          on: home.portfolio,
          until: until,
          afterLine: UInt64(count),
          by: home.admin
        )
        #expect(rest.text == lines.dropFirst(count).joined(), "after \(count)")
        #expect(rest.seal?.digest == whole.seal?.digest, "after \(count)")
        #expect(rest.seal?.lineCount == UInt64(lines.count), "after \(count)")
      }
    }
  }

  @Test("Lines as long as they can be come in parts that fit into a frame")
  func report_ofLongRows_fitsFrames() async throws {
    try await withBuilding { stage, home, _ in
      // Each character takes six bytes in JSON.
      let detail = String(repeating: "\u{202E}", count: 600)
      try await stage.service.database.write(
        as: Author(.service("test"), requestID: "req_test")
      ) { tx in
        for _ in 0..<400 {
          try tx.audit("long", object: home.door, scope: home.portfolio, detail: detail)
        }
      }
      stage.clock.advance(1)
      let report = try await stage.report(on: home.portfolio, by: home.owner)
      #expect(
        report.isSealed && report.texts(.change, .action).filter { $0 == "long" }.count == 400
      )
      #expect(report.partByteCounts.allSatisfy { $0 < ReportReader.byteCountMax + 32 << 10 })
    }
  }

  @Test("A right that ends ends the report under way")
  func report_ofLostRight_ends() async throws {
    try await withBuilding { stage, home, _ in
      // Far more than what is sent to a client that takes nothing.
      let detail = String(repeating: "x", count: 2000)
      try await stage.service.database.write(
        as: Author(.service("test"), requestID: "req_test")
      ) { tx in
        for _ in 0..<6000 {
          try tx.audit("long", object: home.door, scope: home.portfolio, detail: detail)
        }
      }
      stage.clock.advance(1)
      var parts = stage.reports.read(
        .init(rootId: home.portfolio, from: .init(seconds: 0)),
        options: .by(home.admin)
      ).makeAsyncIterator()
      _ = try await parts.next()
      _ = try await stage.portfolios.removeAdmin(
        .init(portfolioId: home.portfolio, userId: home.admin),
        options: .by(home.owner)
      )
      var ending: Refusal?
      do {
        while let part = try await parts.next() {
          if case .seal? = part.part { Issue.record("the report went on to its end") }
        }
      } catch let error as RPCError {
        ending = Refusal(error)
      }
      #expect(ending == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("The keys of signatures are told to anybody")
  func keys_areTold() async throws {
    try await TenancyStage.run { stage in
      let answer = try await stage.reports.getKeys(.init())
      let keys = try KeySet(json: Array(answer.jwks.utf8))
      #expect(keys.ids == [TenancyStage.reportKey.id])
    }
  }

  @Test("Without a key to sign with there is no report")
  func report_withoutKey_isRefused() async throws {
    try await TenancyStage.run(reportKey: nil) { stage in
      let home = try await Building(stage, name: "home")
      let refused = try await refusal {
        for try await _ in stage.reports.read(
          .init(rootId: home.portfolio, from: .init(milliseconds: 0)),
          options: .by(home.owner)
        ) {}
      }
      #expect(refused == Refusal(.failedPrecondition, "REPORTS_UNSIGNED"))
      #expect(try await KeySet(json: Array(stage.reports.getKeys(.init()).jwks.utf8)).ids.isEmpty)
    }
  }
}
