import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Devices of families", .timeLimit(.minutes(5)))
struct PairingTests {
  @Test("A child's device has both modes, and parent mode on it takes the PIN")
  func childDevice_parentMode_needsPIN() async throws {
    try await FamilyHome.run { home in
      let code = try await home.code(for: home.ann)
      #expect(code.utf8.count == PairingLimits.codeLetterCount)
      // As a child types what it is told.
      let pairing = try await home.pair("\(code.prefix(4)) \(code.dropFirst(4))".lowercased())
      #expect(pairing.deviceRole == .child)
      #expect(pairing.childName == "Ann")
      #expect(pairing.issuedBy == FamilyHome.parent)
      let context = try await home.context()
      #expect(context.modes.map(\.mode) == [.parent, .child])
      #expect(try await home.reason(.child) == "ALLOWED")
      // Parent mode takes the family's PIN, and not one that the child set for itself.
      #expect(try await home.reason(.parent) == "STEP_UP_REQUIRED")
      #expect(try await home.reason(.parent, acr: "pin") == "STEP_UP_REQUIRED")
      for adult in [FamilyHome.organizer, FamilyHome.parent, FamilyHome.guardian] {
        #expect(try await home.reason(.parent, for: adult) == "STEP_UP_REQUIRED", "\(adult)")
        #expect(try await home.reason(.parent, for: adult, acr: "pin") == "ALLOWED", "\(adult)")
        #expect(try await home.reason(.child, for: adult, acr: "pin") == "ROLE_LACKS_ACTION")
      }
    }
  }

