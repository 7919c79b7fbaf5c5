import PeerContracts
import AuthContracts
import EntitlementContracts
import TenancyContracts
import Foundation
import RPCKit
import Testing

extension EndToEndTests {
  /// The two flows of the screen-time app, over started services.
  @Suite("A family's devices, from the first launch on")
  struct FamilyDayTests {
    private static func run(
      _ body: (Installation) async throws -> Void
    ) async throws {
      let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
      }
      let policy = try String(
        contentsOf: root.appending(path: "policies/family.json"),
        encoding: .utf8
      )
      try await Installation.run(policy: policy, body)
    }

    private static let pin = "482915"

    /// Calls of somebody who has just typed the PIN, for one purpose.
    private static func elevated(
      _ person: Person,
      for purpose: String,
      _ home: Installation
    ) async throws -> CallOptions {
      let stepUp = Auth_V1.StepUpClient(home.auth.channel)
      let response = try await stepUp.verifyPin(
        .init(pin: pin, purpose: purpose),
        options: person.call
      )
      let token = try #require(response.token?.token)
      return CallOptions(timeout: .seconds(10), metadata: ["authorization": "Bearer \(token)"])
    }

    /// A family with a child, made by a parent.
    private static func family(
      of parent: Person,
      _ home: Installation
    ) async throws -> (family: String, child: String) {
      let entities = Tenancy_V1.EntitiesClient(home.tenancy.channel)
      let family = try await entities.create(
        .init(entity: .init(type: "family", name: "Lovelace")),
        options: parent.call
      ).id
      let child = try await entities.create(
        .init(entity: .init(type: "child", parentId: family, name: "Mia")),
        options: parent.call
      ).id
      return (family, child)
    }

    @Test(
      "Child's device: paired by a code, child mode at once, parent mode behind the PIN, points per app"
    )
    func childDevice_fromFirstLaunch_works() async throws {
      try await Self.run { home in
        let (ada, mia) = (try await home.signUp("ada"), try await home.signUp("mia"))
        let (family, child) = try await Self.family(of: ada, home)
        let families = Tenancy_V1.FamiliesClient(home.tenancy.channel)
        let device = Tenancy_V1.GetDeviceContextRequest(deviceId: "mias-ipad")
        // First launch: nobody has said whose device it is.
        let unknown = try await refusal {
          try await families.getDeviceContext(device, options: mia.call)
        }
        #expect(unknown?.is(.notFound, "NOT_FOUND") == true)
        let code = try await families.createPairingCode(
          .init(familyId: family, deviceRole: .child, childId: child),
          options: ada.call
        ).code
        let wrong = try await refusal {
          try await families.pairDevice(
            .init(code: "WRONG", deviceId: "mias-ipad"),
            options: mia.call
          )
        }
        #expect(wrong?.is(.notFound, "CODE_UNKNOWN") == true)
        let pairing = try await families.pairDevice(
          .init(code: code.lowercased(), deviceId: "mias-ipad", deviceName: "Mia's iPad"),
          options: mia.call
        ).pairing
        #expect(pairing?.childName == "Mia")
        let context = try await families.getDeviceContext(device, options: mia.call)
        // Names of people who are new here come when AuthService has told them.
        #expect(context.pairing?.id == pairing?.id && pairing?.id.isEmpty == false)
        #expect(context.pairing?.childId == pairing?.childId)
        #expect(context.modes.map(\.mode) == [.parent, .child])
        #expect(context.modes.map(\.allowed) == [false, true])
        // A parent who takes the device must prove to be that parent.
        let taken = try await families.getDeviceContext(device, options: ada.call)
        #expect(taken.modes.map(\.reason) == ["STEP_UP_REQUIRED", "ROLE_LACKS_ACTION"])
        _ = try await Auth_V1.StepUpClient(home.auth.channel).setPin(
          .init(pin: Self.pin),
          options: ada.call
        )
        for (purpose, reason) in [
          ("family.enter_parent_mode", "ALLOWED"), ("family.pair_devices", "STEP_UP_REQUIRED"),
        ] {
          let entered = try await families.getDeviceContext(
            device,
            options: Self.elevated(ada, for: purpose, home)
          )
          #expect(entered.modes.map(\.reason) == [reason, "ROLE_LACKS_ACTION"])
        }
        // One PIN for the whole family, set by its organizer: the child's device asks for it too.
        let early = try await refusal {
          try await Auth_V1.StepUpClient(home.auth.channel).verifyFamilyPin(
            .init(familyId: family, pin: Self.pin),
            options: mia.call
          )
        }
        #expect(early?.is(.failedPrecondition, "PIN_NOT_SET") == true)
        let parentMode = try await home.parentMode(of: family, mia, organizer: ada).call
        let opened = try await families.getDeviceContext(device, options: parentMode)
        #expect(opened.modes.map(\.reason) == ["ALLOWED", "ALLOWED"])
        // Parent mode shows the whole family, in the child's session.
        let children = try await Tenancy_V1.EntitiesClient(home.tenancy.channel).list(
          .init(type: "child", parentId: family),
          options: parentMode
        )
        #expect(children.entities.map(\.name) == ["Mia"])
        try await Self.earnAndRedeem(child, home, parentMode: parentMode, childAccount: mia)
        let listed = try await families.listPairings(
          .init(familyId: family),
          options: ada.call
        ).pairings
        #expect(listed.map(\.deviceName) == ["Mia's iPad"])
        _ = try await families.unpair(
          .init(pairingId: pairing?.id ?? ""),
          options: ada.call
        )
        let points = Entitlement_V1.PointsClient(home.entitlement.channel)
        let isOver = await home.entitlement.eventually {
          (try? await points.balances(.init(holderId: child), options: mia.call)) == nil
        }
        #expect(isOver)
      }
    }

