import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Parent mode", .timeLimit(.minutes(5)))
struct ParentModeTests {
  private static let guarded = [
    "points.set_rules", "points.reverse", "points.redeem", "child.configure_apps",
  ]

  @Test("On a child's device the PIN of the family opens the whole family, and no roles")
  func childDevice_familyPin_opensFamily() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      let (plain, opened) = (
        CallOptions.by(FamilyHome.annie), home.inParentMode(FamilyHome.annie)
      )
      #expect(try await home.reason(.parent) == "STEP_UP_REQUIRED")
      let modes = try await home.calls.getDeviceContext(.init(deviceId: "ipad-1"), options: opened)
        .modes
      #expect(modes.map(\.reason) == ["ALLOWED", "ALLOWED"])
      for action in Self.guarded {
        #expect(try await home.reason(action, on: home.ben, plain) == .stepUpRequired, "\(action)")
        #expect(try await home.reason(action, on: home.ben, opened) == .allowed, "\(action)")
      }
      // Its own points a child redeems without asking.
      #expect(try await home.reason("points.redeem", on: home.ann, plain) == .allowed)
      #expect(try await home.reason("family.view", on: home.family, opened) == .allowed)
      let seen = try await home.stage.permissions.listAccessible(
        .init(action: "child.view", entityType: "child"),
        options: opened
      )
      #expect(Set(seen.entityIds) == [home.ann, home.ben])
      // A child that has seen the PIN must not make itself a parent for good.
      for action in ["family.manage_members", "family.manage_organizers", "family.set_pin"] {
        #expect(
          try await home.reason(action, on: home.family, opened) == .roleLacksAction,
          "\(action)"
        )
      }
      #expect(try await home.reason("family.pair_devices", on: home.family, opened) != .allowed)
    }
  }

  @Test("Neither a PIN nor a passkey of the child's own, nor the PIN of another family opens it")
  func childDevice_otherProof_opensNothing() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      // A family of the child's own, whose PIN it may set.
      let own = try await home.stage.create("family", name: "Mine", by: FamilyHome.annie).id
      let annie = FamilyHome.annie
      let proofs = [
        home.inParentMode(annie, of: own), home.inParentMode(annie, of: home.ann),
        home.inParentMode(annie, of: "fam_made_up"),
        .by(annie, acr: "pin"), .by(annie, acr: "pin", purpose: "family.enter_parent_mode"),
        .by(annie, acr: "phrh", isRecent: true),
        .by(annie, acr: "family_pin", purpose: "points.view", object: home.family),
      ]
      for (place, proof) in proofs.enumerated() {
        let entering = try await home.reason("family.enter_parent_mode", on: home.family, proof)
        #expect(entering == .stepUpRequired, "\(place)")
        let setting = try await home.reason("points.set_rules", on: home.ben, proof)
        #expect(setting == .stepUpRequired, "\(place)")
        let seen = try await home.stage.permissions.listAccessible(
          .init(action: "child.view", entityType: "child"),
          options: proof
        )
        #expect(seen.entityIds == [home.ann], "\(place)")
      }
      // Of a child's own it covers what is there.
      #expect(
        try await home.reason("family.manage_members", on: own, home.inParentMode(annie, of: own))
          == .allowed
      )
    }
  }

  @Test("Parents prove themselves for rules, redemptions and roles, once or by a passkey")
  func parents_guardedActions_takeProof() async throws {
    try await FamilyHome.run { home in
      let (paul, guarded) = (FamilyHome.parent, Self.guarded + ["child.manage_guardians"])
      for action in guarded {
        #expect(try await home.reason(action, on: home.ann, .by(paul)) == .stepUpRequired)
        let old = try await home.reason(action, on: home.ann, .by(paul, acr: "phr"))
        #expect(old == .stepUpRequired)
        for proof in [
          CallOptions.by(paul, acr: "pin", purpose: "family.enter_parent_mode"),
          .by(paul, acr: "phr", isRecent: true), home.inParentMode(paul),
          .by(paul, acr: "pin", purpose: action),
        ] {
          #expect(try await home.reason(action, on: home.ann, proof) == .allowed, "\(action)")
        }
        let other = CallOptions.by(paul, acr: "pin", purpose: "family.list_pairings")
        #expect(try await home.reason(action, on: home.ann, other) == .stepUpRequired)
      }
      let members = try await home.reason("family.manage_members", on: home.family, .by(paul))
      #expect(members == .stepUpRequired)
      let ungiven = try await refusal {
        try await home.stage.roles.grant(
          .init(role: .init(entityId: home.family, role: "guardian", userId: "usr_una")),
          options: .by(paul)
        )
      }
      #expect(ungiven?.reason == "STEP_UP_REQUIRED")
      _ = try await home.stage.roles.grant(
        .init(role: .init(entityId: home.family, role: "guardian", userId: "usr_una")),
        options: .by(paul, acr: "phr", isRecent: true)
      )
      // What looks and what adds devices comes before there is a PIN.
      for action in ["points.view", "child.view", "child.pair_devices"] {
        #expect(try await home.reason(action, on: home.ann, .by(paul)) == .allowed, "\(action)")
      }
    }
  }

  @Test("A refusal names the step-up that helps the caller")
  func refusal_namesStepUp() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      func stepUp(_ user: String) async throws -> String? {
        let error = await #expect(throws: RPCError.self) {
          _ = try await home.stage.entities.get(
            .init(entityId: home.family),
            options: .by(user)
          )
        }
        return error?.errorInfo?.metadata["step_up"]
      }
      #expect(try await stepUp(FamilyHome.annie) == "family_pin")
      let refused = await #expect(throws: RPCError.self) {
        _ = try await home.stage.roles.grant(
          .init(role: .init(entityId: home.family, role: "guardian", userId: "usr_una")),
          options: .by(FamilyHome.parent)
        )
      }
      #expect(refused?.errorInfo?.metadata["step_up"] == "pin")
      #expect(refused?.errorInfo?.metadata["acr_values"] == "pin family_pin phr phrh")
    }
  }

  @Test("An explanation names the step-up by which a role would grant an action")
  func explanation_namesStepUp() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      let explained = try await home.stage.permissions.explain(
        .init(action: "family.view", entityId: home.family),
        options: .by(FamilyHome.annie)
      )
      #expect(explained.decision?.reason == .stepUpRequired)
      #expect(explained.conditions.map(\.condition) == [.stepUp("family_pin")])
      #expect(explained.conditions.map(\.holds) == [false])
      #expect(explained.conditions.map(\.decisive) == [true])
    }
  }

  @Test("On a child that is not there yet, an action takes its step-up as on one that is")
  func below_guardedAction_takesProof() async throws {
    try await FamilyHome.run { home in
      let own = try await home.stage.create("family", name: "Mine", by: FamilyHome.annie).id
      func actions(_ proof: CallOptions) async throws -> [String] {
        let fetched = try await home.stage.permissions.fetch(.init(entityId: own), options: proof)
        return try #require(fetched.below.first { $0.entityType == "child" }).actions
      }
      let plain = try await actions(.by(FamilyHome.annie))
      #expect(plain.contains("child.update") && !plain.contains("child.configure_apps"))
      let proven = try await actions(.by(FamilyHome.annie, acr: "phr", isRecent: true))
      #expect(proven.contains("child.configure_apps"))
    }
  }

  @Test("The role behind parent mode comes with the first device, and ends with the last")
  func deviceRole_lastsAsLongAsDevices() async throws {
    try await FamilyHome.run { home in
      let opened = home.inParentMode(FamilyHome.annie)
      func reason() async throws -> Tenancy_V1.Reason {
        try await home.reason("family.enter_parent_mode", on: home.family, opened)
      }
      let first = try await home.pair(home.code(for: home.ann))
      let second = try await home.pair(home.code(for: home.ann), device: "ipad-2")
      let parent = CallOptions.by(FamilyHome.parent)
      _ = try await home.calls.unpair(.init(pairingId: first.id), options: parent)
      #expect(try await reason() == .allowed)
      _ = try await home.calls.unpair(.init(pairingId: second.id), options: parent)
      #expect(try await reason() == .entityUnknown)
      try await home.pair(home.code(for: home.ann))
      #expect(try await reason() == .allowed)
      // The role of the child ends its devices, and they that of the account.
      _ = try await home.stage.roles.revoke(
        .init(entityId: home.ann, role: "child", userId: FamilyHome.annie),
        options: parent
      )
      #expect(try await reason() == .entityUnknown)
    }
  }
}