  @Test(
    "A PIN for one action opens that action and no other, however strong a session is otherwise"
  )
  func parentMode_purpose_isThatAction() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(), device: "phone", by: FamilyHome.guardian)
      func reason(_ acr: String, for purpose: String?) async throws -> String? {
        try await home.reason(
          .parent,
          of: "phone",
          for: FamilyHome.guardian,
          acr: acr,
          purpose: purpose
        )
      }
      #expect(try await reason("pin", for: "family.enter_parent_mode") == "ALLOWED")
      for other in ["family.list_pairings", "family", "no.such_action", ""] {
        #expect(try await reason("pin", for: other) == "STEP_UP_REQUIRED", "\(other)")
      }
      for acr in ["pwd", "mfa", "phr", "phrh", "fed"] {
        #expect(try await reason(acr, for: nil) == "STEP_UP_REQUIRED", "\(acr)")
        let purposeful = try await reason(acr, for: "family.enter_parent_mode")
        #expect(purposeful == "STEP_UP_REQUIRED", "\(acr)")
      }
      // Checks and lists say the same.
      let check = Tenancy_V1.CheckRequest(
        action: "family.enter_parent_mode",
        entityId: home.family
      )
      for (purpose, allowed) in [("family.enter_parent_mode", true), ("points.view", false)] {
        let caller = CallOptions.by(FamilyHome.guardian, acr: "pin", purpose: purpose)
        let decision = try await home.stage.permissions.check(check, options: caller)
        #expect(decision.allowed == allowed, "\(purpose)")
        let listed =
          try await home.stage.permissions.listActions(
            .init(entityIds: [home.family]),
            options: caller
          ).entities.first?.actions ?? []
        #expect(listed.contains("family.enter_parent_mode") == allowed, "\(purpose)")
        let accessible = try await home.stage.permissions.listAccessible(
          .init(action: "family.enter_parent_mode", entityType: "family"),
          options: caller
        ).entityIds
        #expect(accessible == (allowed ? [home.family] : []), "\(purpose)")
      }
    }
  }

  @Test("A parent's device has parent mode alone")
  func parentDevice_childMode_isMissing() async throws {
    try await FamilyHome.run { home in
      let pairing = try await home.pair(home.code(), device: "phone", by: FamilyHome.guardian)
      #expect(pairing.deviceRole == .parent)
      #expect(pairing.childId.isEmpty)
      let guardian = FamilyHome.guardian
      let context = try await home.context(of: "phone", for: guardian)
      #expect(context.modes.map(\.mode) == [.parent])
      #expect(try await home.reason(.parent, of: "phone", for: guardian) == "STEP_UP_REQUIRED")
      #expect(try await home.reason(.parent, of: "phone", for: guardian, acr: "pin") == "ALLOWED")
    }
  }

  @Test(
    "The child's account gets the role of the child with its first device, and loses it with the last"
  )
  func pairing_childRole_lastsAsLongAsDevices() async throws {
    try await FamilyHome.run { home in
      let (annie, parent) = (FamilyHome.annie, CallOptions.by(FamilyHome.parent))
      #expect(try await !home.may(annie, "points.earn", home.ann))
      let first = try await home.pair(home.code(for: home.ann))
      #expect(try await home.may(annie, "points.earn", home.ann))
      #expect(try await !home.may(annie, "points.earn", home.ben))
      let second = try await home.pair(home.code(for: home.ann), device: "ipad-2")
      #expect(try await home.calls.unpair(.init(pairingId: first.id), options: parent).unpaired)
      #expect(try await home.may(annie, "points.earn", home.ann))
      #expect(try await home.calls.unpair(.init(pairingId: second.id), options: parent).unpaired)
      #expect(try await !home.may(annie, "points.earn", home.ann))
      let again = try await home.calls.unpair(.init(pairingId: second.id), options: parent)
      #expect(!again.unpaired)
      #expect(try await home.refusedContext() == "NOT_FOUND")
    }
  }

  @Test("A role that the account had before its device was paired is not the device's to end")
  func unpair_roleOfItsOwn_stays() async throws {
    try await FamilyHome.run { home in
      try await home.stage.grant(
        "child",
        on: home.ann,
        to: FamilyHome.annie,
        by: FamilyHome.parent
      )
      let pairing = try await home.pair(home.code(for: home.ann))
      _ = try await home.calls.unpair(
        .init(pairingId: pairing.id),
        options: .by(FamilyHome.parent)
      )
      #expect(try await home.may(FamilyHome.annie, "points.earn", home.ann))
    }
  }

  @Test("A code is good once, for ten minutes, and its letters are nowhere in the store")
  func code_used_isGone() async throws {
    try await FamilyHome.run { home in
      let request = Tenancy_V1.CreatePairingCodeRequest(
        familyId: home.family,
        deviceRole: .child,
        childId: home.ann,
        idempotencyKey: "once"
      )
      let made = try await home.calls.createPairingCode(request, options: .by(FamilyHome.parent))
      let again = try await home.calls.createPairingCode(request, options: .by(FamilyHome.parent))
      #expect(again.code.isEmpty)
      #expect(again.expiresAt == made.expiresAt)
      let stored = try await home.stage.service.database.read { tx in
        try tx.query("SELECT digest FROM pairing_code") { $0.blob(0) }
          + tx.query("SELECT response FROM idempotency_key") { $0.blob(0) }
      }
      #expect(stored.count == 2)
      for bytes in stored { #expect(!bytes.contains(Array(made.code.utf8))) }
      try await home.pair(made.code)
      let used = try await home.refusedPair(made.code, by: "usr_other")
      #expect(used == "CODE_UNKNOWN")
      let late = try await home.code(for: home.ben)
      home.stage.clock.advance(PairingLimits.codeLifetime)
      #expect(try await home.refusedPair(late, by: "usr_benny") == "CODE_UNKNOWN")
      try await home.stage.service.purge(now: home.stage.clock.now + 1)
      let left = try await home.stage.service.database.read { tx in
        try tx.query("SELECT 1 FROM pairing_code") { _ in }.count
      }
      #expect(left == 0)
    }
  }

  /// A code that differs in its last letter.
  private func mistyped(_ code: String) -> String {
    code.dropLast() + (code.last == "A" ? "B" : "A")
  }

  @Test("The fifth wrong try kills a code, whoever makes it, and dead codes do not come back")
  func code_guessedAt_dies() async throws {
    try await FamilyHome.run { home in
      let code = try await home.code(for: home.ann)
      for number in 1..<PairingLimits.wrongCountMax {
        let wrong = try await home.refusedPair(mistyped(code), by: "usr_\(number % 2)")
        #expect(wrong == "CODE_UNKNOWN")
      }
      // Four wrong tries leave it alive: somebody may have mistyped it.
      let alive = try await home.stage.service.database.read { tx in
        try tx.query("SELECT wrong_count FROM pairing_code") { $0.integer(0) }
      }
      #expect(alive == [4])
      _ = try await home.refusedPair(mistyped(code), by: "usr_3")
      #expect(try await home.refusedPair(code) == "CODE_UNKNOWN")
      // Another code is as good as ever.
      try await home.pair(home.code(for: home.ann))
    }
  }

  @Test("A wrong try counts although it is refused, and is answered alike under its key")
  func wrongTry_repeated_countsOnce() async throws {
    try await FamilyHome.run { home in
      let code = try await home.code(for: home.ann)
      let request = Tenancy_V1.PairDeviceRequest(
        code: mistyped(code),
        deviceId: "ipad-1",
        idempotencyKey: "try"
      )
      for _ in 0..<2 {
        let wrong = try await refusal {
          try await home.calls.pairDevice(request, options: .by(FamilyHome.annie))
        }
        #expect(wrong?.reason == "CODE_UNKNOWN")
      }
      let counts = try await home.stage.service.database.read { tx in
        (
          try tx.query("SELECT wrong_count FROM pairing_code") { $0.integer(0) },
          try tx.query(
            "SELECT 1 FROM audit_log WHERE action = 'pairing.create' AND outcome = 'refused'"
          ) { _ in }.count
        )
      }
      #expect(counts.0 == [1])
      #expect(counts.1 == 1)
    }
  }

  @Test("A flood of guesses by one account ends after five, for ten minutes")
  func guesses_ofOneAccount_areBounded() async throws {
    try await FamilyHome.run { home in
      for number in 0..<PairingLimits.attempts.wrong.share {
        let wrong = try await home.refusedPair("AAAAAAA\(number)", by: "usr_mallory")
        #expect(wrong == "CODE_UNKNOWN")
      }
      let code = try await home.code(for: home.ann)
      let refused = try await home.refusedPair(code, by: "usr_mallory")
      #expect(refused == "TOO_MANY_CODE_ATTEMPTS")
      let metrics = String(decoding: home.stage.metrics.render(), as: UTF8.self)
      let family = "gatehouse_tenancy_code_attempt_refusals_total"
      #expect(metrics.contains(#"\#(family){kind="pairing",limit="user"} 1"#))
      // Nobody else is kept from pairing meanwhile.
      try await home.pair(code)
      let other = try await home.code(for: home.ben)
      home.stage.clock.advance(PairingLimits.attempts.window)
      // That code has expired by then as well.
      let late = try await home.refusedPair(other, by: "usr_mallory")
      #expect(late == "CODE_UNKNOWN")
      try await home.pair(home.code(for: home.ben), device: "ipad-9", by: "usr_mallory")
    }
  }

  @Test("A family has five codes: another one replaces the oldest")
  func codes_ofFamily_areBounded() async throws {
    try await FamilyHome.run { home in
      var codes: [String] = []
      for _ in 0...PairingLimits.codesOfFamilyMax {
        codes.append(try await home.code(for: home.ann))
        home.stage.clock.advance(1)
      }
      #expect(try await home.refusedPair(codes[0]) == "CODE_UNKNOWN")
      try await home.pair(codes[1])
    }
  }

  @Test("An adult's account does not go on a child's device, and strangers do not go on a parent's")
  func pair_wrongAccount_isRefused() async throws {
    try await FamilyHome.run { home in
      let child = try await home.code(for: home.ann)
      for adult in [FamilyHome.organizer, FamilyHome.parent, FamilyHome.guardian] {
        #expect(try await home.refusedPair(child, by: adult) == "ADULT_ACCOUNT")
      }
      let parent = try await home.code()
      let stranger = try await home.refusedPair(parent, by: "usr_stranger")
      #expect(stranger == "FAMILY_ROLE_REQUIRED")
      // Neither has cost the code anything.
      try await home.pair(child)
      let annie = try await home.refusedPair(parent, by: FamilyHome.annie)
      #expect(annie == "FAMILY_ROLE_REQUIRED")
      try await home.pair(parent, device: "phone", by: FamilyHome.guardian)
    }
  }

  @Test("A code is worth what whoever made it may still do")
  func pair_issuerWithoutRight_isRefused() async throws {
    try await FamilyHome.run { home in
      let code = try await home.code(for: home.ann)
      _ = try await home.stage.roles.revoke(
        .init(entityId: home.family, role: "parent", userId: FamilyHome.parent),
        options: .by(FamilyHome.organizer, acr: "pin")
      )
      #expect(try await home.refusedPair(code) == "ISSUER_LACKS_RIGHT")
      #expect(try await !home.may(FamilyHome.annie, "points.earn", home.ann))
    }
  }

  @Test("Codes and pairings take the right to, and other families look as if they did not exist")
  func rights_areChecked() async throws {
    try await FamilyHome.run { home in
      let guardian = try await home.refusedCode(for: home.ann, by: FamilyHome.guardian)
      #expect(guardian == "ROLE_LACKS_ACTION")
      #expect(try await home.refusedCode(by: "usr_stranger") == "NOT_FOUND")
      let other = try await FamilyHome(home.stage, organizer: "usr_lena")
      // A child of another family, although the caller may do everything with both.
      let foreign = try await refusal {
        try await home.calls.createPairingCode(
          .init(familyId: home.family, deviceRole: .child, childId: other.ann),
          options: .by(FamilyHome.organizer)
        )
      }
      #expect(foreign?.reason == "NOT_FOUND")
      let childless = try await refusal {
        try await home.calls.createPairingCode(
          .init(familyId: home.family, deviceRole: .child),
          options: .by(FamilyHome.organizer)
        )
      }
      #expect(childless?.reason == "REQUIRED")
      let pairing = try await home.pair(home.code(for: home.ann))
      let lena = CallOptions.by("usr_lena")
      #expect(try await home.refusedContext(for: "usr_lena") == "NOT_FOUND")
      #expect(try await home.refusedContext(of: "no-such") == "NOT_FOUND")
      let list = Tenancy_V1.ListPairingsRequest(familyId: home.family)
      let unlisted = try await refusal {
        try await home.calls.listPairings(list, options: lena)
      }
      #expect(unlisted?.reason == "NOT_FOUND")
      #expect(try await !home.calls.unpair(.init(pairingId: pairing.id), options: lena).unpaired)
      let guarding = try await home.calls.listPairings(list, options: .by(FamilyHome.guardian))
      #expect(guarding.pairings.map(\.id) == [pairing.id])
      let own = try await refusal {
        try await home.calls.unpair(.init(pairingId: pairing.id), options: .by(FamilyHome.annie))
      }
      #expect(own?.code == .permissionDenied)
      #expect(try await home.reason(.child) == "ALLOWED")
    }
  }

  @Test("A parent's device is no child's")
  func code_notToBeMade_isRefused() async throws {
    try await FamilyHome.run { home in
      let calls = home.calls
      let both = Tenancy_V1.CreatePairingCodeRequest(
        familyId: home.family,
        deviceRole: .parent,
        childId: home.ann
      )
      let refused = try await refusal {
        try await calls.createPairingCode(both, options: .by(FamilyHome.parent))
      }
      #expect(refused == Refusal(.invalidArgument, "CHILD_NOT_EXPECTED"))
    }
  }

  @Test("One account's codes never keep others from pairing, and guesses find few of all codes")
  func codes_ofOneAccount_makeRoom() async throws {
    try await FamilyHome.run { home in
      let (family, now) = (home.family, home.stage.clock.now)
      let total = PairingLimits.codes.total
      // As an older version has let one account make them; the rest are of many, and older than its own.
      try await home.stage.service.database.write { tx in
        for number in 0..<total {
          try tx.execute(
            "INSERT INTO pairing_code VALUES (?, x'00', ?, NULL, ?, 'pwd', ?, ?, 0, 0)",
            .text("\(number)"),
            .text(family),
            .text(number >= total - 30 ? "usr_mallory" : "usr_\(number)"),
            .integer(now + Int64(number)),
            .integer(now + 60_000)
          )
        }
      }
      let other = try await FamilyHome(home.stage, organizer: "usr_lena")
      for _ in 0..<20 {
        let code = try await other.code(for: other.ben, by: "usr_lena")
        try await other.pair(code, device: "ipad-1", by: "usr_child")
      }
      let held = { (user: String) in
        try await home.stage.service.database.read { tx in
          try tx.query(
            "SELECT selector FROM pairing_code WHERE issued_by = ? ORDER BY created_at",
            .text(user)
          ) { $0.text(0) }
        }
      }
      // Each pairing has used its code, and the first has made room for all of them.
      #expect(try await held("usr_mallory").count == 29)
      #expect(try await held("usr_mallory").first == "\(total - 29)")
      #expect(try await held("usr_0").count == 1)
      let text = String(decoding: home.stage.metrics.render(), as: UTF8.self)
      #expect(text.contains(#"gatehouse_tenancy_pairing_refusals_total{limit="codes"} 1"#))
    }
  }

  @Test("An account has a share of the codes, over all its families")
  func codes_ofAccount_areBounded() async throws {
    try await FamilyHome.run { home in
      let lena = "usr_lena"
      var first = ""
      for _ in 0..<PairingLimits.codes.share / PairingLimits.codesOfFamilyMax + 1 {
        let other = try await FamilyHome(home.stage, organizer: lena)
        for _ in 0..<PairingLimits.codesOfFamilyMax {
          let code = try await other.code(for: other.ben, by: lena)
          if first.isEmpty { first = code }
        }
      }
      let count = try await home.stage.service.database.read { tx in
        try tx.first("SELECT count(*) FROM pairing_code") { Int($0.integer(0)) }
      }
      #expect(count == PairingLimits.codes.share)
      #expect(try await home.refusedPair(first, by: "usr_child") == "CODE_UNKNOWN")
    }
  }

  @Test("A device of the same name in somebody else's family is another device")
  func device_sameName_isNotTakenOver() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      let other = try await FamilyHome(home.stage, organizer: "usr_lena")
      let code = try await other.code(for: other.ben, by: "usr_lena")
      try await other.pair(code, device: "ipad-1", by: "usr_mallory")
      #expect(try await home.context().pairing?.childName == "Ann")
      #expect(try await home.context(for: FamilyHome.parent).pairing?.familyId == home.family)
      #expect(try await other.context(for: "usr_lena").pairing?.familyId == other.family)
      // Paired once more, a device of an account is what it was paired with last.
      try await home.pair(home.code(for: home.ben))
      #expect(try await home.context().pairing?.childName == "Ben")
      #expect(try await !home.may(FamilyHome.annie, "points.earn", home.ann))
      let listed = try await home.calls.listPairings(
        .init(familyId: home.family),
        options: .by(FamilyHome.parent)
      )
      #expect(listed.pairings.map(\.childId) == [home.ben])
    }
  }

  @Test("Pairings and codes go with the child they are for")
  func child_deleted_takesPairingsAlong() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      let code = try await home.code(for: home.ann)
      _ = try await home.stage.entities.delete(
        .init(entityId: home.ann, cascade: true),
        options: .by(FamilyHome.organizer)
      )
      #expect(try await home.refusedPair(code) == "CODE_UNKNOWN")
      #expect(try await home.refusedContext() == "NOT_FOUND")
      let listed = try await home.calls.listPairings(
        .init(familyId: home.family),
        options: .by(FamilyHome.parent)
      )
      #expect(listed.pairings.isEmpty)
    }
  }

  @Test("A family has a bounded number of devices, listed page by page")
  func pairings_areBounded() async throws {
    try await FamilyHome.run { home in
      for number in 0..<PairingLimits.pairingsOfFamilyMax {
        try await home.pair(home.code(for: home.ann), device: "ipad-\(number)")
      }
      let code = try await home.code(for: home.ann)
      #expect(try await home.refusedPair(code, device: "more") == "TOO_MANY_PAIRINGS")
      // One that is paired once more takes its own place.
      try await home.pair(code, device: "ipad-0")
      var (seen, token) = (Set<String>(), "")
      repeat {
        let page = try await home.calls.listPairings(
          .init(familyId: home.family, childId: home.ann, pageSize: 30, pageToken: token),
          options: .by(FamilyHome.guardian)
        )
        seen.formUnion(page.pairings.map(\.deviceId))
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(seen.count == PairingLimits.pairingsOfFamilyMax)
      try await ListProbe.check("pairedAt", "-pairedAt") { sortBy, size, page, token in
        let page = try await home.calls.listPairings(
          .init(
            familyId: home.family,
            pageSize: size,
            pageToken: token,
            page: page,
            sortBy: sortBy
          ),
          options: .by(FamilyHome.guardian)
        )
        return (page.pairings.map(\.id), page.nextPageToken)
      }
    }
  }
}