    @Test("Parents prove themselves before they reverse points, also to EntitlementService")
    func points_behindThePIN_areReversed() async throws {
      try await Self.run { home in
        let ada = try await home.signUp("ada")
        let (family, child) = try await Self.family(of: ada, home)
        let points = Entitlement_V1.PointsClient(home.entitlement.channel)
        let rule = Entitlement_V1.SetPointsRuleRequest(
          holderId: child,
          rule: .init(app: "math", pointsPerMinute: 2, pointsPerRewardMinute: 1)
        )
        let unproven = try await refusal { try await points.setRule(rule, options: ada.call) }
        #expect(unproven?.is(.unauthenticated, "STEP_UP_REQUIRED") == true)
        _ = try await points.setRule(rule, options: home.parentMode(of: family, ada).call)
        let earned = try await points.earn(
          .init(holderId: child, app: "math", minutes: 10, idempotencyKey: "earned"),
          options: ada.call
        )
        func reverse(_ options: CallOptions) async throws -> Refusal? {
          try await refusal {
            try await points.reverse(
              .init(holderId: child, transactionId: earned.id, idempotencyKey: "reversed"),
              options: options
            )
          }
        }
        #expect(try await reverse(ada.call)?.is(.unauthenticated, "STEP_UP_REQUIRED") == true)
        _ = try await Auth_V1.StepUpClient(home.auth.channel).setPin(
          .init(pin: Self.pin),
          options: ada.call
        )
        // Neither for another action, nor in another family.
        let other = try await Self.elevated(ada, for: "points.earn", home)
        #expect(try await reverse(other)?.is(.unauthenticated, "STEP_UP_REQUIRED") == true)
        let (foreign, _) = try await Self.family(of: ada, home)
        let elsewhere = try await home.parentMode(of: foreign, ada).call
        #expect(try await reverse(elsewhere)?.is(.unauthenticated, "STEP_UP_REQUIRED") == true)
        let elevated = try await Self.elevated(ada, for: "family.enter_parent_mode", home)
        #expect(try await reverse(elevated) == nil)
      }
    }

    /// Rules of each app in parent mode; the child earns, and redeems a part of one app's points.
    private static func earnAndRedeem(
      _ child: String,
      _ home: Installation,
      parentMode: CallOptions,
      childAccount: Person
    ) async throws {
      let points = Entitlement_V1.PointsClient(home.entitlement.channel)
      for app in ["math", "reading"] {
        let rule = Entitlement_V1.SetPointsRuleRequest(
          holderId: child,
          rule: .init(app: app, pointsPerMinute: 2, pointsPerRewardMinute: 1)
        )
        let refused = try await refusal {
          try await points.setRule(rule, options: childAccount.call)
        }
        #expect(refused?.is(.unauthenticated, "STEP_UP_REQUIRED") == true)
        _ = try await points.setRule(rule, options: parentMode)
        _ = try await points.earn(
          .init(holderId: child, app: app, minutes: 10, idempotencyKey: app),
          options: childAccount.call
        )
      }
      _ = try await points.redeem(
        .init(
          holderId: child,
          parts: [.init(app: "math", amount: .points(5))],
          reward: "games",
          idempotencyKey: "part"
        ),
        options: childAccount.call
      )
      let balances = try await points.balances(
        .init(holderId: child),
        options: childAccount.call
      ).balances
      #expect(balances.map(\.app) == ["math", "reading"])
      #expect(balances.map(\.points) == [15, 20])
      let rewards = try await points.activeRewards(
        .init(holderId: child),
        options: childAccount.call
      ).rewards
      #expect(rewards.map(\.reward) == ["games"])
    }

