import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("PINs of families")
struct FamilyPinTests {
  private static let pin = "482915"
  private static let wrongPin = "482916"
  private static let family = "fam_kerr"

  /// A family: an organizer, another parent, and a child, each signed in on a device.
  private final class Home: Sendable {
    let stage: AuthStage
    private let tokens: Lock<[String: Auth_V1.Tokens]>
    let organizer: String
    let parent: String
    let child: String

    init(_ stage: AuthStage) async throws {
      self.stage = stage
      var (tokens, ids): ([String: Auth_V1.Tokens], [String]) = ([:], [])
      for name in ["olive", "paul", "annie"] {
        let answer = try await stage.signUp("\(name)@example.org")
        let id = try #require(answer.user?.id)
        ids.append(id)
        tokens[id] = answer.tokens
      }
      (organizer, parent, child) = (ids[0], ids[1], ids[2])
      self.tokens = Lock(tokens)
      let members = [organizer: "organizer", parent: "parent", child: "child_device"]
      stage.peers.change { $0.families[FamilyPinTests.family] = members }
      _ = try await stage.takeMails()
    }

    func call(_ user: String) -> CallOptions {
      tokens.withLock { $0[user] }.map { stage.with($0) } ?? CallOptions()
    }

    /// Lets time pass on the child's device.
    func wait(_ seconds: Int64) async throws {
      stage.clock.advance(seconds * 1000)
      let old = tokens.withLock { $0[child]?.refreshToken } ?? ""
      let renewed = try await stage.authentication.refresh(.init(refreshToken: old))
      tokens.withLock { $0[child] = renewed }
    }

    func set(_ pin: String, by user: String? = nil) async throws {
      _ = try await stage.stepUp.setFamilyPin(
        .init(familyId: FamilyPinTests.family, pin: pin),
        options: call(user ?? organizer)
      )
    }

    func verify(_ pin: String, by user: String? = nil) async throws -> String {
      let answer = try await stage.stepUp.verifyFamilyPin(
        .init(familyId: FamilyPinTests.family, pin: pin),
        options: call(user ?? child)
      )
      return try #require(answer.token?.token)
    }

    func tried(_ pin: String, by user: String? = nil) async -> String {
      await outcome { _ = try await self.verify(pin, by: user) }
    }

    func state(_ user: String? = nil) async throws -> Auth_V1.FamilyPinState {
      try await stage.stepUp.getFamilyPin(
        .init(familyId: FamilyPinTests.family),
        options: call(user ?? child)
      )
    }

    /// Ten wrong PINs on the child's device.
    func close() async throws {
      for wait in [0, 0, 0, 0, 30, 60, 300, 900, 3600, 3600] {
        #expect(await tried(FamilyPinTests.wrongPin) == "INVALID_ARGUMENT PIN_INVALID")
        try await self.wait(Int64(wait))
      }
    }
  }

  private func run(_ body: (Home) async throws -> Void) async throws {
    try await AuthStage.run { stage in try await body(Home(stage)) }
  }

  @Test("An organizer sets it; in the child's session it opens parent mode of this family")
  func verify_right_givesTokenOfFamily() async throws {
    try await run { home in
      #expect(await home.tried(Self.pin) == "FAILED_PRECONDITION PIN_NOT_SET")
      #expect(try await !home.state().isSet)
      try await home.set(Self.pin)
      let notices = try await home.stage.takeMails()
      #expect(Set(notices.map(\.recipient)) == ["<olive@example.org>", "<paul@example.org>"])
      #expect(try await home.state().isSet)
      for user in [home.child, home.parent] {
        let text = try await home.verify(Self.pin, by: user)
        let claims = try AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse")
          .verify(text, keys: home.stage.service.core.ring.keys, now: home.stage.clock.now)
        #expect(claims.userID == user)
        #expect(claims.acr == "family_pin" && claims.methods == ["pin"])
        #expect(claims.purpose == "family.enter_parent_mode")
        #expect(claims.object == Self.family)
        #expect(claims.expires - claims.issued == 300_000)
        // It is no fresh sign-in, and no PIN of the account.
        let elevated = CallOptions(metadata: ["authorization": "Bearer \(text)"])
        let refused = await outcome {
          _ = try await home.stage.stepUp.setFamilyPin(
            .init(familyId: Self.family, pin: "730284"),
            options: elevated
          )
        }
        #expect(refused == "UNAUTHENTICATED STEP_UP_REQUIRED")
      }
      #expect(try await home.stage.audited("family_pin.set") == ["family_pin.set \(Self.family)"])
      let series = #"gatehouse_auth_step_ups_total{method="family_pin",outcome="done"}"#
      #expect(home.stage.metric(series) == 2)
    }
  }

