import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Invitations to roles of a tenant's own")
struct InvitedRoleTests {
  private static let hanna = "usr_hanna"

  private func furnish(_ stage: TenancyStage) async throws -> String {
    try await stage.create("library", by: Self.hanna).id
  }

  private func define(
    _ name: String,
    of base: String,
    _ actions: [String],
    on id: String,
    _ stage: TenancyStage
  ) async throws {
    _ = try await stage.definitions.put(
      .init(entityId: id, name: name, baseRole: base, actions: actions),
      options: .by(Self.hanna)
    )
  }

  private func invite(
    _ role: String,
    on id: String,
    by user: String = hanna,
    _ stage: TenancyStage
  ) async throws -> String {
    try await stage.invitations.create(
      .init(entityId: id, role: role),
      options: .by(user)
    ).code
  }

  private func accept(_ code: String, _ stage: TenancyStage) async throws -> Refusal? {
    try await refusal {
      try await stage.invitations.accept(.init(code: code), options: .by("usr_rosa"))
    }
  }

  @Test("An invitation gives no more than the role that it was made for")
  func accept_roleMadeAnew_isRefused() async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8)) {
      stage in
      let library = try await furnish(stage)
      let changed = Refusal(.failedPrecondition, "ROLE_CHANGED")
      try await define("helper", of: "reader", ["book.view", "shelf.view"], on: library, stage)
      let code = try await invite("helper", on: library, stage)
      // Others include more, or stand on another role.
      for (base, actions) in [
        ("reader", ["book.read", "book.view", "shelf.view"]), ("librarian", ["book.view"]),
      ] {
        _ = try await stage.definitions.delete(
          .init(entityId: library, name: "helper"),
          options: .by(Self.hanna)
        )
        try await define("helper", of: base, actions, on: library, stage)
        #expect(try await accept(code, stage) == changed, "\(base)")
      }
      _ = try await stage.definitions.delete(
        .init(entityId: library, name: "helper"),
        options: .by(Self.hanna)
      )
      #expect(try await accept(code, stage)?.reason == "ISSUER_LACKS_RIGHT")
      // A smaller one is none that anybody has to agree to again.
      try await define("helper", of: "reader", ["book.view"], on: library, stage)
      #expect(try await accept(code, stage) == nil)
    }
  }

  @Test("An invitation to a role of the policy does not become one to the tenant's own")
  func accept_roleReplaced_isRefused() async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8)) {
      stage in
      let library = try await furnish(stage)
      let code = try await invite("librarian", on: library, stage)
      try await define("librarian", of: "librarian", ["book.view"], on: library, stage)
      #expect(try await accept(code, stage)?.reason == "ROLE_CHANGED")
      _ = try await stage.definitions.delete(
        .init(entityId: library, name: "librarian"),
        options: .by(Self.hanna)
      )
      #expect(try await accept(code, stage) == nil)
    }
  }

  @Test(
    "Whoever may not grant a role may not invite to it, and the invited person learns nothing of it"
  )
  func invite_beyondOwn_isRefused() async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8)) {
      stage in
      let library = try await furnish(stage)
      try await stage.grant("librarian", on: library, to: "usr_lena", by: Self.hanna)
      try await define("closer", of: "reader", ["library.close"], on: library, stage)
      let exceeds = Refusal(.permissionDenied, "ROLE_EXCEEDS_OWN")
      #expect(
        try await refusal {
          try await stage.grant("closer", on: library, to: "usr_rosa", by: "usr_lena")
        } == exceeds
      )
      #expect(
        try await refusal { try await invite("closer", on: library, by: "usr_lena", stage) }
          == exceeds
      )
      let byAddress = try await refusal {
        try await stage.roles.grant(
          .init(role: .init(entityId: library, role: "closer", email: "rosa@example.org")),
          options: .by("usr_lena")
        )
      }
      #expect(byAddress == exceeds)
    }
  }

  @Test("What whoever invites may no longer give is not named to the invited person")
  func accept_issuerLacksAction_isNotNamed() async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8)) {
      stage in
      let library = try await furnish(stage)
      try await stage.grant("head_librarian", on: library, to: "usr_max", by: Self.hanna)
      try await define("closer", of: "reader", ["library.close"], on: library, stage)
      let code = try await invite("closer", on: library, by: "usr_max", stage)
      // Max may grant readers still, and may not close the library.
      try await stage.grant("librarian", on: library, to: "usr_max", by: Self.hanna)
      _ = try await stage.roles.revoke(
        .init(entityId: library, role: "head_librarian", userId: "usr_max"),
        options: .by(Self.hanna)
      )
      do {
        _ = try await stage.invitations.accept(.init(code: code), options: .by("usr_rosa"))
        Issue.record("the role was given")
      } catch let error as RPCError {
        #expect(Refusal(error) == Refusal(.failedPrecondition, "ISSUER_LACKS_RIGHT"))
        #expect(!error.message.contains("close"))
      }
    }
  }
}
