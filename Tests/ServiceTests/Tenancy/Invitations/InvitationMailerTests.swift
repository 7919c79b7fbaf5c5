import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// A post that does what the test says, and keeps what it has taken.
final class ScriptedPost: InvitationPost {
  private let state = Lock((letters: [InvitationLetter](), failure: RPCError?.none, attempts: 0))

  /// What it has taken.
  var letters: [InvitationLetter] { state.withLock { $0.letters } }
  /// How often it was asked to.
  var attemptCount: Int { state.withLock { $0.attempts } }

  func fail(with error: RPCError?) { state.withLock { $0.failure = error } }

  func take(_ letter: InvitationLetter) async throws {
    try state.withLock { state throws(RPCError) in
      state.attempts += 1
      if let failure = state.failure { throw failure }
      state.letters.append(letter)
    }
  }
}

@Suite("Invitations handed over to be mailed", .timeLimit(.minutes(5)))
struct InvitationMailerTests {
  private func run(
    in folder: TestFolder? = nil,
    _ body: (TenancyStage, Building, ScriptedPost) async throws -> Void
  ) async throws {
    let post = ScriptedPost()
    try await TenancyStage.run(in: folder, post: post) { stage in
      try await body(stage, try await Building(stage, name: "a"), post)
    }
  }

  private func invite(
    _ stage: TenancyStage,
    _ home: Building,
    _ email: String = "Ida@example.com",
    key: String = ""
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    try await stage.invitations.create(
      .init(entityId: home.unit, role: "tenant", email: email, idempotencyKey: key),
      options: .by(home.manager)
    )
  }

  private func drain(_ stage: TenancyStage) async {
    await stage.service.mailer?.drain(stage.service.core.store)
  }

  private func waiting(_ stage: TenancyStage) async throws -> Int {
    let count = try await stage.service.database.read { tx in
      try tx.first("SELECT count(*) FROM invitation_mail") { Int($0.integer(0)) }
    }
    return count ?? 0
  }

  @Test("An invitation by address is handed over once, with the code that accepts it")
  func create_byAddress_isHandedOver() async throws {
    try await run { stage, home, post in
      let made = try await invite(stage, home, key: "once")
      _ = try await invite(stage, home, key: "once")
      _ = try await stage.invitations.create(
        .init(entityId: home.unit, role: "tenant"),
        options: .by(home.manager)
      )
      await drain(stage)
      await drain(stage)
      let letter = try #require(post.letters.first)
      #expect(post.letters.count == 1)
      let invitation = try #require(made.invitation)
      #expect(letter.invitationID == invitation.id && letter.email == "Ida@example.com")
      #expect(letter.code == made.code && letter.inviterID == home.manager)
      #expect(letter.role == "tenant" && letter.entityType == "unit")
      #expect(letter.expires == invitation.expiresAt?.milliseconds)
      let left = try await waiting(stage)
      #expect(left == 0)
      let role = try await stage.invitations.accept(
        .init(code: letter.code),
        options: .by("usr_una")
      )
      #expect(role.role == "tenant")
    }
  }

  @Test("A grant by address has one letter handed over, and its code accepts the role")
  func grant_byAddress_isHandedOver() async throws {
    try await run { stage, home, post in
      for email in ["ida@example.com", "IDA@example.com"] {
        _ = try await stage.units.addTenant(
          .init(unitId: home.unit, email: email),
          options: .by(home.manager)
        )
      }
      await drain(stage)
      let letter = try #require(post.letters.first)
      #expect(post.letters.count == 1 && letter.email == "ida@example.com")
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(letter.entityName == unit.name && !unit.name.isEmpty)
      // Another one takes its place, and its letter goes with it if nobody has taken that.
      post.fail(with: RPCError(.unavailable, "AuthService is down"))
      for day in 1...2 {
        _ = try await stage.units.addTenant(
          .init(
            unitId: home.unit,
            validUntil: .init(milliseconds: stage.clock.now + Int64(day) * 86_400_000),
            email: "ida@example.com"
          ),
          options: .by(home.manager)
        )
      }
      #expect(try await waiting(stage) == 1)
      let refused = try await refusal {
        try await stage.invitations.accept(.init(code: letter.code), options: .by("usr_una"))
      }
      #expect(refused == Refusal(.notFound, "CODE_UNKNOWN"))
      post.fail(with: nil)
      stage.clock.advance(InvitationMailer.pauses.upperBound)
      await drain(stage)
      let last = try #require(post.letters.last)
      #expect(post.letters.count == 2)
      let role = try await stage.invitations.accept(.init(code: last.code), options: .by("usr_una"))
      #expect(role.role == "tenant" && role.grantedBy == home.manager)
    }
  }

