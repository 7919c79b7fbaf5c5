import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("All permissions of a user in one call")
struct FetchTests {
  private static let service = CallOptions.byService("gateway")

  /// What a user has on each entity, over all pages.
  private func everything(
    of user: String,
    below id: String,
    pageSize: UInt32 = 0,
    _ options: CallOptions,
    _ stage: TenancyStage
  ) async throws -> [String: Tenancy_V1.PermissionSet] {
    var request = Tenancy_V1.FetchPermissionsRequest(
      subjectId: user,
      entityId: id,
      pageSize: pageSize
    )
    var found: [String: Tenancy_V1.PermissionSet] = [:]
    repeat {
      let page = try await stage.permissions.fetch(request, options: options)
      #expect(pageSize == 0 || page.entities.count <= Int(pageSize))
      #expect(Set(page.sets).count == page.sets.count, "the same set twice")
      for entity in page.entities {
        #expect(found[entity.entityId] == nil, "twice")
        found[entity.entityId] = page.sets[Int(entity.set)]
      }
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return found
  }

  @Test("Of a random forest it has every action that a check allows, whatever the page size")
  func fetch_randomForest_equalsListActions() async throws {
    try await TenancyStage.run { stage in
      let forest = try await StoredForest(stage, seed: 4)
      let image = try await forest.image()
      let ids = image.entities.keys.sorted()
      for user in StoredForest.userIDs + ["usr_super"] {
        let listed = try await stage.permissions.listActions(
          .init(subjectId: user, entityIds: ids),
          options: Self.service
        ).entities
        for pageSize in [0, 3] as [UInt32] {
          let found = try await everything(
            of: user,
            below: "sys_root",
            pageSize: pageSize,
            Self.service,
            stage
          )
          for entity in listed {
            #expect(found[entity.entityId]?.actions ?? [] == entity.actions, "\(user)")
          }
          #expect(Set(found.keys).isSubset(of: ids + ["sys_root"]))
        }
      }
    }
  }

  @Test("It says which roles there are, how much they show, and until when that holds")
  func fetch_library_describesEachEntity() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      var books: [String] = []
      for _ in 0..<40 {
        books.append(try await stage.create("book", under: shelf, by: "usr_hanna").id)
      }
      let hannas = try await stage.permissions.fetch(
        .init(entityId: library),
        options: .by("usr_hanna")
      )
      // 42 entities, three kinds of them.
      #expect(hannas.entities.count == 42 && hannas.sets.count == 3)
      let atlas = try #require(hannas.entities.first { $0.entityId == books[0] })
      let set = hannas.sets[Int(atlas.set)]
      #expect(set.entityType == "book" && set.roles == ["head_librarian"])
      #expect(set.accessLevel == "staff" && set.actions.contains("book.lend"))
      #expect(set.visibleAttributes == ["damaged", "genre", "lendable", "pages", "price"])
      try await stage.grant("borrower", on: books[0], to: "usr_ben", until: 60_000, by: "usr_hanna")
      try await stage.grant(
        "borrower",
        on: books[1],
        to: "usr_ben",
        from: 30_000,
        until: 60_000,
        by: "usr_hanna"
      )
      let bens = try await stage.permissions.fetch(
        .init(entityId: library),
        options: .by("usr_ben")
      )
      #expect(bens.entities.map(\.entityId) == [books[0]] && bens.nextPageToken.isEmpty)
      #expect(bens.sets.map(\.actions) == [["book.read", "book.view"]])
      #expect(bens.sets[0].visibleAttributes == ["genre", "lendable", "pages"])
      let at = { Google_Protobuf.Timestamp(milliseconds: TenancyStage.start + $0) }
      #expect(bens.entities[0].validUntil == at(60_000))
      // The second book comes into it before the first one ends.
      #expect(bens.validUntil == at(30_000))
      stage.clock.advance(30_000)
      let both = try await everything(of: "", below: library, .by("usr_ben"), stage)
      #expect(Set(both.keys) == Set(books[0...1]))
      let one = try await everything(of: "", below: books[1], .by("usr_ben"), stage)
      #expect(Array(one.keys) == [books[1]])
    }
  }

  @Test("Of foreign objects it has nothing, as of unknown ones; users ask about themselves")
  func fetch_strangers_learnNothing() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let fetch = { (id: String, user: String, caller: String) in
        try await stage.permissions.fetch(
          .init(subjectId: user, entityId: id, includeFeatures: true),
          options: .by(caller)
        )
      }
      let foreign = try await fetch(library, "", "usr_stranger")
      #expect(foreign.entities.isEmpty && foreign.sets.isEmpty)
      #expect(try await fetch("lib_unknown", "", "usr_stranger") == foreign)
      // Not even by the time: a role that begins soon ends both answers.
      let own = try await stage.create("library", by: "usr_stranger").id
      try await stage.grant("reader", on: own, to: "usr_soon", from: 10_000, by: "usr_stranger")
      let soon = try await fetch(library, "", "usr_soon")
      #expect(try await fetch("lib_unknown", "", "usr_soon") == soon)
      #expect(soon.validUntil == .init(milliseconds: TenancyStage.start + 10_000))
      let others = try await refusal { try await fetch(library, "usr_hanna", "usr_stranger") }
      #expect(others == Refusal(.permissionDenied, "NOT_SELF"))
      let token = try await stage.permissions.fetch(
        .init(entityId: "sys_root", pageSize: 1),
        options: .by("usr_hanna")
      ).nextPageToken
      #expect(!token.isEmpty)
      let stolen = try await refusal {
        try await stage.permissions.fetch(
          .init(entityId: "sys_root", pageSize: 1, pageToken: token),
          options: .by("usr_stranger")
        )
      }
      #expect(stolen == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
    }
  }

  @Test("A page goes on after its token when what it names is gone, and after another policy")
  func fetch_lostPlace_missesNothing() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      var shelves: [String] = []
      for _ in 0..<6 {
        shelves.append(try await stage.create("shelf", under: library, by: "usr_hanna").id)
      }
      for loss in 0..<2 {
        var request = Tenancy_V1.FetchPermissionsRequest(entityId: library, pageSize: 3)
        let first = try await stage.permissions.fetch(request, options: .by("usr_hanna"))
        var found = Set(first.entities.map(\.entityId))
        let last = try #require(first.entities.last?.entityId)
        if loss == 0 {
          _ = try await stage.entities.delete(.init(entityId: last), options: .by("usr_hanna"))
          shelves.removeAll { $0 == last }
        } else {
          var policy = ReadingRoom.policy
          policy.replace(#""version": 1"#, with: #""version": 2"#)
          try await stage.service.reload { [UInt8](policy.utf8) }
        }
        request.pageToken = first.nextPageToken
        while !request.pageToken.isEmpty {
          let page = try await stage.permissions.fetch(request, options: .by("usr_hanna"))
          found.formUnion(page.entities.map(\.entityId))
          request.pageToken = page.nextPageToken
        }
        #expect(found.isSuperset(of: shelves + [library]))
      }
    }
  }

  @Test("Features are those of the entity's portfolio, for whoever may know of it")
  func fetch_features_areThoseOfThePortfolio() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(
      policy: FeatureConditionTests.policy(),
      entitlement: entitlement
    ) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote", "analytics"], of: home.portfolio, tells: false)
      let fetch = { (user: String, features: Bool) in
        try await stage.permissions.fetch(
          .init(entityId: home.unit, includeFeatures: features),
          options: .by(user)
        )
      }
      let owners = try await fetch(home.owner, true)
      #expect(owners.featuresEntityId == home.portfolio)
      #expect(owners.features == ["analytics", "remote"])
      let tenants = try await fetch(home.tenant, true)
      // The role of a tenant is below the portfolio, and its features count there as well.
      #expect(tenants.featuresEntityId == home.portfolio && tenants.features == owners.features)
      #expect(!tenants.entities.isEmpty)
      let strangers = try await fetch("usr_stranger", true)
      #expect(strangers.featuresEntityId == "" && strangers.features == [])
      let without = try await fetch(home.owner, false)
      #expect(without.featuresEntityId == "" && without.features == [])
      #expect(without.entities.map(\.entityId) == owners.entities.map(\.entityId))
    }
  }

  @Test("Before there is a stable, an organization's owner knows all 33 actions of the guide")
  func fetch_organizationWithoutStables_knowsAllActions() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(
      policy: PolicyFile.bytes("equestrian"),
      entitlement: entitlement
    ) { stage in
      let farm = try await stage.create("organization", by: "usr_sofia").id
      entitlement.set(["invoicing", "lessons", "selectionProcess", "integrations"], of: farm)
      entitlement.set(limits: ["maxStables": 1, "maxHorses": 1, "maxMembers": 5], of: farm)
      let fetch = { (user: String) in
        try await stage.permissions.fetch(.init(entityId: farm), options: .by(user))
      }
      let owners = try await fetch("usr_sofia")
      #expect(owners.entities.map(\.entityId) == [farm])
      #expect(owners.below.map(\.entityType) == ["stable", "horse"])
      let known = Set((owners.sets + owners.below).flatMap(\.appActions))
      #expect(known.count == 33, "\(known.sorted())")
      try await stage.grant("groom", on: farm, to: "usr_greta", by: "usr_sofia")
      let grooms = try await fetch("usr_greta")
      let stable = try #require(grooms.below.first { $0.entityType == "stable" })
      #expect(stable.roles == ["groom"] && stable.appActions.contains("bookShifts"))
      #expect(!stable.appActions.contains("manageLessons"))
      // What it says comes true.
      let north = try await stage.create("stable", under: farm, by: "usr_sofia").id
      let later = try await stage.permissions.fetch(
        .init(entityId: north),
        options: .by("usr_greta")
      )
      #expect(later.sets.map(\.actions) == [stable.actions])
      #expect(try await fetch("usr_stranger").below.isEmpty)
    }
  }
}