    @Test("A parent sets the child's device up with an own account, and chooses the child")
    func childDevice_setUpByParent_works() async throws {
      try await Self.run { home in
        let ada = try await home.signUp("ada")
        let (family, child) = try await Self.family(of: ada, home)
        let children = Auth_V1.ChildrenClient(home.auth.channel)
        // The parent signs in on the device, and leaves no session there.
        let there = try await home.signIn(ada)
        let begun = try await children.beginSession(
          .init(
            childId: child,
            deviceId: "mias-ipad",
            device: .init(name: "Mia's iPad"),
            endMine: true
          ),
          options: there.call
        )
        let mia = ada.showing(begun.tokens?.accessToken ?? "")
        let families = Tenancy_V1.FamiliesClient(home.tenancy.channel)
        let device = Tenancy_V1.GetDeviceContextRequest(deviceId: "mias-ipad")
        let context = try await families.getDeviceContext(device, options: mia.call)
        #expect(context.modes.map(\.allowed) == [false, true])
        #expect(context.pairing?.id == begun.pairingId && context.pairing?.childName == "Mia")
        let isNamed = await home.tenancy.eventually {
          let roles = try? await home.associations.listByEntity(
            .init(entityId: child),
            options: ada.call
          )
          return roles?.associations.contains { $0.displayName == "Mia" } == true
        }
        #expect(isNamed, "the child's account is somebody without a name")
        let opened = try await home.parentMode(of: family, mia, organizer: ada)
        let modes = try await families.getDeviceContext(device, options: opened.call).modes
        #expect(modes.map(\.allowed) == [true, true])
        try await Self.earnAndRedeem(
          child,
          home,
          parentMode: opened.call,
          childAccount: mia
        )
        _ = try await children.endSession(
          .init(childId: child, deviceId: "mias-ipad"),
          options: ada.call
        )
        let ended = try await refusal {
          try await families.getDeviceContext(device, options: mia.call)
        }
        #expect(ended?.code == .unauthenticated)
      }
    }

    @Test("Parent's device: invited to the family, paired, monitors and has no child mode")
    func parentDevice_fromFirstLaunch_monitors() async throws {
      try await Self.run { home in
        let (ada, ben) = (try await home.signUp("ada"), try await home.signUp("ben"))
        let (family, child) = try await Self.family(of: ada, home)
        let families = Tenancy_V1.FamiliesClient(home.tenancy.channel)
        let invitations = Tenancy_V1.InvitationsClient(home.tenancy.channel)
        // The other parent comes by an invitation; its address is not verified, so it takes the code.
        let invitation = try await invitations.create(
          .init(entityId: family, role: "guardian", email: ben.email),
          options: home.parentMode(of: family, ada).call
        )
        let received = try await invitations.listReceived(.init(), options: ben.call)
        #expect(!received.emailVerified)
        #expect(received.invitations.isEmpty)
        let byAddress = try await refusal {
          try await invitations.accept(
            .init(invitationId: invitation.invitation?.id ?? ""),
            options: ben.call
          )
        }
        #expect(byAddress?.is(.notFound, "NOT_FOUND") == true)
        _ = try await invitations.accept(.init(code: invitation.code), options: ben.call)
        let code = try await families.createPairingCode(
          .init(familyId: family, deviceRole: .parent),
          options: ada.call
        ).code
        _ = try await families.pairDevice(
          .init(code: code, deviceId: "bens-phone", deviceName: "Phone"),
          options: ben.call
        )
        let context = try await families.getDeviceContext(
          .init(deviceId: "bens-phone"),
          options: ben.call
        )
        #expect(context.modes.map(\.mode) == [.parent])
        #expect(context.modes.map(\.reason) == ["STEP_UP_REQUIRED"])
        // Monitoring only: a guardian reads the child's points and changes nothing.
        let points = Entitlement_V1.PointsClient(home.entitlement.channel)
        #expect(
          try await points.balances(.init(holderId: child), options: ben.call).balances.isEmpty
        )
        let rule = try await refusal {
          try await points.setRule(
            .init(
              holderId: child,
              rule: .init(app: "math", pointsPerMinute: 1, pointsPerRewardMinute: 1)
            ),
            options: ben.call
          )
        }
        #expect(rule?.is(.permissionDenied, "ROLE_LACKS_ACTION") == true)
        let changes: [() async throws -> Void] = [
          {
            _ = try await points.earn(
              .init(holderId: child, app: "math", minutes: 1),
              options: ben.call
            )
          },
          {
            _ = try await points.redeem(
              .init(holderId: child, parts: [.init(app: "math", amount: .all(true))]),
              options: ben.call
            )
          },
          {
            _ = try await points.reverse(
              .init(holderId: child, transactionId: "ptx_1"),
              options: ben.call
            )
          },
        ]
        for change in changes {
          let refused = try await refusal { try await change() }
          #expect(refused?.is(.permissionDenied, "ROLE_LACKS_ACTION") == true)
        }
        let history = try await points.history(.init(holderId: child), options: ben.call)
        #expect(history.entries.isEmpty)
        // What was paired by itself can be given back by itself.
        let unpaired = try await families.unpair(
          .init(pairingId: context.pairing?.id ?? ""),
          options: ben.call
        )
        #expect(unpaired.unpaired)
      }
    }
  }
}
