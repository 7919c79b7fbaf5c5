import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// A message says what helps; what it names must be there for the caller.
@Suite("Messages of refusals")
struct RefusalMessageTests {
  private static let hanna = "usr_hanna"

  /// What a call was refused with.
  private func message<Response>(_ body: () async throws -> Response) async throws -> String {
    do {
      _ = try await body()
      return "it succeeded"
    } catch let error as RPCError {
      return error.message
    }
  }

  @Test("Deleting a role that users have says to revoke it, and names no parameter of other calls")
  func deletingHeldRole_saysWhatHelps() async throws {
    let policy = [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8)
    try await TenancyStage.run(policy: policy) { stage in
      let library = try await stage.create("library", by: Self.hanna).id
      _ = try await stage.definitions.put(
        .init(entityId: library, name: "own", baseRole: "reader", actions: ["book.view"]),
        options: .by(Self.hanna)
      )
      try await stage.grant("own", on: library, to: "usr_rosa", by: Self.hanna)
      let refused = try await message {
        try await stage.definitions.delete(
          .init(entityId: library, name: "own"),
          options: .by(Self.hanna)
        )
      }
      #expect(refused == "the role own is in use (associations: 1); revoke it from its users first")
    }
  }

  @Test("What the policy names no action for needs no other role")
  func actionOfNobody_needsNoOtherRole() async throws {
    var text = ReadingRoomPolicy.text
    text.replace(#", "list_associations": "book.list_borrowers""#, with: "")
    try await TenancyStage.run(policy: [UInt8](text.utf8)) { stage in
      let library = try await stage.create("library", by: Self.hanna).id
      let shelf = try await stage.create("shelf", under: library, by: Self.hanna).id
      let book = try await stage.create("book", under: shelf, by: Self.hanna).id
      let refused = try await message {
        try await stage.roles.listByEntity(.init(entityId: book), options: .by(Self.hanna))
      }
      let expected =
        "book.list_associations is not allowed here: the policy names no action for it"
      #expect(refused == expected)
    }
  }

  @Test("A role that would suffice is named")
  func actionOfOthers_namesTheRole() async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoomPolicy.text.utf8)) { stage in
      let library = try await stage.create("library", by: Self.hanna).id
      try await stage.grant("reader", on: library, to: "usr_rosa", by: Self.hanna)
      let refused = try await message {
        try await stage.roles.listByEntity(.init(entityId: library), options: .by("usr_rosa"))
      }
      #expect(refused.hasPrefix("library.list_staff is not allowed by your roles here; it needs "))
      #expect(refused.contains("librarian"))
    }
  }
}
