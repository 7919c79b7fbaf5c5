import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Every operation of Entities and Roles, on objects that a caller may not know of and made-up ones.
@Suite("Strangers to a product that only its policy knows")
struct StrangerTests {
  /// All that a caller sees of a call.
  private enum Outcome: Hashable {
    case answer([UInt8])
    case refusal(StatusCode, String, [RPCError.Detail])

    init(_ body: () async throws -> some Message) async {
      do {
        self = .answer(try await body().protobufBytes)
      } catch let error as RPCError {
        self = .refusal(error.code, error.message, error.details)
      } catch {
        self = .refusal(.internal, "\(error)", [])
      }
    }

    var code: StatusCode? {
      guard case .refusal(let code, _, _) = self else { return nil }
      return code
    }
  }

  /// What a user is answered about a library, a shelf and a book, by operation.
  ///
  /// `own` is a library of the user's, to move and create things in; never the one that is asked about.
  private func outcomes(
    _ user: String,
    library: String,
    shelf: String,
    book: String,
    own: String,
    _ stage: TenancyStage
  ) async -> [String: Outcome] {
    let (entities, roles, options) = (stage.entities, stage.roles, CallOptions.by(user))
    var outcomes: [String: Outcome] = [:]
    outcomes["create"] = await Outcome {
      try await entities.create(
        .init(entity: .init(type: "book", parentId: shelf, name: "x")),
        options: options
      )
    }
    outcomes["create of a wrong type"] = await Outcome {
      try await entities.create(
        .init(entity: .init(type: "book", parentId: library, name: "x")),
        options: options
      )
    }
    outcomes["batch create"] = await Outcome {
      try await entities.batchCreate(
        .init(entities: [.init(type: "shelf", parentId: library, name: "x")]),
        options: options
      )
    }
    outcomes["list within"] = await Outcome {
      try await entities.list(.init(type: "book", within: library), options: options)
    }
    outcomes["move"] = await Outcome {
      try await entities.move(.init(entityId: shelf, parentId: own), options: options)
    }
    outcomes["move there"] = await Outcome {
      try await entities.move(.init(entityId: own, parentId: library), options: options)
    }
    for id in [library, shelf, book] {
      let place = id == library ? "library" : id == shelf ? "shelf" : "book"
      outcomes["get \(place)"] = await Outcome {
        try await entities.get(.init(entityId: id), options: options)
      }
      outcomes["update \(place)"] = await Outcome {
        try await entities.update(.init(entityId: id, name: "mine"), options: options)
      }
      for (cascade, dryRun) in [(true, true), (true, false), (false, false)] {
        outcomes["delete \(place) \(cascade) \(dryRun)"] = await Outcome {
          try await entities.delete(
            .init(entityId: id, cascade: cascade, dryRun: dryRun),
            options: options
          )
        }
      }
      outcomes["list roles \(place)"] = await Outcome {
        try await roles.listByEntity(.init(entityId: id), options: options)
      }
      outcomes["list subjects \(place)"] = await Outcome {
        try await stage.permissions.listSubjects(
          .init(entityId: id, action: "book.view"),
          options: options
        )
      }
      for role in ["head_librarian", "reader", "borrower"] {
        let new = Tenancy_V1.NewRole(
          entityId: id,
          role: role,
          userId: user,
          validUntil: .init(milliseconds: TenancyStage.start + 60_000)
        )
        outcomes["grant \(role) \(place)"] = await Outcome {
          try await roles.grant(.init(role: new), options: options)
        }
        outcomes["batch grant \(role) \(place)"] = await Outcome {
          try await roles.batchGrant(.init(roles: [new]), options: options)
        }
        outcomes["revoke \(role) \(place)"] = await Outcome {
          try await roles.revoke(
            .init(entityId: id, role: role, userId: "usr_hanna"),
            options: options
          )
        }
      }
    }
    return outcomes
  }

