import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Moving entities of any type")
struct MoveTests {
  private static let hanna = "usr_hanna"

  private func move(
    _ id: String,
    under parent: String,
    by user: String = hanna,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.Entity {
    try await stage.entities.move(
      .init(entityId: id, parentId: parent),
      options: .by(user)
    )
  }

  @Test("A subtree moves with all that is below it, and rights follow the new place")
  func move_subtree_changesRights() async throws {
    try await ReadingRoom.run { stage in
      let old = try await stage.create("library", by: Self.hanna).id
      let new = try await stage.create("library", by: Self.hanna).id
      let shelf = try await stage.create("shelf", under: old, by: Self.hanna).id
      let book = try await stage.create("book", under: shelf, by: Self.hanna).id
      try await stage.grant("librarian", on: old, to: "usr_old", by: Self.hanna)
      try await stage.grant("librarian", on: new, to: "usr_new", by: Self.hanna)
      // Lent by somebody who does not come along, and by somebody who does.
      try await stage.grant("borrower", on: book, to: "usr_ben", until: 60_000, by: "usr_old")
      try await stage.grant("borrower", on: book, to: "usr_eve", until: 60_000, by: Self.hanna)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .allowed)

      let moved = try await move(shelf, under: new, stage)
      #expect(moved.parentId == new && moved.id == shelf)
      #expect(try await stage.reason("usr_old", "book.move", book) == .entityUnknown)
      #expect(try await stage.reason("usr_new", "book.move", book) == .allowed)
      #expect(try await stage.reason("usr_ben", "book.read", book) == .entityUnknown)
      #expect(try await stage.reason("usr_eve", "book.read", book) == .allowed)
      // Once more is not an error, and no change.
      #expect(try await move(shelf, under: new, stage) == moved)
      let roots = try await stage.service.database.read { tx in
        try EntityTable.all([shelf, book], in: tx).map(\.rootID)
      }
      #expect(roots == [new, new])
    }
  }

  @Test("A move needs the right to move, and to create under the new parent")
  func move_withoutRight_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let home = try await stage.create("library", by: Self.hanna).id
      let foreign = try await stage.create("library", by: "usr_other").id
      let shelf = try await stage.create("shelf", under: home, by: Self.hanna).id
      try await stage.grant("reader", on: foreign, to: Self.hanna, by: "usr_other")
      let lacking = try await refusal { try await move(shelf, under: foreign, stage) }
      #expect(lacking == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      let stranger = try await refusal {
        try await move(shelf, under: foreign, by: "usr_other", stage)
      }
      #expect(stranger == Refusal(.notFound, "NOT_FOUND"))
      let unknown = try await refusal { try await move(shelf, under: "lib_unknown", stage) }
      #expect(unknown == Refusal(.notFound, "NOT_FOUND"))
      let wrong = try await refusal { try await move(shelf, under: "sys_root", stage) }
      #expect(wrong == Refusal(.failedPrecondition, "PARENT_NOT_ALLOWED"))
    }
  }

  @Test("A link ends when what it leads to moves away, and with it what it let people do")
  func move_acrossLink_endsIt() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let other = try await stage.properties.create(
        .init(portfolioId: home.portfolio, name: "Other", managerUserIds: [home.manager]),
        options: .by(home.admin)
      ).id
      #expect(try await stage.reason(home.tenant, "device.unlock", home.gate) == .allowed)
      _ = try await stage.entities.move(
        .init(entityId: home.gate, parentId: other),
        options: manager
      )
      #expect(try await stage.reason(home.tenant, "device.unlock", home.gate) == .entityUnknown)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(unit.commonAreaDeviceIds.isEmpty)
    }
  }

  @Test("Nothing is moved below itself, and nothing is deeper than 16")
  func move_belowItselfOrTooDeep_isRefused() async throws {
    try await ReadingRoom.run { stage in
      var chain = [try await stage.create("library", by: Self.hanna).id]
      while chain.count < 16 {
        chain.append(
          try await stage.create("library", under: chain[chain.count - 1], by: Self.hanna).id
        )
      }
      let deeper = try await refusal {
        try await stage.create("shelf", under: chain[15], by: Self.hanna)
      }
      #expect(deeper == Refusal(.failedPrecondition, "TOO_DEEP"))
      for target in [0, 3, 15] {
        let cycle = try await refusal { try await move(chain[0], under: chain[target], stage) }
        #expect(cycle == Refusal(.failedPrecondition, "WOULD_BE_CYCLE"), "\(target)")
      }
      let pair = try await stage.create("library", by: Self.hanna).id
      _ = try await stage.create("shelf", under: pair, by: Self.hanna)
      let tooDeep = try await refusal { try await move(pair, under: chain[14], stage) }
      #expect(tooDeep == Refusal(.failedPrecondition, "TOO_DEEP"))
      #expect(try await move(pair, under: chain[13], stage).parentId == chain[13])
    }
  }

  @Test("Of two libraries that move below each other at the same time only one does")
  func move_concurrentlyBelowEachOther_oneWins() async throws {
    try await ReadingRoom.run { stage in
      for _ in 0..<20 {
        let pair = [
          try await stage.create("library", by: Self.hanna).id,
          try await stage.create("library", by: Self.hanna).id,
        ]
        let refusals = try await withThrowingTaskGroup(of: Refusal?.self) { group in
          for place in [0, 1] {
            group.addTask {
              try await refusal { try await move(pair[place], under: pair[1 - place], stage) }
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
          refusals.compactMap(\.self) == [Refusal(.failedPrecondition, "WOULD_BE_CYCLE")]
        )
      }
    }
  }
}
