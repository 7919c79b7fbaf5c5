import TenancyContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// A product with a role that somebody must have.
struct KeptRole: Sendable, CustomTestStringConvertible {
  let policy: String
  let type: String
  let role: String

  var refusal: Refusal { Refusal(.failedPrecondition, "LAST_\(role.uppercased())") }
  var testDescription: String { role }

  static let all = [
    KeptRole(policy: "smart-home", type: "portfolio", role: "owner"),
    KeptRole(policy: "equestrian", type: "organization", role: "organization_owner"),
    KeptRole(policy: "family", type: "family", role: "organizer"),
  ]
}

@Suite("Roles that somebody must have", .timeLimit(.minutes(5)))
struct LastingHolderTests {
  private static let (ada, ben) = ("usr_ada", "usr_ben")
  private static let hour: Int64 = 3_600_000

  /// A tree of which `ada` is the only holder.
  private struct Tree: Sendable {
    let stage: TenancyStage
    let kept: KeptRole
    let id: String

    static func run(_ kept: KeptRole, _ body: (Tree) async throws -> Void) async throws {
      try await TenancyStage.run(policy: try PolicyFile.bytes(kept.policy)) { stage in
        _ = try await stage.associations.grantSuperAdmin(
          .init(userId: "usr_root"),
          options: .byService("auth")
        )
        let id = try await stage.create(kept.type, by: ada).id
        try await body(Tree(stage: stage, kept: kept, id: id))
      }
    }