  @Test("A stranger cannot tell what is there from what is not, whatever it tries")
  func everyOperation_byStranger_isAsOnUnknown() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      let book = try await stage.create("book", under: shelf, by: "usr_hanna").id
      let own = try await stage.create("library", by: "usr_stranger").id
      let revision = stage.service.database.revision
      let foreign = await outcomes(
        "usr_stranger",
        library: library,
        shelf: shelf,
        book: book,
        own: own,
        stage
      )
      let unknown = await outcomes(
        "usr_stranger",
        library: "lib_unknown",
        shelf: "shf_unknown",
        book: "bok_unknown",
        own: own,
        stage
      )
      #expect(foreign.count == unknown.count && foreign.count > 40)
      for (operation, outcome) in foreign.sorted(by: { $0.key < $1.key }) {
        #expect(outcome == unknown[operation], "\(operation)")
        #expect(outcome.code == .notFound, "\(operation): \(outcome)")
      }
      #expect(stage.service.database.revision == revision, "something was changed")
      let held = try await stage.roles.listByUser(.init(), options: .by("usr_stranger"))
      #expect(held.associations.map(\.entityId) == [own])
    }
  }

  @Test("A suspended user gets one answer about everything, its own included")
  func everyOperation_bySuspended_isAlike() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      let book = try await stage.create("book", under: shelf, by: "usr_hanna").id
      let own = try await stage.create("library", by: "usr_hanna").id
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      _ = try await stage.subjects.suspend(.init(userId: "usr_hanna"), options: .by("usr_super"))
      let mine = await outcomes(
        "usr_hanna",
        library: library,
        shelf: shelf,
        book: book,
        own: own,
        stage
      )
      let unknown = await outcomes(
        "usr_hanna",
        library: "lib_unknown",
        shelf: "shf_unknown",
        book: "bok_unknown",
        own: "lib_mine",
        stage
      )
      let answers = Set(mine.values).union(unknown.values)
      #expect(answers.count == 1, "\(answers)")
      #expect(answers.first?.code == .permissionDenied)
      let others = [
        await Outcome {
          try await stage.roles.leave(.init(entityId: library), options: .by("usr_hanna"))
        },
        await Outcome {
          try await stage.entities.create(
            .init(entity: .init(type: "library", name: "x")),
            options: .by("usr_hanna")
          )
        },
      ]
      #expect(Set(others) == answers)
    }
  }

  @Test("A reader knows of everything and changes nothing")
  func everyOperation_byReader_isDenied() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      let book = try await stage.create("book", under: shelf, by: "usr_hanna").id
      let own = try await stage.create("library", by: "usr_rosa").id
      try await stage.grant("reader", on: library, to: "usr_rosa", by: "usr_hanna")
      let revision = stage.service.database.revision
      let outcomes = await outcomes(
        "usr_rosa",
        library: library,
        shelf: shelf,
        book: book,
        own: own,
        stage
      )
      let seen = outcomes.filter { $0.value.code == nil }.keys.sorted()
      #expect(seen == ["get book", "get library", "get shelf", "list within"])
      let expected: Set<StatusCode?> = [.permissionDenied, .invalidArgument, .failedPrecondition]
      for (operation, outcome) in outcomes where outcome.code != nil {
        #expect(expected.contains(outcome.code), "\(operation): \(outcome)")
        let isStatic = outcome.code != .permissionDenied
        if isStatic {
          // A role or type that cannot be there is not a question of rights.
          #expect(
            operation.contains("grant") || operation.contains("revoke")
              || operation.contains("wrong type"),
            "\(operation): \(outcome)"
          )
        }
      }
      #expect(stage.service.database.revision == revision, "something was changed")
    }
  }

  @Test("Values that are too long, empty or malformed are refused before anything is looked at")
  func everyField_tooLong_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let hanna = CallOptions.by("usr_hanna")
      let library = try await stage.create("library", by: "usr_hanna").id
      let long = { (count: Int) in String(repeating: "x", count: count) }
      let entities: [Tenancy_V1.NewEntity] = [
        .init(type: long(65), parentId: library, name: "x"),
        .init(type: "shelf", parentId: long(65), name: "x"),
        .init(type: "shelf", parentId: library, name: long(201)),
        .init(type: "shelf", parentId: library, name: ""),
        .init(type: "shelf", parentId: library, name: "a\u{202E}b"),
        .init(type: "", parentId: library, name: "x"),
        .init(
          type: "shelf",
          parentId: library,
          name: "x",
          attributes: .init(fields: ["note": .init(kind: .stringValue(long(65_536)))])
        ),
      ]
      for entity in entities {
        let single = try await refusal {
          try await stage.entities.create(.init(entity: entity), options: hanna)
        }
        #expect(single?.code == .invalidArgument)
        let batch = try await refusal {
          try await stage.entities.batchCreate(.init(entities: [entity]), options: hanna)
        }
        #expect(batch?.code == .invalidArgument)
      }
      let missing = try await refusal { try await stage.entities.create(.init(), options: hanna) }
      #expect(missing?.code == .invalidArgument)
      let filter = Tenancy_V1.AttributeFilter(name: "open", values: ["true"])
      let lists: [Tenancy_V1.ListEntitiesRequest] = [
        .init(type: "book", pageSize: 1001), .init(type: "book", text: long(201)),
        .init(type: "book", sortBy: "id"), .init(type: "book", pageToken: "forged"),
        .init(type: "library", filters: Array(repeating: filter, count: 9)),
        .init(type: "library", filters: [.init(name: "open", values: [])]),
      ]
      for list in lists {
        let refused = try await refusal {
          try await stage.entities.list(list, options: hanna)
        }
        #expect(refused?.code == .invalidArgument, "\(list)")
      }
      let both = try await refusal {
        try await stage.roles.grant(
          .init(
            role: .init(
              entityId: library,
              role: "reader",
              userId: "usr_a",
              email: "a@example.org"
            )
          ),
          options: hanna
        )
      }
      #expect(both?.code == .invalidArgument)
      let neither = try await refusal {
        try await stage.roles.grant(
          .init(role: .init(entityId: library, role: "reader")),
          options: hanna
        )
      }
      #expect(neither?.code == .invalidArgument)
      // Larger than the store takes, though each part is small enough.
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      var fields: [String: Google_Protobuf.Value] = [:]
      for number in 0..<20 { fields["note\(number)"] = .init(kind: .stringValue(long(1000))) }
      let large = try await refusal {
        try await stage.entities.create(
          .init(
            entity: .init(
              type: "book",
              parentId: shelf,
              name: "x",
              attributes: .init(fields: fields)
            )
          ),
          options: hanna
        )
      }
      #expect(large == Refusal(.invalidArgument, "ATTRIBUTES_TOO_LARGE"))
    }
  }

  @Test("What is too large for one call is neither deleted nor moved, only in parts")
  func delete_tooMuch_isRefused() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      // With the shelf one more than one call deletes.
      let count = ChangeSet.cascadeCountMax
      for start in stride(from: 0, to: count, by: 500) {
        _ = try await stage.entities.batchCreate(
          .init(
            entities: (start..<min(start + 500, count)).map {
              .init(type: "book", parentId: shelf, name: "Book \($0)")
            }
          ),
          options: .by("usr_hanna")
        )
      }
      var patient = CallOptions.by("usr_hanna")
      // On a server each statement is a round trip.
      patient.timeout = .seconds(150)
      let delete = { [patient] (id: String, dryRun: Bool) in
        try await stage.entities.delete(
          .init(entityId: id, cascade: true, dryRun: dryRun),
          options: patient
        )
      }
      for dryRun in [true, false] {
        let refused = try await refusal { try await delete(shelf, dryRun) }
        #expect(refused == Refusal(.failedPrecondition, "CASCADE_TOO_LARGE"))
      }
      let other = try await stage.create("library", by: "usr_hanna").id
      let moved = try await refusal {
        try await stage.entities.move(
          .init(entityId: shelf, parentId: other),
          options: .by("usr_hanna")
        )
      }
      #expect(moved == Refusal(.failedPrecondition, "CASCADE_TOO_LARGE"))
      let books = try await stage.entities.list(
        .init(type: "book", pageSize: 1),
        options: .by("usr_hanna")
      )
      #expect(books.totalSize == UInt64(count))
      _ = try await delete(books.entities[0].id, false)
      #expect(try await delete(shelf, false).deleted.map(\.count) == [UInt64(count - 1), 1])
    }
  }
}
