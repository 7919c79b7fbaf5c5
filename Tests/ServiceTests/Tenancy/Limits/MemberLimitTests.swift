import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Members that count against a limit")
struct MemberLimitTests {
  private static let owner = LimitedFarm.owner

  private func run(
    members: Int64?,
    users: SmallUsersService = SmallUsersService(),
    _ body: (LimitedFarm) async throws -> Void
  ) async throws {
    try await LimitedFarm.run(members: members, users: users, body)
  }

  @discardableResult
  private func grant(
    _ user: String,
    _ role: String = "groom",
    until: Int64? = nil,
    in farm: LimitedFarm
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await farm.stage.grant(role, on: farm.id, to: user, until: until, by: Self.owner)
  }

  private func invite(
    _ email: String,
    _ role: String = "groom",
    in farm: LimitedFarm
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    try await farm.stage.invitations.create(
      .init(entityId: farm.id, role: role, email: email),
      options: .by(Self.owner)
    )
  }

  private func accept(_ code: String, by user: String, _ farm: LimitedFarm) async throws {
    _ = try await farm.stage.invitations.accept(.init(code: code), options: .by(user))
  }

  /// The refusal for a limit; nil when there is room.
  private func refusal<Response>(
    _ body: () async throws -> Response
  ) async throws -> [String: String]? {
    do {
      _ = try await body()
      return nil
    } catch let error as RPCError {
      let limit: [String: String] = try #require(error.limit, "\(error)")
      return limit
    }
  }

