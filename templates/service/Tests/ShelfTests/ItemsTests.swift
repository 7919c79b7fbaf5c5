import RPCKit
import ServiceKit
import ShelfContracts
import Testing

@testable import Shelf

struct ItemsTests {
  @Test("A user finds what was added")
  func add_thenList_returnsTheItem() async throws {
    try await TestService.run { service in
      let ada = service.by("usr_ada")
      let atlas = try await service.items.add(.init(name: "Atlas"), options: ada)
      #expect(try await service.items.list(.init(), options: ada).items == [atlas])
      #expect(
        try await service.items.get(.init(itemId: atlas.id), options: ada) == atlas
      )
    }
  }

  @Test("Items of other users look as if they did not exist")
  func get_ofAnotherUser_isNotFound() async throws {
    try await TestService.run { service in
      let (ada, eve) = (service.by("usr_ada"), service.by("usr_eve"))
      let atlas = try await service.items.add(.init(name: "Atlas"), options: ada)
      let refusal = await #expect(throws: RPCError.self) {
        try await service.items.get(.init(itemId: atlas.id), options: eve)
      }
      #expect(refusal?.code == .notFound)
      #expect(refusal?.reason == "NOT_FOUND")
      #expect(try await service.items.list(.init(), options: eve).items == [])
    }
  }

  @Test("A call without a token is refused")
  func add_withoutToken_isUnauthenticated() async throws {
    try await TestService.run { service in
      let refusal = await #expect(throws: RPCError.self) {
        try await service.items.add(.init(name: "Atlas"))
      }
      #expect(refusal?.code == .unauthenticated)
    }
  }

  @Test("A request that breaks a rule of the contract names the field")
  func add_withoutName_namesTheField() async throws {
    try await TestService.run { service in
      let ada = service.by("usr_ada")
      let refusal = await #expect(throws: RPCError.self) {
        try await service.items.add(.init(), options: ada)
      }
      #expect(refusal?.code == .invalidArgument)
      #expect(refusal?.message.contains("name") == true)
    }
  }

  @Test("A repeated request with the same key adds one item")
  func add_twiceWithOneKey_addsOnce() async throws {
    try await TestService.run { service in
      let ada = service.by("usr_ada")
      let request = Shelf_V1.AddItemRequest(name: "Atlas", idempotencyKey: "first")
      let added = try await service.items.add(request, options: ada)
      #expect(try await service.items.add(request, options: ada) == added)
      #expect(try await service.items.list(.init(), options: ada).items == [added])
    }
  }
}
