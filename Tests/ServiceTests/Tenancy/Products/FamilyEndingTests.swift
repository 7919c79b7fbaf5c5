import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

/// AuthService, as far as families that have ended go to it.
private final class ScriptedFamilyAccounts: FamilyAccounts {
  private let state = Lock((ended: [String](), isDown: false, losesAnswers: false))

  var ended: [String] { state.withLock { $0.ended } }

  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
  func loseAnswers(_ loses: Bool) { state.withLock { $0.losesAnswers = loses } }

  func end(_ id: String) async throws {
    try state.withLock { state in
      if state.isDown { throw RPCError(.unavailable, "AuthService is down") }
      state.ended.append(id)
      if state.losesAnswers { throw RPCError(.unavailable, "the answer is lost") }
    }
  }
}

@Suite("Handing families that have ended over to AuthService", .timeLimit(.minutes(5)))
struct FamilyEndingTests {
  private static let account = "usr_made"

  private func run(
    _ body: (FamilyHome, ScriptedFamilyAccounts) async throws -> Void
  ) async throws {
    let accounts = ScriptedFamilyAccounts()
    try await FamilyHome.run(familyAccounts: accounts) { home in try await body(home, accounts) }
  }

  private func drain(_ home: FamilyHome) async {
    await home.stage.service.familyEndings?.drain(home.stage.service.core.store)
  }

  private func waiting(_ home: FamilyHome) async throws -> [String] {
    try await home.stage.service.database.read { tx in
      try tx.query("SELECT part_id FROM ended_family_part") { $0.text(0) }
    }
  }

  private func setUp(_ home: FamilyHome, _ device: String = "ipad-1") async throws -> String {
    try await home.stage.childDevices.pair(
      .init(
        parentId: FamilyHome.parent,
        childId: home.ann,
        userId: Self.account,
        deviceId: device,
        deviceName: "iPad"
      ),
      options: .byService("auth")
    ).pairingId
  }

  @Test("A child's pairing is handed over once, whichever call ends it; a parent's is not")
  func pairings_ended_areHandedOver() async throws {
    try await run { home, accounts in
      let (first, second) = (try await setUp(home), try await setUp(home, "ipad-2"))
      let own = try await home.pair(try await home.code(), device: "phone", by: FamilyHome.parent)
      for id in [first, own.id] {
        _ = try await home.calls.unpair(.init(pairingId: id), options: .by(FamilyHome.parent))
      }
      await drain(home)
      #expect(accounts.ended == [first])
      // With its last role of the child the account's other device is not paired any longer.
      _ = try await Tenancy_V1.RolesClient(home.stage.channel).revoke(
        .init(entityId: home.ann, role: "child", userId: Self.account),
        options: .by(FamilyHome.parent)
      )
      await drain(home)
      #expect(accounts.ended == [first, second])
      #expect(try await waiting(home) == [])
    }
  }

  @Test("A deleted child and a deleted family are handed over; a dry run hands nothing over")
  func deleted_entities_areHandedOver() async throws {
    try await run { home, accounts in
      let entities = home.stage.entities
      let options = CallOptions.by(FamilyHome.organizer)
      _ = try await entities.delete(.init(entityId: home.ann, dryRun: true), options: options)
      await drain(home)
      #expect(accounts.ended == [])
      _ = try await entities.delete(.init(entityId: home.ann), options: options)
      await drain(home)
      #expect(accounts.ended == [home.ann])
      _ = try await entities.delete(
        .init(entityId: home.family, cascade: true),
        options: options
      )
      await drain(home)
      #expect(accounts.ended.first == home.ann)
      #expect(Set(accounts.ended.dropFirst()) == [home.ben, home.family])
    }
  }

  @Test("While AuthService is down it waits, with longer pauses, and a lost answer repeats it")
  func handOver_withFaults_isRepeated() async throws {
    try await run { home, accounts in
      accounts.setDown(true)
      let pairing = try await setUp(home)
      let options = CallOptions.by(FamilyHome.parent)
      // The call itself does not wait for AuthService.
      #expect(try await home.calls.unpair(.init(pairingId: pairing), options: options).unpaired)
      await drain(home)
      #expect(try await waiting(home) == [pairing])
      accounts.setDown(false)
      accounts.loseAnswers(true)
      await drain(home)
      // It is not due yet.
      #expect(accounts.ended == [])
      home.stage.clock.advance(FamilyEndings.pauses.upperBound)
      await drain(home)
      #expect(accounts.ended == [pairing])
      #expect(try await waiting(home) == [pairing])
      accounts.loseAnswers(false)
      home.stage.clock.advance(FamilyEndings.pauses.upperBound)
      await drain(home)
      #expect(accounts.ended == [pairing, pairing])
      #expect(try await waiting(home) == [])
    }
  }
}