  @Test("A letter that is not taken waits, longer each time, and survives a restart")
  func post_unavailable_isTriedAgain() async throws {
    let folder = try TestFolder()
    try await run(in: folder) { stage, home, post in
      post.fail(with: RPCError(.unavailable, "AuthService is down"))
      _ = try await invite(stage, home)
      for attempt in 1...4 {
        await drain(stage)
        #expect(post.attemptCount == attempt)
        // Not before its time, which is up to a quarter earlier than the longest pause.
        let pause = Backoff(InvitationMailer.pauses).longest(after: Int64(attempt - 1))
        stage.clock.advance(pause * 3 / 4 - 1)
        await drain(stage)
        #expect(post.attemptCount == attempt)
        stage.clock.advance(pause / 4 + 1)
      }
      #expect(try await waiting(stage) == 1)
    }
    let post = ScriptedPost()
    try await TenancyStage.run(in: folder, post: post) { stage in
      // The clock of this stage begins where that of the first did.
      stage.clock.advance(3_600_000)
      await drain(stage)
      #expect(post.letters.map(\.email) == ["Ida@example.com"])
      let left = try await waiting(stage)
      #expect(left == 0)
    }
    let backoff = Backoff(InvitationMailer.pauses)
    #expect(backoff.longest(after: 0) == 5_000)
    #expect(backoff.longest(after: 1_000) == 3_600_000)
  }

  @Test("Limits and inviters without a proven address are waited for; what can never go is dropped")
  func post_refusing_isJudged() async throws {
    try await run { stage, home, post in
      for code in [StatusCode.resourceExhausted, .failedPrecondition, .internal, .deadlineExceeded]
      {
        post.fail(with: RPCError(code, "not now"))
        _ = try await invite(stage, home)
        await drain(stage)
        #expect(try await waiting(stage) == 1)
        post.fail(with: nil)
        stage.clock.advance(InvitationMailer.pauses.upperBound)
        await drain(stage)
        let left = try await waiting(stage)
        #expect(left == 0)
      }
      #expect(post.letters.count == 4)
      for code in [StatusCode.invalidArgument, .notFound] {
        post.fail(with: RPCError(code, "never"))
        _ = try await invite(stage, home)
        await drain(stage)
        let left = try await waiting(stage)
        #expect(left == 0)
      }
      #expect(post.letters.count == 4)
    }
  }

  @Test("What was revoked, has expired or went with its entity is not mailed, and its code is gone")
  func invitation_closed_isNotMailed() async throws {
    try await run { stage, home, post in
      post.fail(with: RPCError(.unavailable, "AuthService is down"))
      let revoked = try await invite(stage, home)
      await drain(stage)
      _ = try await stage.invitations.revoke(
        .init(invitationId: try #require(revoked.invitation?.id)),
        options: .by(home.manager)
      )
      let left = try await waiting(stage)
      #expect(left == 0)
      _ = try await invite(stage, home)
      post.fail(with: nil)
      stage.clock.advance(InvitationLimits.lifetimeStandard)
      await drain(stage)
      let after = try await waiting(stage)
      #expect(after == 0)
      #expect(post.letters.isEmpty)
    }
  }

  @Test("The code waits sealed, and nowhere else")
  func store_hasNoCode() async throws {
    try await run { stage, home, post in
      post.fail(with: RPCError(.unavailable, "AuthService is down"))
      let made = try await invite(stage, home)
      let code = Array(made.code.utf8)
      let sealed = try await stage.service.database.read { tx in
        try tx.query("SELECT sealed FROM invitation_mail") { $0.blob(0) }
      }
      #expect(sealed.count == 1)
      #expect(sealed.allSatisfy { $0.firstRange(of: code) == nil })
    }
  }

  @Test(
    "An address that no mail can go to is refused at once",
    arguments: ["-x@example.com", "a\nb@example.com", "<a@example.com>", "a@example..com"]
  )
  func create_hostileAddress_isRefused(email: String) async throws {
    try await run { stage, home, _ in
      await #expect(throws: RPCError.self) { _ = try await invite(stage, home, email) }
      let left = try await waiting(stage)
      #expect(left == 0)
    }
  }
}
