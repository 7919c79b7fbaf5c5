import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("The roles of one user")
struct RolesOfUserTests {
  private func list(
    _ stage: TenancyStage,
    _ user: String,
    pageSize: UInt32 = 0,
    pageToken: String = ""
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    try await stage.associations.listByUser(
      .init(userId: user, pageSize: pageSize, pageToken: pageToken),
      options: .byService("auth")
    )
  }

  @Test("They are there as soon as they were given, and gone as soon as they were taken")
  func list_followsGrants() async throws {
    try await TenancyStage.run { stage in
      let before = try await list(stage, "usr_home_guest")
      #expect(before.associations.isEmpty && before.nextPageToken.isEmpty)
      let home = try await Building(stage, name: "home")
      let held = try await list(stage, home.guest)
      #expect(held.associations.map(\.id) == [home.pass])
      #expect(held.associations.map(\.entityName) == ["Door home"])
      #expect(held.revision != before.revision)
      _ = try await stage.guests.revoke(.init(passId: home.pass), options: .by(home.tenant))
      #expect(try await list(stage, home.guest).associations.isEmpty)
    }
  }

  @Test("An empty list names the revision at which it was empty")
  func list_ofNothing_hasRevision() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let empty = try await list(stage, "usr_nobody")
      #expect(!empty.revision.isEmpty)
      #expect(try await list(stage, home.owner).revision == empty.revision)
      // A check that waits for that revision need not wait.
      let check = try await stage.permissions.check(
        .init(
          subjectId: "usr_nobody",
          action: "device.view",
          entityId: "dev_none",
          atLeastRevision: empty.revision
        ),
        options: .byService("gateway")
      )
      #expect(!check.allowed)
    }
  }

  @Test("Many come in pages, and a page's token is nobody else's")
  func list_pages() async throws {
    try await TenancyStage.run { stage in
      var expected: [String] = []
      for number in 0..<3 {
        expected.append(
          try await stage.portfolios.create(.init(name: "P\(number)"), options: .by("usr_ada")).id
        )
      }
      let first = try await list(stage, "usr_ada", pageSize: 2)
      let second = try await list(stage, "usr_ada", pageSize: 2, pageToken: first.nextPageToken)
      #expect((first.associations + second.associations).map(\.entityId) == expected)
      try await ListProbe.check("created_at", "-createdAt") { sortBy, size, page, token in
        let page = try await stage.associations.listByUser(
          .init(userId: "usr_ada", pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: .byService("auth")
        )
        return (page.associations.map(\.id), page.nextPageToken)
      }
      try await ListProbe.check("createdAt", "-created_at") { sortBy, size, page, token in
        let page = try await Tenancy_V1.RolesClient(stage.channel).listByUser(
          .init(userId: "usr_ada", pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: .by("usr_ada")
        )
        return (page.associations.map(\.id), page.nextPageToken)
      }
      #expect(first.associations.count == 2 && second.nextPageToken.isEmpty)
      // Also not that of somebody who holds nothing.
      let foreign = try await refusal {
        try await list(stage, "usr_nobody", pageSize: 2, pageToken: first.nextPageToken)
      }
      #expect(foreign?.code == .invalidArgument)
    }
  }

  @Test("A user may not ask for another one's, whether that one holds something or nothing")
  func list_ofOthers_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for other in [home.owner, "usr_nobody"] {
        let refused = try await refusal {
          try await stage.associations.listByUser(.init(userId: other), options: .by(home.guest))
        }
        #expect(refused?.code == .permissionDenied, "\(other)")
      }
    }
  }
}
