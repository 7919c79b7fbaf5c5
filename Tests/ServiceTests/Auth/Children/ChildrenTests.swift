import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Accounts that parents make for their children")
struct ChildrenTests {
  private static let (family, child) = ("fam_kerr", "chd_ann")

  /// An organizer and another parent of a family, each freshly signed in.
  private struct Home: Sendable {
    let stage: AuthStage
    let organizer: Auth_V1.SignInResponse
    let parent: Auth_V1.SignInResponse

    init(_ stage: AuthStage) async throws {
      self.stage = stage
      organizer = try await stage.signUp("olive@example.org")
      parent = try await stage.signUp("paul@example.org")
      let roles = [
        organizer.user?.id ?? "": "organizer", parent.user?.id ?? "": "parent",
      ]
      stage.peers.change { state in
        state.families[ChildrenTests.family] = roles
        state.children[ChildrenTests.child] = ChildrenTests.family
      }
      _ = try await stage.takeMails()
    }

    func begin(
      _ device: String = "ipad-1",
      by parent: Auth_V1.SignInResponse? = nil,
      endMine: Bool = false
    ) async throws -> Auth_V1.BeginChildSessionResponse {
      try await stage.children.beginSession(
        .init(
          childId: ChildrenTests.child,
          deviceId: device,
          device: .init(name: "Ann's iPad"),
          endMine: endMine
        ),
        options: stage.with(parent ?? self.parent)
      )
    }

    func call(_ answer: Auth_V1.BeginChildSessionResponse) -> CallOptions {
      answer.tokens.map { stage.with($0) } ?? CallOptions()
    }

    /// Whether a child's session lives.
    func lives(_ answer: Auth_V1.BeginChildSessionResponse) async -> Bool {
      await outcome { _ = try await stage.users.getMe(.init(), options: call(answer)) }
        == "OK"
    }
  }

  private func run(_ body: (Home) async throws -> Void) async throws {
    try await AuthStage.run { stage in try await body(Home(stage)) }
  }

