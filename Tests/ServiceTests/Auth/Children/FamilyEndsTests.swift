import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Ending what AuthService keeps for families")
struct FamilyEndsTests {
  private static let (family, child) = ("fam_kerr", "chd_ann")

  private func run(
    _ body: (AuthStage, Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.run { stage in
      let parent = try await stage.signUp("olive@example.org")
      let id = parent.user?.id ?? ""
      stage.peers.change { state in
        state.families[Self.family] = [id: "organizer"]
        state.children[Self.child] = Self.family
      }
      try await body(stage, parent)
    }
  }

  private func begin(
    _ device: String,
    _ stage: AuthStage,
    _ parent: Auth_V1.SignInResponse
  ) async throws -> Auth_V1.BeginChildSessionResponse {
    try await stage.children.beginSession(
      .init(childId: Self.child, deviceId: device, device: .init(name: "iPad")),
      options: stage.with(parent)
    )
  }

  private func lives(
    _ begun: Auth_V1.BeginChildSessionResponse,
    _ stage: AuthStage
  ) async -> Bool {
    await outcome {
      _ = try await stage.users.getMe(.init(), options: stage.with(begun.tokens ?? .init()))
    } == "OK"
  }

  private func accountCount(_ stage: AuthStage) async throws -> Int64? {
    try await stage.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM account WHERE email = ''") { $0.integer(0) }
    }
  }

  @Test("The end of a pairing signs the child out there, and what comes late for it is refused")
  func end_pairing_endsItsSession() async throws {
    try await run { stage, parent in
      let first = try await begin("ipad-1", stage, parent)
      let other = try await begin("ipad-2", stage, parent)
      for _ in 0..<2 { _ = try await stage.familyEnds.end(.init(id: first.pairingId)) }
      #expect(await !lives(first, stage))
      #expect(await lives(other, stage))
      let ends = try await stage.audited("child_session.end")
      #expect(ends == ["child_session.end \(first.userId)"])
      // The pairing ended between its making and the begin of the session.
      stage.peers.change { state in
        state.onPairing = { _ = try await stage.familyEnds.end(.init(id: "par_ipad-3")) }
      }
      let late = await outcome { _ = try await begin("ipad-3", stage, parent) }
      #expect(late.hasSuffix("CALL_OVERTAKEN"))
    }
  }

  @Test("The account of a deleted child is erased; one that is deleted meanwhile gets none")
  func end_child_erasesItsAccount() async throws {
    try await run { stage, parent in
      let begun = try await begin("ipad-1", stage, parent)
      #expect(try await accountCount(stage) == 1)
      for _ in 0..<2 { _ = try await stage.familyEnds.end(.init(id: Self.child)) }
      #expect(await !lives(begun, stage))
      for _ in 0..<5 {
        await stage.workOffDeletions()
        stage.clock.advance(40_000)
      }
      #expect(try await accountCount(stage) == 0)
      let erased = stage.peers.read { $0.erased }
      #expect(erased.contains("tenancy \(begun.userId)"))
      // The call was let in before the child was deleted.
      let late = await outcome { _ = try await begin("ipad-1", stage, parent) }
      #expect(late == "NOT_FOUND CHILD_UNKNOWN")
      #expect(try await accountCount(stage) == 0)
    }
  }

  @Test("An account with an address of its own stays")
  func end_childWithAddress_keepsAccount() async throws {
    try await run { stage, parent in
      let begun = try await begin("ipad-1", stage, parent)
      let now = stage.clock.now
      try await stage.service.core.store.writeOwn { tx in
        try UserTable.changeEmail(
          of: begun.userId,
          to: EmailAddress("ann@example.org"),
          isVerified: true,
          now: now,
          in: tx
        )
      }
      _ = try await stage.familyEnds.end(.init(id: Self.child))
      await stage.workOffDeletions()
      #expect(await lives(begun, stage))
      let known = try await stage.service.core.store.read { tx in
        try ChildAccountTable.find(ofChild: Self.child, in: tx)
      }
      #expect(known == nil)
    }
  }

  @Test("The PIN of a deleted family goes, and a late one is refused")
  func end_family_removesPin() async throws {
    try await run { stage, parent in
      func set(_ pin: String) async -> String {
        await outcome {
          _ = try await stage.stepUp.setFamilyPin(
            .init(familyId: Self.family, pin: pin),
            options: stage.with(parent)
          )
        }
      }
      #expect(await set("482915") == "OK")
      for _ in 0..<2 { _ = try await stage.familyEnds.end(.init(id: Self.family)) }
      let record = try await stage.service.core.store.read { tx in
        try FamilyPinTable.record(of: Self.family, in: tx)
      }
      #expect(record == nil)
      #expect(try await stage.audited("family_pin.end") == ["family_pin.end \(Self.family)"])
      #expect(await set("482917").hasSuffix("FAMILY_UNKNOWN"))
    }
  }

  @Test("Only TenancyService ends")
  func end_byOthers_isRefused() async throws {
    try await run { stage, parent in
      let refused = await outcome {
        _ = try await Auth_V1.FamilyEndsClient(stage.channel).end(
          .init(id: Self.family),
          options: stage.with(parent)
        )
      }
      #expect(refused != "OK")
    }
  }
}