  @Test("Only organizers set and remove it, and only members of the family try it")
  func rights_areAskedFor() async throws {
    try await run { home in
      for user in [home.parent, home.child] {
        let refused = await outcome { try await home.set(Self.pin, by: user) }
        #expect(refused == "PERMISSION_DENIED FAMILY_PIN_REFUSED")
      }
      try await home.set(Self.pin)
      let stranger = try await home.stage.signUp("lena@example.org")
      let options = home.stage.with(stranger)
      let request = Auth_V1.VerifyFamilyPinRequest(familyId: Self.family, pin: Self.pin)
      let calls: [() async throws -> Void] = [
        { _ = try await home.stage.stepUp.verifyFamilyPin(request, options: options) },
        {
          _ = try await home.stage.stepUp.getFamilyPin(
            .init(familyId: Self.family),
            options: options
          )
        },
        {
          _ = try await home.stage.stepUp.setFamilyPin(
            .init(familyId: Self.family, pin: Self.pin),
            options: options
          )
        },
        {
          _ = try await home.stage.stepUp.clearFamilyPin(
            .init(familyId: Self.family),
            options: options
          )
        },
      ]
      for call in calls { #expect(await outcome(call) == "NOT_FOUND FAMILY_UNKNOWN") }
      let common = await outcome { try await home.set("123456") }
      #expect(common == "INVALID_ARGUMENT PIN_COMMON")
      let again = await outcome { try await home.set(String(Self.pin.reversed())) }
      #expect(again == "INVALID_ARGUMENT PIN_REUSED")
      _ = try await home.stage.stepUp.clearFamilyPin(
        .init(familyId: Self.family),
        options: home.call(home.organizer)
      )
      #expect(await home.tried(Self.pin) == "FAILED_PRECONDITION PIN_NOT_SET")
      home.stage.peers.change { $0.isTenancyDown = true }
      #expect(await home.tried(Self.pin) == "UNAVAILABLE CONTEXT_UNAVAILABLE")
    }
  }

  @Test("The tenth wrong one closes parent mode and tells the parents; a parent opens it")
  func verify_tenWrong_closesUntilParentSignsIn() async throws {
    try await run { home in
      try await home.set(Self.pin)
      _ = try await home.stage.takeMails()
      try await home.close()
      #expect(await home.tried(Self.pin) == "FAILED_PRECONDITION PARENT_MODE_CLOSED")
      #expect(try await home.state().closed)
      let mails = try await home.stage.takeMails()
      #expect(Set(mails.map(\.recipient)) == ["<olive@example.org>", "<paul@example.org>"])
      #expect(mails.allSatisfy { $0.text.contains("Ada's phone") })
      #expect(
        try await home.stage.audited("family_pin.close") == ["family_pin.close \(Self.family)"]
      )
      // The child signs in anew, and is no parent.
      _ = try await home.stage.signIn("annie@example.org")
      #expect(await home.tried(Self.pin) == "FAILED_PRECONDITION PARENT_MODE_CLOSED")
      _ = try await home.stage.signIn("paul@example.org")
      #expect(try await !home.state().closed)
      _ = try await home.verify(Self.pin)
    }
  }

  @Test("Each account counts for itself, and a new PIN is tried anew")
  func attempts_countByAccount() async throws {
    try await run { home in
      try await home.set(Self.pin)
      for _ in 0..<5 { #expect(await home.tried(Self.wrongPin).hasSuffix("PIN_INVALID")) }
      #expect(await home.tried(Self.pin) == "RESOURCE_EXHAUSTED TOO_MANY_PIN_ATTEMPTS")
      _ = try await home.verify(Self.pin, by: home.parent)
      try await home.set("730284")
      _ = try await home.verify("730284")
    }
  }

  @Test("Guesses at once are counted before any of them is compared")
  func verify_guessesAtOnce_areCounted() async throws {
    try await run { home in
      try await home.set(Self.pin)
      let outcomes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { await home.tried(Self.wrongPin) } }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      // Others may have found no thread to hash on, which counts for nothing.
      let compared = outcomes.filter { $0.hasSuffix("PIN_INVALID") }.count
      #expect((1...5).contains(compared))
      for _ in compared..<5 { #expect(await home.tried(Self.wrongPin).hasSuffix("PIN_INVALID")) }
      #expect(await home.tried(Self.pin).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
    }
  }
}
