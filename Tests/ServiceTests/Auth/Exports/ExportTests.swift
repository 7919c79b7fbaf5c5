import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Exports of accounts")
struct ExportTests {
  private func export(
    _ user: Auth_V1.SignInResponse,
    on stage: AuthStage
  ) async throws -> String {
    var text = ""
    let pieces = Auth_V1.ExportsClient(stage.channel)
      .exportAccount(.init(), options: stage.with(user))
    for try await piece in pieces { text += piece.json }
    return text
  }

  private func audit(_ stage: AuthStage) async throws -> [String] {
    try await stage.service.core.database.read { tx in
      try tx.query("SELECT action FROM audit_log WHERE action LIKE 'account.%' ORDER BY sequence") {
        $0.text(0)
      }
    }
  }

  @Test("A document has what each service tells, in the order in which it comes")
  func export_ofThreeServices_isOneDocument() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      stage.peers.change { state in
        state.tenancyExport = [
          ("roles", []), ("roles", [#"{"id":"asc_1"}"#, #"{"id":"asc_2"}"#]),
          ("roles", [#"{"id":"asc_3"}"#]), ("audit", []),
        ]
      }
      let text = try await export(ada, on: stage)
      #expect(text.hasPrefix(#"{"format":"gatehouse-account-export","#))
      #expect(
        text.hasSuffix(
          """
          "tenancy":{
          "roles":[
          {"id":"asc_1"},
          {"id":"asc_2"},
          {"id":"asc_3"}],
          "audit":[]},
          "entitlement":{
          "audit":[]}}\n
          """
        )
      )
      let json = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
      let account = json.object?["auth"]?.object?["account"]?.array?.first?.object
      #expect(account?["email"] == "ada@example.org")
      #expect(try await audit(stage) == ["account.export", "account.exported"])
      // TenancyService is told the address only once it is verified.
      #expect(stage.peers.read { $0.exportedEmails } == [""])
    }
  }

  @Test("There is one export a day, and the caller is told when the next one can be had")
  func export_again_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await export(ada, on: stage)
      let again = await outcome { _ = try await export(ada, on: stage) }
      #expect(again == "RESOURCE_EXHAUSTED EXPORT_TOO_SOON")
      // Nobody else waits for that.
      let bob = try await stage.signUp("bob@example.org")
      _ = try await export(bob, on: stage)
      stage.clock.advance(86_400_000 - 1)
      let almost = try await stage.signIn()
      let tooSoon = await outcome { _ = try await export(almost, on: stage) }
      #expect(tooSoon == "RESOURCE_EXHAUSTED EXPORT_TOO_SOON")
      stage.clock.advance(1)
      _ = try await export(almost, on: stage)
    }
  }

  @Test("A service that cannot tell its part ends the export with an error, and it can be repeated")
  func export_incomplete_isAnError() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let faults: [@Sendable (inout ScriptedPeers.State) -> Void] = [
        { $0.isTenancyDown = true },
        { $0.isEntitlementDown = true },
        // Nothing at all.
        { $0.tenancyExport = [] },
        // A list that comes back after another one.
        { $0.tenancyExport = [("a", []), ("b", []), ("a", [])] },
        { $0.tenancyExport = [("", [])] },
      ]
      for (number, fault) in faults.enumerated() {
        stage.peers.change(fault)
        let result = await outcome { _ = try await export(ada, on: stage) }
        #expect(result == "UNAVAILABLE EXPORT_INCOMPLETE", "\(number)")
        stage.peers.change { state in
          (state.isTenancyDown, state.isEntitlementDown) = (false, false)
          state.tenancyExport = [("audit", [])]
        }
      }
      // Five were begun, so now the day is used up too.
      let sixth = await outcome { _ = try await export(ada, on: stage) }
      #expect(sixth == "RESOURCE_EXHAUSTED EXPORT_TOO_SOON")
      #expect(try await audit(stage) == Array(repeating: "account.export", count: faults.count))
    }
  }

  @Test("An export needs a fresh proof, and a session that lives")
  func export_staleOrEnded_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      stage.clock.advance(AuthenticationInterceptor.freshAgeMax + 1)
      let stale = await outcome { _ = try await export(ada, on: stage) }
      #expect(stale == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let fresh = try await stage.signIn()
      _ = try await stage.sessions.revokeAll(.init(), options: stage.with(fresh))
      let ended = await outcome { _ = try await export(fresh, on: stage) }
      #expect(ended == "UNAUTHENTICATED CREDENTIALS_INVALID")
      #expect(try await audit(stage) == [])
    }
  }

  @Test("A session that ends during an export does not get its end")
  func session_endedMeanwhile_getsNoEnd() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let user = try #require(ada.user?.id)
      let core = stage.service.core
      // TenancyService is asked while the export runs.
      stage.peers.change { state in
        state.onExport = {
          _ = try await core.store.writeOwn { tx in
            try tx.execute("UPDATE session SET revoked_at = 1 WHERE user_id = ?", .text(user))
          }
        }
      }
      let result = await outcome { _ = try await export(ada, on: stage) }
      #expect(result == "UNAUTHENTICATED SESSION_ENDED")
      #expect(try await audit(stage) == ["account.export"])
    }
  }

  @Test("Exports are counted by the clock, and a clock that ran ahead locks nobody out")
  func allowance_days_areCounted() {
    let day: Int64 = 86_400_000
    var allowance = ExportAllowance(now: 0)
    for _ in 0..<ExportAllowance.begunCountMax { #expect(allowance.begin(now: 5) == nil) }
    #expect(allowance.begin(now: 5) == day - 5)
    #expect(allowance.begin(now: day - 1) == 1)
    #expect(allowance.begin(now: day) == nil)
    #expect(allowance.begunCount == 1)
    allowance.complete(now: day + 7)
    #expect(allowance.begin(now: day + 8) == day - 1)
    #expect(allowance.begin(now: 2 * day + 7) == nil)
    // As if completed in a year that has not come yet.
    allowance.complete(now: 400 * day)
    #expect(allowance.begin(now: 3 * day + 7) == nil)
    var ahead = ExportAllowance(windowBegan: 400 * day, begunCount: 5, completed: nil)
    #expect(ahead.begin(now: day) == nil)
    var extreme = ExportAllowance(windowBegan: .min, begunCount: 5, completed: .max)
    #expect(extreme.begin(now: .max - 1) == nil)
  }

  @Test("Parts that do not fit together make no document")
  func document_parts_mustFit() throws {
    func faulty(_ body: (inout ExportDocument) throws -> Void) -> Bool {
      var document = ExportDocument(userID: "usr_1", now: 0)
      do {
        try body(&document)
        return false
      } catch {
        return error is ExportDocument.Fault
      }
    }
    #expect(faulty { try $0.add([], to: "a") })
    #expect(faulty { try $0.end() })
    #expect(
      faulty {
        try $0.begin(service: "auth")
        try $0.end()
      }
    )
    #expect(
      faulty {
        try $0.begin(service: "auth")
        try $0.begin(service: "tenancy")
      }
    )
    #expect(
      faulty {
        try $0.begin(service: "auth")
        try $0.add([], to: "a")
        try $0.finish()
      }
    )
    #expect(
      faulty {
        for _ in 0..<2 {
          try $0.begin(service: "auth")
          try $0.add([], to: "a")
          try $0.end()
        }
      }
    )
    var document = ExportDocument(userID: "usr_1", now: 0)
    try document.begin(service: "auth")
    try document.add([], to: "a")
    #expect(document.take() == nil)
    try document.add([String(repeating: "x", count: 64 << 10)], to: "a")
    let piece = document.take()
    #expect(piece?.hasPrefix("{\"format\"") == true)
    try document.end()
    try document.finish()
    #expect(document.take(all: true) == "]}}\n")
    #expect(document.take(all: true) == nil)
  }
}