    func grant(
      to user: String,
      from: Int64? = nil,
      until: Int64? = nil,
      replacing: Bool = false,
      by granter: String
    ) async throws {
      _ = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: id,
            role: kept.role,
            userId: user,
            validFrom: from.map { .init(milliseconds: $0) },
            validUntil: until.map { .init(milliseconds: $0) },
            replaceWindow: replacing
          )
        ),
        // Roles of a family take its PIN.
        options: .by(granter, acr: "pin")
      )
    }

    func leave(_ user: String) async throws {
      _ = try await stage.roles.leave(.init(entityId: id), options: .by(user))
    }

    func tell(
      _ user: String,
      version: UInt64,
      disabled: Bool = false,
      deletion: Bool = false,
      refusingLast: Bool = false
    ) async throws -> UInt64 {
      try await Tenancy_V1.ErasureClient(stage.channel).setAccountState(
        .init(
          userId: user,
          version: version,
          disabled: disabled,
          deletionBegun: deletion,
          refuseLast: refusingLast
        ),
        options: .byService("auth")
      ).version
    }

    /// How many have the role, whether they can act or not.
    func holderCount() async throws -> Int {
      let (id, role) = (id, kept.role)
      return try await stage.service.database.read { tx in
        try AssociationTable.all(on: id, role: role, in: tx).count
      }
    }
  }

  private var now: Int64 { TenancyStage.start }

  @Test(
    "The only holder gets no end, no later beginning and no successor for a time",
    arguments: KeptRole.all
  )
  func onlyHolder_window_isRefused(kept: KeptRole) async throws {
    try await Tree.run(kept) { tree in
      let ada = Self.ada
      for (from, until) in [
        (nil, now + 2_000), (now + Self.hour, nil), (now + Self.hour, now + 2 * Self.hour),
      ] as [(Int64?, Int64?)] {
        let refused = try await refusal {
          try await tree.grant(to: ada, from: from, until: until, replacing: true, by: ada)
        }
        #expect(refused == kept.refusal)
      }
      tree.stage.clock.advance(Self.hour)
      try await tree.grant(to: Self.ben, by: ada)
      // With another one who stays it may end, and may not once more.
      try await tree.grant(to: ada, until: now + 3 * Self.hour, replacing: true, by: ada)
      let second = try await refusal {
        try await tree.grant(to: Self.ben, until: now + 3 * Self.hour, replacing: true, by: ada)
      }
      #expect(second == kept.refusal)
      #expect(try await refusal { try await tree.leave(Self.ben) } == kept.refusal)
    }
  }

  @Test("A holder for a time can neither end nor remove the one who stays", arguments: KeptRole.all)
  func temporaryHolder_overFounder_isRefused(kept: KeptRole) async throws {
    try await Tree.run(kept) { tree in
      let (ada, ben) = (Self.ada, Self.ben)
      try await tree.grant(to: ben, until: now + Self.hour, by: ada)
      let ended = try await refusal {
        try await tree.grant(to: ada, until: now + Self.hour, replacing: true, by: ben)
      }
      #expect(ended == kept.refusal)
      let removed = try await refusal {
        _ = try await tree.stage.roles.revoke(
          .init(entityId: tree.id, role: kept.role, userId: ada),
          options: .by(ben, acr: "pin")
        )
      }
      #expect(removed == kept.refusal)
      try await tree.leave(ben)
      #expect(try await tree.holderCount() == 1)
    }
  }

  /// Something by which the other holder cannot act for good.
  enum Lack: CaseIterable, Sendable {
    case ends, hasNotBegun, isSuspended, isDisabled, isBeingDeleted
  }

  @Test(
    "Nobody leaves, and nobody is deleted, beside a holder who cannot act for good",
    arguments: KeptRole.all,
    Lack.allCases
  )
  func holder_besideOneWhoLacks_stays(kept: KeptRole, lack: Lack) async throws {
    try await Tree.run(kept) { tree in
      let (ada, ben) = (Self.ada, Self.ben)
      let year = 365 * 24 * Self.hour
      try await tree.grant(
        to: ben,
        from: lack == .hasNotBegun ? now + year : nil,
        until: lack == .ends ? now + year : nil,
        by: ada
      )
      switch lack {
      case .ends, .hasNotBegun: break
      case .isSuspended:
        _ = try await tree.stage.subjects.suspend(.init(userId: ben), options: .by("usr_root"))
      case .isDisabled: _ = try await tree.tell(ben, version: 1, disabled: true)
      case .isBeingDeleted: _ = try await tree.tell(ben, version: 1, deletion: true)
      }
      let left = try await refusal { try await tree.leave(ada) }
      #expect(left == kept.refusal)
      let deleted = try await refusal {
        _ = try await tree.tell(ada, version: 1, deletion: true, refusingLast: true)
      }
      #expect(deleted == Refusal(.failedPrecondition, "MUST_HAND_OVER"))
      let erased = try await refusal {
        _ = try await Tenancy_V1.ErasureClient(tree.stage.channel).eraseUser(
          .init(userId: ada, pseudonym: "del_ada"),
          options: .byService("auth")
        )
      }
      #expect(erased == Refusal(.failedPrecondition, "MUST_HAND_OVER"))
      #expect(try await tree.holderCount() == 2)
      // What is told late changes nothing; once the other one can act, the first may go.
      switch lack {
      case .ends, .hasNotBegun: try await tree.grant(to: ben, replacing: true, by: ada)
      case .isSuspended:
        _ = try await tree.stage.subjects.resume(.init(userId: ben), options: .by("usr_root"))
      case .isDisabled, .isBeingDeleted:
        #expect(try await tree.tell(ben, version: 0) == 1)
        let again = try await refusal { try await tree.leave(ada) }
        #expect(again == kept.refusal)
        #expect(try await tree.tell(ben, version: 2) == 2)
      }
      try await tree.leave(ada)
      #expect(try await tree.holderCount() == 1)
    }
  }

  @Test("Of two holders who ask to be deleted at once one is told to hand over first")
  func deletions_atOnce_leaveOne() async throws {
    for kept in KeptRole.all {
      try await Tree.run(kept) { tree in
        let (ada, ben) = (Self.ada, Self.ben)
        try await tree.grant(to: ben, by: ada)
        async let first = refusal {
          _ = try await tree.tell(ada, version: 1, deletion: true, refusingLast: true)
        }
        async let second = refusal {
          _ = try await tree.tell(ben, version: 1, deletion: true, refusingLast: true)
        }
        let refused = try await [first, second].compactMap { $0 }
        #expect(refused == [Refusal(.failedPrecondition, "MUST_HAND_OVER")])
        // Neither leaves either: one is not counted, and the other one is the last.
        for user in [ada, ben] {
          let left = try await refusal { try await tree.leave(user) }
          #expect(left == nil || left == kept.refusal)
        }
        #expect(try await tree.holderCount() >= 1)
      }
    }
  }

  @Test("Operators suspend the last one too, and then the other one stays")
  func operator_suspendsLast_othersStay() async throws {
    for kept in KeptRole.all {
      try await Tree.run(kept) { tree in
        let (ada, ben) = (Self.ada, Self.ben)
        try await tree.grant(to: ben, by: ada)
        _ = try await tree.stage.subjects.suspend(.init(userId: ada), options: .by("usr_root"))
        #expect(try await refusal { try await tree.leave(ben) } == kept.refusal)
        _ = try await tree.stage.subjects.suspend(.init(userId: ben), options: .by("usr_root"))
        let sole = try await Tenancy_V1.ErasureClient(tree.stage.channel).listSoleHoldings(
          .init(userId: ben),
          options: .byService("auth")
        )
        #expect(sole.holdings.map(\.entityId) == [tree.id])
        // An operator hands over, and both may go.
        try await tree.grant(to: "usr_cleo", by: "usr_root")
        for user in [ada, ben] {
          _ = try await tree.stage.roles.revoke(
            .init(entityId: tree.id, role: kept.role, userId: user),
            options: .by("usr_root", acr: "pin")
          )
        }
        #expect(try await tree.holderCount() == 1)
      }
    }
  }

  @Test("The last operator who is not suspended stays one")
  func operator_besideSuspendedOne_stays() async throws {
    try await TenancyStage.run { stage in
      for user in ["usr_root", "usr_other"] {
        _ = try await stage.associations.grantSuperAdmin(
          .init(userId: user),
          options: .byService("auth")
        )
      }
      _ = try await stage.subjects.suspend(.init(userId: "usr_other"), options: .by("usr_root"))
      func revoke(force: Bool = false) async throws {
        _ = try await stage.associations.revokeSuperAdmin(
          .init(userId: "usr_root", force: force),
          options: .byService("auth")
        )
      }
      let refused = try await refusal { try await revoke() }
      #expect(refused == Refusal(.failedPrecondition, "LAST_SUPER_ADMIN"))
      try await revoke(force: true)
    }
  }

  @Test("A policy cannot give such a role an end")
  func policy_keptRoleWithEnd_isRefused() throws {
    for (member, problem) in [
      (#""window": "required""#, "cannot be required of a role with keep_one"),
      (#""lent": true"#, "cannot end with the right of its lender"),
    ] {
      let text = ReadingRoom.policy.replacing(
        #""keep_one": true"#,
        with: #""keep_one": true, \#(member)"#
      )
      let error = #expect(throws: PolicyError.self) { try Policy.load([UInt8](text.utf8)) }
      let problems = try #require(error).problems.map(\.problem)
      #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }
  }
}