  @Test("Distinct people count: roles beyond the first do not, and a role that ends makes room")
  func grant_atLimit_isRefused() async throws {
    try await run(members: 3) { farm in
      try await grant("usr_greta", in: farm)
      try await grant("usr_vera", "veterinarian", in: farm)
      try await grant("usr_vera", "dentist", in: farm)
      let refused = try await refusal { try await grant("usr_nora", in: farm) }
      #expect(
        refused == [
          "limit": "maxMembers", "maximum": "3", "count": "3", "requested": "1",
          "unlocked_by_tier": "standard",
        ]
      )
      // Only roles on the organization itself make members of it.
      try await farm.stage.grant("groom", on: farm.stable, to: "usr_nora", by: Self.owner)
      _ = try await farm.stage.roles.leave(.init(entityId: farm.id), options: .by("usr_vera"))
      try await grant("usr_nora", in: farm)
      #expect(try await refusal { try await grant("usr_vera", in: farm) }?["count"] == "3")
    }
  }

  @Test("A role whose time is over makes room by itself, and counts when it is given again")
  func grant_timeIsOver_makesRoom() async throws {
    try await run(members: 2) { farm in
      try await grant("usr_greta", until: 60_000, in: farm)
      #expect(try await refusal { try await grant("usr_nora", in: farm) } != nil)
      farm.stage.clock.advance(61_000)
      try await grant("usr_nora", in: farm)
      #expect(
        try await refusal { try await grant("usr_greta", until: 600_000, in: farm) }?["count"]
          == "2"
      )
    }
  }

  @Test("An invited address counts once, and so does the person that it becomes")
  func invitation_counts_once() async throws {
    let users = SmallUsersService()
    try await run(members: 3, users: users) { farm in
      let first = try await invite("greta@example.com", in: farm)
      let second = try await invite("Greta@example.com", "rider", in: farm)
      _ = try await invite("vera@example.com", "veterinarian", in: farm)
      #expect(try await refusal { try await invite("nora@example.com", in: farm) }?["count"] == "3")
      #expect(try await refusal { try await grant("usr_nora", in: farm) }?["count"] == "3")
      // It was counted when it was invited.
      try await accept(first.code, by: "usr_greta", farm)
      #expect(try await refusal { try await grant("usr_nora", in: farm) }?["count"] == "3")
      try await accept(second.code, by: "usr_greta", farm)
      #expect(try await refusal { try await invite("nora@example.com", in: farm) }?["count"] == "3")
      // A member is invited to further roles.
      _ = try await invite("greta@example.com", "trainer", in: farm)
      farm.stage.clock.advance(InvitationLimits.lifetimeMax + 1)
      try await grant("usr_nora", in: farm)
    }
  }

  @Test("Of a code for anyone only acceptance counts; a revoked invitation makes room")
  func code_accepted_counts() async throws {
    try await run(members: 2) { farm in
      let (open, other) = (try await invite("", in: farm), try await invite("", in: farm))
      try await accept(open.code, by: "usr_greta", farm)
      #expect(
        try await refusal { try await accept(other.code, by: "usr_nora", farm) }?["count"] == "2"
      )
      _ = try await farm.stage.roles.leave(.init(entityId: farm.id), options: .by("usr_greta"))
      let vera = try await invite("vera@example.com", in: farm)
      #expect(try await refusal { try await accept(other.code, by: "usr_nora", farm) } != nil)
      _ = try await farm.stage.invitations.revoke(
        .init(invitationId: vera.invitation?.id ?? ""),
        options: .by(Self.owner)
      )
      try await accept(other.code, by: "usr_nora", farm)
    }
  }

  @Test("A batch of roles names the first one that does not fit, and grants none")
  func batchGrant_pastLimit_namesElement() async throws {
    try await run(members: 3) { farm in
      let refused = try await refusal {
        try await farm.stage.roles.batchGrant(
          .init(
            roles: ["usr_a", "usr_b", "usr_c"].map {
              .init(entityId: farm.id, role: "groom", userId: $0)
            }
          ),
          options: .by(Self.owner)
        )
      }
      #expect(refused?["field"] == "roles[2]" && refused?["maximum"] == "3")
      for user in ["usr_d", "usr_e"] { try await grant(user, in: farm) }
    }
  }

  @Test("Of 64 who are let in at the same time exactly as many get a role as there is room for")
  func grant_by64_isExact() async throws {
    try await run(members: 20) { farm in
      try await farm.stage.withChannels(64) { channels in
        let outcomes = await withTaskGroup(of: String.self) { group in
          for (place, channel) in channels.enumerated() {
            group.addTask {
              do {
                if place.isMultiple(of: 2) {
                  _ = try await Tenancy_V1.RolesClient(channel).grant(
                    .init(
                      role: .init(entityId: farm.id, role: "groom", userId: "usr_\(place)")
                    ),
                    options: .by(Self.owner)
                  )
                } else {
                  _ = try await Tenancy_V1.InvitationsClient(channel).create(
                    .init(entityId: farm.id, role: "groom", email: "a\(place)@example.com"),
                    options: .by(Self.owner)
                  )
                }
                return "counted"
              } catch {
                return (error as? RPCError)?.reason ?? "\(error)"
              }
            }
          }
          return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["counted": 19, "LIMIT_EXCEEDED": 45])
      }
    }
  }

  @Test("After a downgrade everybody stays, the invited may come, and nobody else")
  func limit_falls_membersStay() async throws {
    try await run(members: nil) { farm in
      let invited = try await invite("vera@example.com", in: farm)
      for user in ["usr_a", "usr_b"] { try await grant(user, in: farm) }
      farm.entitlement.set(limits: ["maxMembers": 1, "maxHorses": 5, "maxStables": 1], of: farm.id)
      let isRefused = await farm.stage.eventually {
        (try? await grant("usr_\(UInt32.random(in: 0...(.max)))", in: farm)) == nil
      }
      #expect(isRefused)
      try await accept(invited.code, by: "usr_vera", farm)
      let held = try await farm.stage.roles.listByEntity(
        .init(entityId: farm.id),
        options: .by(Self.owner)
      ).associations
      #expect(held.count >= 4)
      try await grant("usr_a", "rider", in: farm)
    }
  }
}
