import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Invitations", .timeLimit(.minutes(5)))
struct InvitationTests {
  /// A service with a building, and an AuthService in which Ida's address is verified and Una's is not.
  private func run(
    _ body: (TenancyStage, Building, SmallUsersService) async throws -> Void
  ) async throws {
    let users = SmallUsersService()
    users.accounts.withLock {
      $0 = ["ida@example.com": "usr_ida", "una@example.com": "usr_una"]
    }
    users.verified.withLock { $0 = ["ida@example.com"] }
    try await TenancyStage.run(users: users) { stage in
      try await body(stage, try await Building(stage, name: "a"), users)
    }
  }

  private func held(
    by user: String,
    on entity: String,
    _ stage: TenancyStage
  ) async throws
    -> [String]
  {
    let mine = try await stage.associations.listByUser(.init(), options: .by(user))
    return mine.associations.filter { $0.entityId == entity }.map(\.role)
  }

  @Test("Whoever holds the code gets the role, as if whoever invited had granted it")
  func accept_byCode_grantsRole() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      #expect(made.code.utf8.count == InvitationLimits.codeLetterCount)
      #expect(made.invitation?.state == .pending)
      #expect(made.invitation?.entityName == "Unit a")
      // As people type.
      let typed = "\(made.code.prefix(5))-\(made.code.dropFirst(5)) ".lowercased()
      let role = try await stage.invitations.accept(.init(code: typed), options: .by("usr_una"))
      #expect(role.role == "tenant")
      #expect(role.grantedBy == home.manager)
      #expect(try await held(by: "usr_una", on: home.unit, stage) == ["tenant"])
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by("usr_una"))
      #expect(unit.name == "Unit a")
      let listed = try await stage.invitations.list(
        .init(entityId: home.unit),
        options: .by(home.manager)
      ).invitations
      #expect(listed.map(\.state) == [.accepted])
      #expect(listed.map(\.closedBy) == ["usr_una"])
    }
  }

  @Test("Hours of an invitation are those of the role, and are checked when it is made")
  func accept_withHours_limitsRole() async throws {
    try await run { stage, home, _ in
      let mornings = Tenancy_V1.RecurringWindow(
        days: ["monday", "wednesday"],
        from: "08:00",
        until: "10:30",
        timeZone: "Europe/Berlin"
      )
      var request = Tenancy_V1.CreateInvitationRequest(
        entityId: home.unit,
        role: "tenant",
        recurring: mornings
      )
      let made = try await stage.invitations.create(request, options: .by(home.manager))
      #expect(made.invitation?.recurring == mornings)
      let listed = try await stage.invitations.list(.init(), options: .by(home.manager))
      #expect(listed.invitations.map(\.recurring) == [mornings])
      let role = try await stage.invitations.accept(
        .init(code: made.code),
        options: .by("usr_una")
      )
      // The clock shows Monday, 13:00 in Berlin.
      #expect(role.recurring == mornings && !role.recurringOpen)
      let decision = try await stage.permissions.check(
        .init(action: "unit.view", entityId: home.unit),
        options: .by("usr_una")
      )
      #expect(decision.reason == .notYetValid)
      for (zone, until) in [
        ("Europe/Atlantis", "10:30"), ("UTC", "08:00"),
      ] {
        request.recurring?.timeZone = zone
        request.recurring?.until = until
        let refused = try await refusal {
          try await stage.invitations.create(request, options: .by(home.manager))
        }
        #expect(refused?.code == .invalidArgument, "\(zone)")
      }
    }
  }

  @Test("The store has no code, and a repeated request gets none")
  func create_repeated_answersWithoutCode() async throws {
    try await run { stage, home, _ in
      let request = Tenancy_V1.CreateInvitationRequest(
        entityId: home.unit,
        role: "tenant",
        idempotencyKey: "once"
      )
      let first = try await stage.invitations.create(request, options: .by(home.manager))
      let again = try await stage.invitations.create(request, options: .by(home.manager))
      #expect(first.invitation?.id == again.invitation?.id)
      #expect(!first.code.isEmpty)
      #expect(again.code.isEmpty)
      let (rows, answers) = try await stage.service.database.read { tx in
        (
          try tx.query("SELECT code_digest FROM invitation") { $0.blob(0) },
          try tx.query("SELECT response FROM idempotency_key") { $0.optionalBlob(0) ?? [] }
        )
      }
      let code = Array(first.code.utf8)
      #expect(rows.count == 1)
      #expect(!answers.isEmpty)
      for stored in rows + answers { #expect(!stored.contains(code)) }
      #expect(rows[0] != Digests.sha256(first.code))
      // The one that was given is good.
      _ = try await stage.invitations.accept(.init(code: first.code), options: .by("usr_una"))
    }
  }

  @Test("An address that AuthService calls verified sees its invitations and needs no code")
  func accept_verifiedAddress_needsNoCode() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home, email: "Ida@Example.com")
      _ = try await stage.inviteTenant(home, email: "una@example.com")
      let received = try await stage.invitations.listReceived(.init(), options: .by("usr_ida"))
      #expect(received.emailVerified)
      #expect(received.invitations.map(\.id) == [made.invitation?.id ?? ""])
      let request = Tenancy_V1.AcceptInvitationRequest(invitationId: made.invitation?.id ?? "")
      let role = try await stage.invitations.accept(request, options: .by("usr_ida"))
      #expect(role.userId == "usr_ida")
      let rest = try await stage.invitations.listReceived(.init(), options: .by("usr_ida"))
      #expect(rest.invitations.isEmpty)
    }
  }

  @Test("An address that is not verified shows nothing and accepts nothing without the code")
  func accept_unverifiedAddress_needsCode() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home, email: "una@example.com")
      let id = made.invitation?.id ?? ""
      let received = try await stage.invitations.listReceived(.init(), options: .by("usr_una"))
      #expect(!received.emailVerified)
      #expect(received.invitations.isEmpty)
      for user in ["usr_una", "usr_ida", "usr_nobody"] {
        let refused = try await refusal {
          try await stage.invitations.accept(.init(invitationId: id), options: .by(user))
        }
        #expect(refused == Refusal(.notFound, "NOT_FOUND"), "\(user)")
        let declined = try await refusal {
          try await stage.invitations.decline(.init(invitationId: id), options: .by(user))
        }
        #expect(declined == Refusal(.notFound, "NOT_FOUND"), "\(user)")
      }
      _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      #expect(try await held(by: "usr_una", on: home.unit, stage) == ["tenant"])
    }
  }

  @Test("Accepting twice gives the same role to the same person, and nothing to anybody else")
  func accept_twice_isForOnePerson() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let first = try await stage.invitations.accept(
        .init(code: made.code),
        options: .by("usr_ida")
      )
      let again = try await stage.invitations.accept(
        .init(code: made.code),
        options: .by("usr_ida")
      )
      #expect(again == first)
      let other = try await refusal {
        try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      }
      #expect(other == Refusal(.notFound, "CODE_UNKNOWN"))
      // The role is what it is since; the invitation does not bring it back.
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: "usr_ida"),
        options: .by(home.manager)
      )
      let gone = try await refusal {
        try await stage.invitations.accept(.init(code: made.code), options: .by("usr_ida"))
      }
      #expect(gone == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await held(by: "usr_ida", on: home.unit, stage).isEmpty)
    }
  }

  @Test("Of two who accept with one code at once, one gets the role")
  func accept_concurrently_succeedsOnce() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let hold = await WriterHold(stage.service.database)
      var tasks: [Task<Refusal?, Never>] = []
      for user in ["usr_ida", "usr_una"] {
        tasks.append(
          await WriterHold.queue(in: stage.service.database) { () -> Refusal? in
            do {
              _ = try await stage.invitations.accept(.init(code: made.code), options: .by(user))
              return nil
            } catch {
              return (error as? RPCError).map { Refusal($0) }
            }
          }
        )
      }
      try await hold.end()
      let endings = [await tasks[0].value, await tasks[1].value]
      #expect(endings == [nil, Refusal(.notFound, "CODE_UNKNOWN")])
      #expect(try await held(by: "usr_ida", on: home.unit, stage) == ["tenant"])
      #expect(try await held(by: "usr_una", on: home.unit, stage).isEmpty)
    }
  }

  @Test("Nobody gets what whoever invited may not grant any more; it stays pending meanwhile")
  func accept_inviterWithoutRight_isRefused() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.admin)
      )
      let request = Tenancy_V1.AcceptInvitationRequest(code: made.code)
      let refused = try await refusal {
        try await stage.invitations.accept(request, options: .by("usr_ida"))
      }
      #expect(refused == Refusal(.failedPrecondition, "ISSUER_LACKS_RIGHT"))
      #expect(try await held(by: "usr_ida", on: home.unit, stage).isEmpty)
      _ = try await stage.properties.addManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.admin)
      )
      _ = try await stage.invitations.accept(request, options: .by("usr_ida"))
      #expect(try await held(by: "usr_ida", on: home.unit, stage) == ["tenant"])
    }
  }

  @Test("A right that ends in the same commit as somebody accepts by it grants nothing")
  func accept_besideRevocation_seesIt() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let hold = await WriterHold(stage.service.database)
      let removal = await WriterHold.queue(in: stage.service.database) { () -> Bool in
        let response = try? await stage.properties.removeManager(
          .init(propertyId: home.property, userId: home.manager),
          options: .by(home.admin)
        )
        return response?.removed == 1
      }
      let acceptance = await WriterHold.queue(in: stage.service.database) { () -> String in
        do {
          _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_ida"))
          return ""
        } catch {
          return (error as? RPCError)?.reason ?? "\(error)"
        }
      }
      try await hold.end()
      #expect(await removal.value)
      #expect(await acceptance.value == "ISSUER_LACKS_RIGHT")
    }
  }

  @Test("Invitations vanish with their entity")
  func accept_afterDeletion_isUnknown() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home, email: "ida@example.com")
      _ = try await stage.units.delete(
        .init(unitId: home.unit, cascade: true),
        options: .by(home.manager)
      )
      let byCode = try await refusal {
        try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      }
      #expect(byCode == Refusal(.notFound, "CODE_UNKNOWN"))
      let id = made.invitation?.id ?? ""
      let byID = try await refusal {
        try await stage.invitations.accept(.init(invitationId: id), options: .by("usr_ida"))
      }
      #expect(byID == Refusal(.notFound, "NOT_FOUND"))
      let mine = try await stage.invitations.list(.init(), options: .by(home.manager))
      #expect(mine.invitations.isEmpty)
      let received = try await stage.invitations.listReceived(.init(), options: .by("usr_ida"))
      #expect(received.invitations.isEmpty)
    }
  }

  @Test("An invitation ends at its time, is listed as expired, and is forgotten a month later")
  func invitation_expires() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home, email: "ida@example.com")
      let id = made.invitation?.id ?? ""
      stage.clock.advance(InvitationLimits.lifetimeStandard)
      let byCode = try await refusal {
        try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      }
      #expect(byCode == Refusal(.notFound, "CODE_UNKNOWN"))
      let byID = try await refusal {
        try await stage.invitations.accept(.init(invitationId: id), options: .by("usr_ida"))
      }
      #expect(byID == Refusal(.failedPrecondition, "INVITATION_CLOSED"))
      let mine = CallOptions.by(home.manager)
      let all = try await stage.invitations.list(.init(), options: mine).invitations
      #expect(all.map(\.state) == [.expired])
      let pending = try await stage.invitations.list(.init(pending: true), options: mine)
      #expect(pending.invitations.isEmpty)
      try await stage.service.purge(now: stage.clock.now)
      #expect(try await stage.invitations.list(.init(), options: mine).invitations.count == 1)
      try await stage.service.purge(now: stage.clock.now + InvitationLimits.retention + 1)
      #expect(try await stage.invitations.list(.init(), options: mine).invitations.isEmpty)
    }
  }

  @Test("Declining and revoking close an invitation, and say so again when they are repeated")
  func invitation_closed_staysClosed() async throws {
    try await run { stage, home, _ in
      let declined = try await stage.inviteTenant(home, email: "ida@example.com")
      for _ in 0..<2 {
        let answer = try await stage.invitations.decline(
          .init(invitationId: declined.invitation?.id ?? ""),
          options: .by("usr_ida")
        )
        #expect(answer.state == .declined)
      }
      let revoked = try await stage.inviteTenant(home)
      for user in [home.manager, home.owner] {
        let answer = try await stage.invitations.revoke(
          .init(invitationId: revoked.invitation?.id ?? ""),
          options: .by(user)
        )
        #expect(answer.state == .revoked)
        #expect(answer.closedBy == home.manager)
      }
      for code in [declined.code, revoked.code] {
        let refused = try await refusal {
          try await stage.invitations.accept(.init(code: code), options: .by("usr_una"))
        }
        #expect(refused == Refusal(.notFound, "CODE_UNKNOWN"))
      }
      let accepted = try await stage.inviteTenant(home)
      _ = try await stage.invitations.accept(.init(code: accepted.code), options: .by("usr_una"))
      let late = try await refusal {
        try await stage.invitations.revoke(
          .init(invitationId: accepted.invitation?.id ?? ""),
          options: .by(home.manager)
        )
      }
      #expect(late == Refusal(.failedPrecondition, "INVITATION_CLOSED"))
    }
  }

  @Test("Who may not grant a role invites nobody to it, lists nothing and revokes nothing")
  func strangers_areRefused() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let calls = stage.invitations
      let tenant = CallOptions.by(home.tenant)
      let create = Tenancy_V1.CreateInvitationRequest(entityId: home.unit, role: "tenant")
      let id = made.invitation?.id ?? ""
      let ofTenant = [
        try await refusal { try await calls.create(create, options: tenant) },
        try await refusal { try await calls.list(.init(entityId: home.unit), options: tenant) },
      ]
      #expect(
        ofTenant == Array(repeating: Refusal(.permissionDenied, "ROLE_LACKS_ACTION"), count: 2)
      )
      let stranger = CallOptions.by("usr_stranger")
      let ofStranger = [
        try await refusal { try await calls.create(create, options: stranger) },
        try await refusal { try await calls.list(.init(entityId: home.unit), options: stranger) },
        try await refusal { try await calls.revoke(.init(invitationId: id), options: stranger) },
        try await refusal { try await calls.revoke(.init(invitationId: id), options: tenant) },
        try await refusal { try await calls.revoke(.init(invitationId: "inv_0"), options: tenant) },
      ]
      #expect(ofStranger == Array(repeating: Refusal(.notFound, "NOT_FOUND"), count: 5))
      #expect(try await calls.list(.init(), options: stranger).invitations.isEmpty)
    }
  }

  @Test("Guesses of a user are bounded, and a right code costs none")
  func accept_wrongCodes_areBounded() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let right = Tenancy_V1.AcceptInvitationRequest(code: made.code)
      for _ in 0..<InvitationLimits.attempts.wrong.share + 1 {
        _ = try await stage.invitations.accept(right, options: .by("usr_ida"))
      }
      for number in 0..<InvitationLimits.attempts.wrong.share {
        let wrong = try await refusal {
          try await stage.invitations.accept(.init(code: "WRONG\(number)"), options: .by("usr_una"))
        }
        #expect(wrong == Refusal(.notFound, "CODE_UNKNOWN"))
      }
      let other = try await stage.inviteTenant(home)
      let next = Tenancy_V1.AcceptInvitationRequest(code: other.code)
      var patient = CallOptions.by("usr_una")
      patient.timeout = .seconds(1)
      let refused = try await refusal {
        try await stage.invitations.accept(next, options: patient)
      }
      #expect(refused == Refusal(.resourceExhausted, "TOO_MANY_CODE_ATTEMPTS"))
      let text = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(text.contains(#"gatehouse_tenancy_wrong_codes_total{kind="invitation"} 10"#))
      stage.clock.advance(InvitationLimits.attempts.window)
      _ = try await stage.invitations.accept(next, options: .by("usr_una"))
    }
  }

  @Test("An entity has a bounded number of pending invitations")
  func create_tooMany_isRefused() async throws {
    try await run { stage, home, _ in
      var last = ""
      for _ in 0..<InvitationLimits.ofEntityMax {
        last = try await stage.inviteTenant(home).invitation?.id ?? ""
      }
      let refused = try await refusal { try await stage.inviteTenant(home) }
      #expect(refused == Refusal(.failedPrecondition, "TOO_MANY_INVITATIONS"))
      _ = try await stage.invitations.revoke(
        .init(invitationId: last),
        options: .by(home.manager)
      )
      _ = try await stage.inviteTenant(home)
      var (count, token) = (0, "")
      repeat {
        let page = try await stage.invitations.list(
          .init(entityId: home.unit, pageSize: 150, pageToken: token),
          options: .by(home.manager)
        )
        (count, token) = (count + page.invitations.count, page.nextPageToken)
      } while !token.isEmpty
      #expect(count == InvitationLimits.ofEntityMax + 1)
      try await ListProbe.check("createdAt", "-createdAt") { sortBy, size, page, token in
        var request = Tenancy_V1.ListInvitationsRequest(entityId: home.unit, pageSize: size)
        (request.pageToken, request.page, request.sortBy) = (token, page, sortBy)
        let page = try await stage.invitations.list(request, options: .by(home.manager))
        return (page.invitations.map(\.id), page.nextPageToken)
      }
    }
  }

  @Test("Whoever invites has a bounded number of pending invitations, on all entities together")
  func create_tooManyOfInviter_isRefused() async throws {
    try await run { stage, home, _ in
      let first = try await stage.inviteTenant(home).invitation?.id ?? ""
      let door = home.door
      try await stage.service.database.write { tx in
        try tx.execute(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO invitation (id, entity_id, role, email, email_key, valid_from, valid_until, expires_at,
            invited_by, inviter_acr, code_key, code_digest, created_at, state, closed_at, closed_by,
            association_id)
          SELECT 'inv_' || n.i, ?, role, email, email_key, valid_from, valid_until, expires_at,
            invited_by, inviter_acr, code_key, code_digest, created_at, state, closed_at, closed_by,
            association_id
          FROM invitation, n WHERE id = ?
          """,
          .integer(InvitationLimits.ofInviterMax - 1),
          .text(door),
          .text(first)
        )
      }
      let refused = try await refusal { try await stage.inviteTenant(home) }
      #expect(refused == Refusal(.failedPrecondition, "TOO_MANY_INVITATIONS"))
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      let family = "gatehouse_tenancy_invitation_refusals_total"
      #expect(metrics.contains(#"\#(family){limit="inviter"} 1"#))
      #expect(metrics.contains(#"\#(family){limit="entity"} 0"#))
      // Others are not in the way of one who has too many.
      _ = try await stage.invitations.create(
        .init(entityId: home.unit, role: "tenant"),
        options: .by(home.owner)
      )
    }
  }

  @Test("An invitation is named by its identifier or by its code")
  func accept_namedTwice_isInvalid() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      let twice = Tenancy_V1.AcceptInvitationRequest(
        invitationId: made.invitation?.id ?? "",
        code: made.code
      )
      let both = try await refusal {
        try await stage.invitations.accept(twice, options: .by("usr_ida"))
      }
      #expect(both == Refusal(.invalidArgument, "INVITATION_NAMED_TWICE"))
      let none = try await refusal {
        try await stage.invitations.decline(.init(), options: .by("usr_ida"))
      }
      #expect(none == Refusal(.invalidArgument, "REQUIRED"))
    }
  }

  @Test("A window is that of the role, and nobody lends beyond their own by an invitation")
  func create_withWindow_isChecked() async throws {
    try await run { stage, home, _ in
      let hour: Int64 = 3_600_000
      let manager = CallOptions.by(home.manager)
      let none = try await refusal {
        try await stage.invitations.create(
          .init(entityId: home.door, role: "guest"),
          options: manager
        )
      }
      #expect(none == Refusal(.invalidArgument, "WINDOW_REQUIRED"))
      let made = try await stage.invitations.create(
        .init(
          entityId: home.door,
          role: "guest",
          validUntil: .init(milliseconds: stage.clock.now + hour)
        ),
        options: manager
      )
      // It is of no use after the window.
      #expect(made.invitation?.expiresAt?.milliseconds == stage.clock.now + hour)
      let role = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      #expect(role.validUntil?.milliseconds == stage.clock.now + hour)
      for email in ["ida@example..com", "<ida@example.com>", "-ida@example.com"] {
        let refused = try await refusal { try await stage.inviteTenant(home, email: email) }
        #expect(refused == Refusal(.invalidArgument, "EMAIL_INVALID"), "\(email)")
      }
      for expiry in [stage.clock.now, stage.clock.now + InvitationLimits.lifetimeMax + 1] {
        let refused = try await refusal {
          try await stage.invitations.create(
            .init(
              entityId: home.unit,
              role: "tenant",
              expiresAt: .init(milliseconds: expiry)
            ),
            options: manager
          )
        }
        #expect(refused == Refusal(.invalidArgument, "EXPIRY_INVALID"))
      }
    }
  }

  @Test("Without AuthService codes work, and a repeated answer needs nobody")
  func accept_withoutAuthService_worksByCode() async throws {
    try await run { stage, home, users in
      let byID = try await stage.inviteTenant(home, email: "ida@example.com")
      let byCode = try await stage.inviteTenant(home)
      let request = Tenancy_V1.AcceptInvitationRequest(
        invitationId: byID.invitation?.id ?? "",
        idempotencyKey: "mine"
      )
      let first = try await stage.invitations.accept(request, options: .by("usr_ida"))
      users.failure.withLock { $0 = RPCError(.internal, "broken") }
      #expect(try await stage.invitations.accept(request, options: .by("usr_ida")) == first)
      _ = try await stage.invitations.accept(.init(code: byCode.code), options: .by("usr_una"))
      var impatient = CallOptions.by("usr_ida")
      impatient.timeout = .seconds(1)
      let refused = try await refusal {
        try await stage.invitations.listReceived(.init(), options: impatient)
      }
      #expect(refused?.code == .unavailable || refused?.code == .deadlineExceeded)
    }
  }

  @Test("Everything is audited under who did it, without the code")
  func invitations_areAudited() async throws {
    try await run { stage, home, _ in
      let made = try await stage.inviteTenant(home)
      _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      let records = try await stage.service.database.read { tx in
        try tx.query(
          "SELECT actor, action, object, detail FROM audit_log WHERE action LIKE 'invitation.%' "
            + "OR action = 'tenant.add' AND actor LIKE '%una' ORDER BY sequence"
        ) { [$0.text(0), $0.text(1), $0.text(2), $0.text(3)] }
      }
      #expect(records.map { $0[1] } == ["invitation.create", "tenant.add", "invitation.accept"])
      #expect(records.map { $0[0] } == ["user:\(home.manager)", "user:usr_una", "user:usr_una"])
      for record in records {
        #expect(record[2] == home.unit)
        #expect(!record[3].contains(made.code))
      }
    }
  }
}
