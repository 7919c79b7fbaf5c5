import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Invitations that are changed and sent again", .timeLimit(.minutes(5)))
struct InvitationChangeTests {
  private static let day: Int64 = 86_400_000

  private func run(
    _ body: (TenancyStage, Building, ScriptedPost) async throws -> Void
  ) async throws {
    let post = ScriptedPost()
    try await TenancyStage.run(post: post) { stage in
      try await body(stage, try await Building(stage, name: "a"), post)
    }
  }

  private func reason(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RPCError)?.reason
    }
  }

  private func drain(_ stage: TenancyStage) async {
    await stage.service.mailer?.drain(stage.service.core.store)
  }

  @Test("The inviter and those who may grant the role change it, under its revision")
  func update_isUnderTheRevision() async throws {
    try await run { stage, home, _ in
      let made = try #require(try await stage.inviteTenant(home, email: "a@x.example").invitation)
      let start = stage.clock.now
      stage.clock.advance(1)
      let request = Tenancy_V1.UpdateInvitationRequest(
        invitationId: made.id,
        expiresAt: .init(milliseconds: start + 20 * Self.day),
        validUntil: .init(milliseconds: start + 100 * Self.day),
        expectedRevision: made.revision
      )
      for user in [home.tenant, "usr_stranger"] {
        let refused = await reason {
          _ = try await stage.invitations.update(request, options: .by(user))
        }
        #expect(refused == "NOT_FOUND", "\(user)")
      }
      let changed = try await stage.invitations.update(request, options: .by(home.admin))
      #expect(changed.expiresAt == request.expiresAt && changed.validUntil == request.validUntil)
      #expect(changed.revision != made.revision && changed.updatedAt != made.updatedAt)
      // The one who changes it answers for it.
      #expect(changed.invitedBy == home.admin)
      let stale = await reason {
        _ = try await stage.invitations.update(request, options: .by(home.admin))
      }
      #expect(stale == "REVISION_MISMATCH")
      let same = Tenancy_V1.UpdateInvitationRequest(
        invitationId: made.id,
        validUntil: request.validUntil
      )
      let kept = try await stage.invitations.update(same, options: .by(home.admin))
      #expect(kept.revision == changed.revision)
      let far = Tenancy_V1.UpdateInvitationRequest(
        invitationId: made.id,
        expiresAt: .init(milliseconds: start + 40 * Self.day)
      )
      let refused = await reason {
        _ = try await stage.invitations.update(far, options: .by(home.admin))
      }
      #expect(refused == "EXPIRY_INVALID")
    }
  }

  @Test("A closed or expired invitation is neither changed nor sent again")
  func closed_isRefused() async throws {
    try await run { stage, home, _ in
      let made = try #require(try await stage.inviteTenant(home).invitation)
      let late = try #require(try await stage.inviteTenant(home).invitation)
      _ = try await stage.invitations.revoke(
        .init(invitationId: made.id),
        options: .by(home.manager)
      )
      stage.clock.advance(8 * Self.day)
      for id in [made.id, late.id] {
        let manager = CallOptions.by(home.manager)
        let update = await reason {
          _ = try await stage.invitations.update(.init(invitationId: id), options: manager)
        }
        let resend = await reason {
          _ = try await stage.invitations.resend(.init(invitationId: id), options: manager)
        }
        #expect(update == "INVITATION_CLOSED" && resend == "INVITATION_CLOSED")
      }
    }
  }

  @Test("Sent again, it has another code and another mail, three times a day")
  func resend_replacesTheCode() async throws {
    try await run { stage, home, post in
      let made = try await stage.inviteTenant(home, email: "a@x.example")
      let id = try #require(made.invitation?.id)
      // One that still waits is sent with the code that it has.
      let early = try await stage.invitations.resend(
        .init(invitationId: id),
        options: .by(home.manager)
      )
      #expect(early.code.isEmpty)
      await drain(stage)
      #expect(post.letters.map(\.code) == [made.code] && post.letters.map(\.letter) == [0])
      let listed = try await stage.invitations.list(.init(), options: .by(home.manager))
      #expect(listed.invitations.first?.mailedAt != nil)
      let again = try await stage.invitations.resend(
        .init(invitationId: id),
        options: .by(home.manager)
      )
      #expect(!again.code.isEmpty && again.code != made.code)
      await drain(stage)
      #expect(post.letters.map(\.code) == [made.code, again.code])
      #expect(post.letters.map(\.letter) == [0, 2])
      let old = await reason {
        _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_ida"))
      }
      #expect(old == "CODE_UNKNOWN")
      _ = try await stage.invitations.resend(.init(invitationId: id), options: .by(home.admin))
      let fourth = await reason {
        _ = try await stage.invitations.resend(.init(invitationId: id), options: .by(home.manager))
      }
      #expect(fourth == "TOO_MANY_RESENDS")
      stage.clock.advance(Self.day)
      await drain(stage)
      let last = try await stage.invitations.resend(
        .init(invitationId: id),
        options: .by(home.manager)
      )
      let role = try await stage.invitations.accept(
        .init(code: last.code),
        options: .by("usr_ida")
      )
      #expect(role.role == "tenant")
    }
  }

  @Test("The mail of a pass names the device and what it is in")
  func letter_namesThePlace() async throws {
    try await run { stage, home, post in
      let until = Google_Protobuf.Timestamp(milliseconds: stage.clock.now + 3_600_000)
      _ = try await stage.guests.grant(
        .init(deviceIds: [home.door], validUntil: until, email: "a@x.example"),
        options: .by(home.tenant)
      )
      _ = try await stage.inviteTenant(home, email: "b@x.example")
      await drain(stage)
      let places = Set(post.letters.map { [$0.entityName, $0.parentName] })
      #expect(places == [["Door a", "Unit a"], ["Unit a", ""]])
    }
  }
}