  @Test("The account has neither address nor password, and its session proves nothing")
  func begin_first_makesAccount() async throws {
    try await run { home in
      let begun = try await home.begin()
      #expect(begun.pairingId == "par_ipad-1")
      let me = try await home.stage.users.getMe(.init(), options: home.call(begun))
      #expect(me.id == begun.userId && me.displayName == "Ann" && me.email.isEmpty)
      let devices = home.stage.peers.read { $0.childDevices }
      #expect(devices == ["\(begun.userId) ipad-1"])
      let claims = try AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse").verify(
        begun.tokens?.accessToken ?? "",
        keys: home.stage.service.core.ring.keys,
        now: home.stage.clock.now
      )
      #expect(claims.acr == "child")
      // Just begun, it is still nobody's fresh sign-in: nothing that would make the account the child's.
      let calls: [() async throws -> Void] = [
        {
          _ = try await home.stage.stepUp.setPin(.init(pin: "482915"), options: home.call(begun))
        },
        {
          _ = try await Auth_V1.DeletionsClient(home.stage.channel).deleteAccount(
            .init(),
            options: home.call(begun)
          )
        },
      ]
      for call in calls { #expect(await outcome(call) == "UNAUTHENTICATED STEP_UP_REQUIRED") }
      #expect(
        try await home.stage.audited("child_account.create")
          == ["child_account.create \(begun.userId)"]
      )
    }
  }

  @Test("A parent signs the child in again; each device has one session, all have one account")
  func begin_again_replacesSession() async throws {
    try await run { home in
      let first = try await home.begin()
      let other = try await home.begin("ipad-2", by: home.organizer)
      let again = try await home.begin()
      #expect(Set([first.userId, other.userId, again.userId]).count == 1)
      #expect(await !home.lives(first))
      #expect(await home.lives(other))
      #expect(await home.lives(again))
      let account = try await home.stage.children.getAccount(
        .init(childId: Self.child),
        options: home.stage.with(home.parent)
      )
      #expect(account.devices.map(\.deviceId).sorted() == ["ipad-1", "ipad-2"])
      #expect(account.devices.allSatisfy { $0.device?.name == "Ann's iPad" })
      // The parent's own session need not stay on the device.
      let last = try await home.begin("ipad-3", endMine: true)
      #expect(await home.lives(last))
      let mine = await outcome {
        _ = try await home.stage.users.getMe(.init(), options: home.stage.with(home.parent))
      }
      #expect(mine == "UNAUTHENTICATED CREDENTIALS_INVALID")
    }
  }

  @Test("A device is signed out alone, also while TenancyService is down")
  func end_device_endsItsSession() async throws {
    try await run { home in
      let (first, other) = (try await home.begin(), try await home.begin("ipad-2"))
      let options = home.stage.with(home.parent)
      let ended = try await home.stage.children.endSession(
        .init(childId: Self.child, deviceId: "ipad-1"),
        options: options
      )
      #expect(ended.ended == 1)
      #expect(await !home.lives(first))
      #expect(await home.lives(other))
      #expect(home.stage.peers.read { $0.childDevices } == ["\(other.userId) ipad-2"])
      let again = try await home.stage.children.endSession(
        .init(childId: Self.child, deviceId: "ipad-1"),
        options: options
      )
      #expect(again.ended == 0)
    }
  }

  @Test("Parents sign in and out; organizers alone manage it; others see no child")
  func rights_areAskedFor() async throws {
    try await run { home in
      let begun = try await home.begin()
      let stranger = try await home.stage.signUp("lena@example.org")
      let children = home.stage.children
      func managing(_ options: CallOptions) -> [() async throws -> Void] {
        [
          { _ = try await children.deleteAccount(.init(childId: Self.child), options: options) },
          { _ = try await children.cancelDeletion(.init(childId: Self.child), options: options) },
          {
            _ = try await children.handOver(
              .init(childId: Self.child, email: "ann@example.org"),
              options: options
            )
          },
          {
            for try await _ in children.exportAccount(
              .init(childId: Self.child),
              options: options
            ) {}
          },
        ]
      }
      for call in managing(home.stage.with(home.parent)) {
        #expect(await outcome(call) == "NOT_FOUND CHILD_UNKNOWN")
      }
      let foreign = home.stage.with(stranger)
      let all =
        managing(foreign) + [
          { _ = try await home.begin(by: stranger) },
          { _ = try await children.getAccount(.init(childId: Self.child), options: foreign) },
          {
            _ = try await children.endSession(
              .init(childId: Self.child, deviceId: "ipad-1"),
              options: foreign
            )
          },
        ]
      for call in all { #expect(await outcome(call) == "NOT_FOUND CHILD_UNKNOWN") }
      // The child itself is no parent.
      let own = await outcome {
        _ = try await children.getAccount(.init(childId: Self.child), options: home.call(begun))
      }
      #expect(own == "NOT_FOUND CHILD_UNKNOWN")
      var text = ""
      for try await piece in children.exportAccount(
        .init(childId: Self.child),
        options: home.stage.with(home.organizer)
      ) {
        text += String(decoding: piece.protobufBytes, as: UTF8.self)
      }
      #expect(text.contains(begun.userId))
    }
  }

  @Test("A deletion can be taken back by the organizer; until then nobody signs the child in")
  func delete_account_canBeTakenBack() async throws {
    try await run { home in
      let begun = try await home.begin()
      let options = home.stage.with(home.organizer)
      let deletion = try await home.stage.children.deleteAccount(
        .init(childId: Self.child),
        options: options
      )
      #expect(deletion.state == .waiting)
      #expect(await !home.lives(begun))
      let refused = await outcome { _ = try await home.begin() }
      #expect(refused == "FAILED_PRECONDITION CHILD_ACCOUNT_ENDING")
      let cancelled = try await home.stage.children.cancelDeletion(
        .init(childId: Self.child),
        options: options
      )
      #expect(cancelled.wasPending)
      #expect(try await home.begin().userId == begun.userId)
    }
  }

  @Test("A child that has grown up takes its account over, and nobody manages it")
  func takeOver_grownUp_ownsAccount() async throws {
    try await run { home in
      let begun = try await home.begin()
      _ = try await home.stage.children.handOver(
        .init(childId: Self.child, email: "Ann@example.org"),
        options: home.stage.with(home.organizer)
      )
      let token = try await home.stage.takeToken("take-over", to: "Ann@example.org")
      let weak = await outcome {
        _ = try await home.stage.children.takeOver(.init(token: token, password: "password"))
      }
      #expect(weak.hasPrefix("INVALID_ARGUMENT"))
      _ = try await home.stage.children.takeOver(
        .init(token: token, password: AuthStage.password)
      )
      #expect(await !home.lives(begun))
      let own = try await home.stage.signIn("ann@example.org")
      #expect(own.user?.id == begun.userId && own.user?.emailVerified == true)
      let again = await outcome {
        _ = try await home.stage.children.takeOver(
          .init(token: token, password: AuthStage.password)
        )
      }
      #expect(again == "INVALID_ARGUMENT MAIL_TOKEN_INVALID")
      let managed = await outcome {
        _ = try await home.stage.children.deleteAccount(
          .init(childId: Self.child),
          options: home.stage.with(home.organizer)
        )
      }
      #expect(managed == "NOT_FOUND CHILD_UNKNOWN")
      // A younger child of the same profile would get an account of its own.
      #expect(try await home.begin().userId != begun.userId)
    }
  }

  @Test("Wrong PINs of the family close the device on which they were typed, and no other")
  func familyPin_countsByDevice() async throws {
    try await run { home in
      let (first, other) = (try await home.begin(), try await home.begin("ipad-2"))
      home.stage.peers.change { $0.families[Self.family]?[first.userId] = "child_device" }
      _ = try await home.stage.stepUp.setFamilyPin(
        .init(familyId: Self.family, pin: "482915"),
        options: home.stage.with(home.organizer)
      )
      func tried(
        _ pin: String,
        _ session: Auth_V1.BeginChildSessionResponse
      ) async -> String {
        await outcome {
          _ = try await home.stage.stepUp.verifyFamilyPin(
            .init(familyId: Self.family, pin: pin),
            options: home.call(session)
          )
        }
      }
      for _ in 0..<5 { #expect(await tried("482916", first).hasSuffix("PIN_INVALID")) }
      #expect(await tried("482915", first).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
      #expect(await tried("482915", other) == "OK")
      // Signing in anew on the same device counts nothing anew.
      let again = try await home.begin()
      #expect(await tried("482915", again).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
    }
  }
}
