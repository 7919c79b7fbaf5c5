import AuthContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Deleting an account")
struct DeletionTests {
  private static let hour: Int64 = 3_600_000

  private static func ground(graceHours: Int64) throws -> AuthStage.Ground {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = graceHours * hour
    return ground
  }

  private func client(_ stage: AuthStage) -> Auth_V1.DeletionsClient { .init(stage.channel) }

  private func delete(
    _ answer: Auth_V1.SignInResponse,
    _ stage: AuthStage
  ) async throws -> Auth_V1.Deletion {
    try await client(stage).deleteAccount(.init(), options: stage.with(answer))
  }

  private func deletion(_ id: String, _ stage: AuthStage) async throws -> Auth_V1.Deletion {
    try await client(stage).getDeletion(.init(deletionId: id))
  }

  /// Whether any file of the service has a text in it.
  private func isAnywhere(_ text: String, _ ground: AuthStage.Ground) throws -> [String] {
    var found: [String] = []
    let files = try #require(FileManager.default.enumerator(atPath: ground.folder.path))
    for case let file as String in files {
      // Sockets and folders have nothing to read.
      guard let bytes = FileManager.default.contents(atPath: "\(ground.folder.path)/\(file)") else {
        continue
      }
      if bytes.range(of: Data(text.utf8)) != nil { found.append(file) }
    }
    return found
  }

  @Test("Sessions end at once; within the grace period the user can sign in and take it back")
  func delete_withinGrace_canBeCancelled() async throws {
    let ground = try Self.ground(graceHours: 24)
    try await AuthStage.run(on: ground) { stage in
      let first = try await stage.signUp()
      let begun = try await delete(first, stage)
      #expect(begun.state == .waiting)
      #expect(begun.eraseAt?.milliseconds == ground.clock.now + 24 * Self.hour)
      #expect(
        await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(first)) }
          == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
      let second = try await stage.signIn()
      let seen = try await client(stage).getDeletion(.init(), options: stage.with(second))
      #expect(seen == begun)
      // Asked for again it is the same one, and ends the new session too.
      #expect(try await delete(second, stage).id == begun.id)
      let third = try await stage.signIn()
      let cancel = client(stage)
      #expect(try await cancel.cancelDeletion(.init(), options: stage.with(third)).wasPending)
      #expect(try await !cancel.cancelDeletion(.init(), options: stage.with(third)).wasPending)
      ground.clock.advance(48 * Self.hour)
      await stage.service.deletions.workOff()
      #expect(
        await outcome { _ = try await deletion(begun.id, stage) } == "NOT_FOUND DELETION_NOT_FOUND"
      )
      _ = try await stage.signIn()
      #expect(stage.peers.read { $0.erasing }.isEmpty)
    }
  }

  @Test("Invitations to an address end with the account that has proven it, and with no other")
  func delete_unprovenAddress_endsNoInvitations() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let stranger = try await stage.signUp("ada@example.org")
      let owner = try await stage.signUp("bob@example.org")
      let (strangerID, ownerID) = (
        try #require(stranger.user?.id), try #require(owner.user?.id)
      )
      try await stage.service.core.database.write { tx in
        try tx.execute("UPDATE account SET email_verified = 1 WHERE id = ?", .text(ownerID))
      }
      for account in [stranger, owner] { _ = try await delete(account, stage) }
      await stage.workOffDeletions()
      #expect(
        stage.peers.read { $0.erasedAddresses } == [
          strangerID: [], ownerID: ["bob@example.org"],
        ]
      )
    }
  }

  @Test("After the grace period everything goes, and no byte of the user is left in any file")
  func delete_afterGrace_leavesNothing() async throws {
    let ground = try Self.ground(graceHours: 24)
    try await AuthStage.run(on: ground) { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      let ada = try await stage.authentication.signUp(
        .init(
          email: "Ada@Example.org",
          password: AuthStage.password,
          displayName: "Countess Lovelace",
          firstName: "Augusta",
          device: .init(name: "Analytical Engine"),
          idempotencyKey: "sign up once"
        )
      )
      let id = try #require(ada.user?.id)
      // Mails in the spool, a token, an answer kept for the user, and what operators looked for.
      await stage.service.core.outbox.drain(stage.service.core.store)
      _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      _ = try await stage.users.updateProfile(
        .init(firstName: "Augusta Ada", idempotencyKey: "k"),
        options: stage.with(ada)
      )
      let operators = Auth_V1.OperatorsClient(stage.channel)
      _ = try await operators.listUsers(
        .init(text: "ada@example.org"),
        options: stage.with(boss)
      )
      _ = try await operators.endSessions(.init(userId: id), options: stage.with(boss))
      for text in [id, "Countess Lovelace"] {
        #expect(try TestServer.isUsed || !isAnywhere(text, ground).isEmpty)
      }
      #expect(try isAnywhere("ada@example.org", ground).contains { $0.hasPrefix("mail/") } == false)
      #expect(try isAnywhere("Ada@Example.org", ground).contains { $0.hasPrefix("mail/") })

      let again = try await stage.signIn()
      let begun = try await delete(again, stage)
      await stage.service.deletions.workOff()
      #expect(try await deletion(begun.id, stage).state == .waiting)
      ground.clock.advance(24 * Self.hour)
      await stage.workOffDeletions()

      let done = try await deletion(begun.id, stage)
      #expect(done.state == .done)
      #expect(done.finishedAt != nil && done.nextAttemptAt == nil)
      #expect(stage.peers.read { $0.erased } == ["tenancy \(id)", "entitlement \(id)"])
      // The mails before are taken back, and the last one is for whoever delivers mails.
      let mails = try await stage.takeMails().filter { $0.recipient == "<Ada@Example.org>" }
      #expect(mails.map { $0.headers["Subject"] } == ["Your account was deleted"])
      let names = [
        id, "Ada@Example.org", "ada@example.org", "Lovelace", "Augusta", "Analytical Engine",
      ]
      for name in names { #expect(try isAnywhere(name, ground) == [], "\(name) is left") }
      // Nobody else was touched.
      let later = try await stage.signIn("boss@example.org")
      let left = try await operators.listUsers(.init(), options: stage.with(later))
      #expect(left.users.map(\.email) == ["boss@example.org"])
      let actor = Pseudonym.prefix + "%"
      let recorded = try await stage.service.core.database.read { tx in
        try tx.first(
          "SELECT count(*) FROM audit_log WHERE object LIKE ? OR actor LIKE ?",
          .text(actor),
          .text("user:" + actor)
        ) { $0.integer(0) }
      }
      #expect(recorded ?? 0 >= 5, "the audit log names the pseudonym")
      #expect(stage.metric("gatehouse_auth_deletions_pending") == 0)
      #expect(stage.metric(#"gatehouse_auth_deletion_outcomes_total{outcome="done"}"#) == 1)
    }
  }

  @Test("The address is free for a new account; a repeated sign-up does not bring the old one back")
  func address_afterDeletion_isFree() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let old = try await stage.signUp(key: "k")
      _ = try await delete(old, stage)
      await stage.service.deletions.workOff()
      #expect(
        await outcome { _ = try await stage.signIn() } == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      #expect(
        await outcome { _ = try await stage.signUp(key: "k") }
          == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      let new = try await stage.signUp()
      #expect(new.user?.id != old.user?.id)
      let tombstones = stage.service.core.secrets.tombstones
      let id = try #require(old.user?.id)
      let known = try await stage.service.core.database.read { tx in
        [
          try tombstones.contains(.user(id), in: tx),
          try tombstones.contains(.address("ada@example.org"), in: tx),
          try tombstones.contains(.address("joada@example.org"), in: tx),
        ]
      }
      #expect(known == [true, true, false])
    }
  }

  @Test("It needs a sign-in of the last five minutes")
  func delete_longAfterSignIn_needsStepUp() async throws {
    try await AuthStage.run(on: try Self.ground(graceHours: 0)) { stage in
      let answer = try await stage.signUp()
      stage.clock.advance(5 * 60_000 + 1)
      #expect(
        await outcome { _ = try await delete(answer, stage) }
          == "UNAUTHENTICATED STEP_UP_REQUIRED"
      )
      #expect(
        await outcome {
          _ = try await client(stage).getDeletion(.init(), options: stage.with(answer))
        }
          == "NOT_FOUND DELETION_NOT_FOUND"
      )
    }
  }

  @Test("The last owner hands over first, when asking and as erasing begins")
  func delete_ofLastOwner_waitsUntilHandedOver() async throws {
    let ground = try Self.ground(graceHours: 1)
    try await AuthStage.run(on: ground) { stage in
      let answer = try await stage.signUp()
      let id = try #require(answer.user?.id)
      stage.peers.change { $0.soleHoldings[id] = ["prt_home"] }
      let refused = await #expect(throws: RPCError.self) { try await delete(answer, stage) }
      #expect(refused?.reason == "MUST_HAND_OVER")
      let info = try #require(refused?.errorInfo)
      #expect(info.metadata["entities"] == "prt_home" && info.metadata["count"] == "1")
      // Refused, so nothing ended.
      _ = try await stage.users.getMe(.init(), options: stage.with(answer))

      stage.peers.change { $0.soleHoldings[id] = [] }
      let begun = try await delete(answer, stage)
      // The other owner leaves within the grace period.
      stage.peers.change { $0.soleHoldings[id] = ["prt_home"] }
      ground.clock.advance(Self.hour)
      await stage.service.deletions.workOff()
      #expect(try await deletion(begun.id, stage).state == .blocked)
      // Nothing was erased, and the user can act.
      _ = try await stage.signIn()
      stage.peers.change { $0.soleHoldings[id] = [] }
      await stage.service.deletions.workOff()
      #expect(try await deletion(begun.id, stage).state == .blocked)
      ground.clock.advance(24 * Self.hour)
      await stage.workOffDeletions()
      #expect(try await deletion(begun.id, stage).state == .done)
    }
  }

  @Test("The user is told what will happen, until when it can be taken back, and that it was done")
  func mails_ofADeletion_tellTheUser() async throws {
    let ground = try Self.ground(graceHours: 24)
    try await AuthStage.run(on: ground) { stage in
      let answer = try await stage.authentication.signUp(
        .init(
          email: "ada@example.org",
          password: AuthStage.password,
          displayName: "Ada",
          language: "de"
        )
      )
      _ = try await stage.takeMails()
      let begun = try await delete(answer, stage)
      let end = MailDate.short(try #require(begun.eraseAt?.milliseconds))
      var mails = try await stage.takeMails()
      #expect(mails.map { $0.text.contains(end) && $0.text.contains("melden Sie sich") } == [true])
      // Asked for again it is told once.
      let again = try await stage.signIn()
      _ = try await stage.takeMails()
      _ = try await delete(again, stage)
      #expect(try await stage.takeMails().isEmpty)
      ground.clock.advance(24 * Self.hour)
      await stage.service.deletions.workOff()
      // It waits for its last mail, and that is no failure.
      let waiting = try await deletion(begun.id, stage)
      #expect(waiting.step == .account && waiting.failedAttempts == 0)
      // In the language of the user, although the account no longer has it.
      mails = try await stage.takeMails()
      #expect(mails.map(\.recipient) == ["<ada@example.org>"])
      #expect(mails.first?.text.contains("das Konto mit der Adresse ada@example.org wurde") == true)
      ground.clock.advance(1000)
      await stage.service.deletions.workOff()
      #expect(try await deletion(begun.id, stage).state == .done)
      let left = try await stage.service.core.database.read { tx in
        try tx.first("SELECT count(*) FROM mail") { $0.integer(0) }
      }
      #expect(left == 0)
    }
  }

  @Test("A last mail that cannot be sent for a day keeps nothing from being erased")
  func farewell_unsent_isGivenUp() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let begun = try await delete(try await stage.signUp(), stage)
      await stage.service.deletions.workOff()
      // Nobody sends mails meanwhile.
      for _ in 0..<2 {
        ground.clock.advance(12 * Self.hour - 1)
        await stage.service.deletions.workOff()
        #expect(try await deletion(begun.id, stage).step == .account)
      }
      ground.clock.advance(2)
      await stage.workOffDeletions()
      #expect(try await deletion(begun.id, stage).state == .done)
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test(
    "While another service is away it is tried again, ever more seldom, and cannot be cancelled"
  )
  func peers_away_areWaitedFor() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let begun = try await delete(try await stage.signUp(), stage)
      // Erasing has begun, so nothing else can be done with the account but wait.
      ground.peers.change { $0.isTenancyDown = true }
      for pause: Int64 in [1, 2, 4] {
        await stage.service.deletions.workOff()
        let seen = try await deletion(begun.id, stage)
        #expect(seen.state == .erasing && seen.step == .tenancy)
        #expect(seen.nextAttemptAt?.milliseconds == ground.clock.now + pause * 1000)
        ground.clock.advance(pause * 1000)
      }
      ground.peers.change { $0.isTenancyDown = false }
      let session = try await stage.signIn()
      #expect(
        await outcome {
          _ = try await client(stage).cancelDeletion(.init(), options: stage.with(session))
        } == "FAILED_PRECONDITION DELETION_UNDER_WAY"
      )
      ground.peers.change { $0.isEntitlementDown = true }
      await stage.service.deletions.workOff()
      let stuck = try await deletion(begun.id, stage)
      #expect(stuck.step == .entitlement && stuck.failedAttempts == 1)
      // TenancyService has erased: nobody gets in any more, and the address is free.
      #expect(
        await outcome { _ = try await stage.signIn() } == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      #expect(
        await outcome {
          _ = try await stage.users.getMe(.init(), options: stage.with(session))
        } == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
      ground.clock.advance(25 * Self.hour)
      await stage.service.deletions.workOff()
      #expect(stage.metric("gatehouse_auth_deletions_overdue") == 1)
      ground.peers.change { $0.isEntitlementDown = false }
      ground.clock.advance(Self.hour)
      await stage.workOffDeletions()
      #expect(try await deletion(begun.id, stage).state == .done)
      await stage.service.deletions.workOff()
      #expect(stage.metric("gatehouse_auth_deletions_overdue") == 0)
    }
  }

  @Test("With leases, two programs take a deletion through its steps, and do each part once")
  func workOff_twoLeasedPrograms_eraseOnce() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let begun = try await delete(try await stage.signUp(), stage)
      let (core, erasure) = (stage.service.core, stage.service.deletions.erasure)
      let settings = stage.service.settings.deletion
      let sagas = (0..<2).map { _ in
        DeletionSaga(core, settings, erasure, MetricRegistry(), lease: 30_000)
      }
      for _ in 0..<4 {
        await withTaskGroup(of: Void.self) { group in
          for saga in sagas { group.addTask { await saga.workOff() } }
        }
        await core.outbox.drain(core.store)
        ground.clock.advance(60_000)
      }
      #expect(try await deletion(begun.id, stage).state == .done)
      let parts = stage.peers.read { $0.erasing }
      #expect(!parts.isEmpty && Set(parts).count == parts.count)
    }
  }

  @Test("The longest pause between two attempts is an hour")
  func pause_isAtMostAnHour() {
    #expect(
      (0...5).map { DeletionSaga.backoff.longest(after: $0) } == [
        1000, 2000, 4000, 8000, 16000, 32000,
      ]
    )
    #expect(DeletionSaga.backoff.longest(after: 12) == 3_600_000)
    #expect(DeletionSaga.backoff.longest(after: .max) == 3_600_000)
  }

  @Test("Only by its identifier is somebody else's deletion found")
  func getDeletion_withoutIdentifier_needsUser() async throws {
    try await AuthStage.run(on: try Self.ground(graceHours: 1)) { stage in
      let begun = try await delete(try await stage.signUp(), stage)
      #expect(
        await outcome { _ = try await client(stage).getDeletion(.init()) }
          == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
      let other = try await stage.signUp("other@example.org")
      #expect(
        await outcome {
          _ = try await client(stage).getDeletion(.init(), options: stage.with(other))
        } == "NOT_FOUND DELETION_NOT_FOUND"
      )
      #expect(try await deletion(begun.id, stage).id == begun.id)
      #expect(
        await outcome { _ = try await deletion("dln_unknown", stage) }
          == "NOT_FOUND DELETION_NOT_FOUND"
      )
    }
  }

  @Test("A mail that is being sent is waited for")
  func mail_beingSent_isWaitedFor() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let answer = try await stage.signUp()
      let id = try #require(answer.user?.id)
      let begun = try await delete(answer, stage)
      let store = stage.service.core.store
      let until = ground.clock.now + 60_000
      try await store.writeOwn { tx in
        try tx.execute(
          "UPDATE mail SET state = 2, due_at = ? WHERE user_id = ?",
          .integer(until),
          .text(id)
        )
      }
      await stage.workOffDeletions()
      let waiting = try await deletion(begun.id, stage)
      #expect(waiting.step == .account && waiting.failedAttempts == 1)
      ground.clock.advance(60_000)
      await stage.service.deletions.workOff()
      #expect(try await deletion(begun.id, stage).state == .done)
    }
  }

  @Test("What was deleted is forgotten in the end")
  func deletions_areForgotten() async throws {
    let ground = try Self.ground(graceHours: 0)
    try await AuthStage.run(on: ground) { stage in
      let begun = try await delete(try await stage.signUp(), stage)
      await stage.workOffDeletions()
      for _ in 0..<401 {
        ground.clock.advance(24 * Self.hour)
        try await stage.service.maintain()
      }
      #expect(
        await outcome { _ = try await deletion(begun.id, stage) }
          == "NOT_FOUND DELETION_NOT_FOUND"
      )
    }
  }
}
