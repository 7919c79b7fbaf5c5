import TenancyContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Erasing a user here", .timeLimit(.minutes(5)))
struct ErasureTests {
  private static let auth = CallOptions.byService("auth")

  private func erasure(_ stage: TenancyStage) -> Tenancy_V1.ErasureClient { .init(stage.channel) }

  private func pseudonym(of user: String) -> String {
    Pseudonym.of(user, key: HMACKey([UInt8](repeating: 3, count: 32)))
  }

  /// Erases a user to the end; the cursors on the way.
  @discardableResult
  private func erase(
    _ user: String,
    addresses: [String] = [],
    _ stage: TenancyStage
  ) async throws -> [String] {
    var cursors = [""]
    while true {
      let answer = try await erasure(stage).eraseUser(
        .init(
          userId: user,
          pseudonym: pseudonym(of: user),
          addresses: addresses,
          cursor: cursors[cursors.count - 1]
        ),
        options: Self.auth
      )
      if answer.finished { return cursors }
      cursors.append(answer.cursor)
    }
  }

  /// The files of the store that have a text in them; the columns of one on a server.
  private func places(
    of text: String,
    in folder: TestFolder,
    _ stage: TenancyStage
  ) async throws -> [String] {
    guard !TestServer.isUsed else { return try await columns(with: text, stage) }
    return try FileManager.default.contentsOfDirectory(atPath: folder.root).filter { name in
      let bytes = FileManager.default.contents(atPath: folder.path(name))
      return bytes?.range(of: Data(text.utf8)) != nil
    }
  }

  /// The columns of a store on PostgreSQL that have a text in them.
  private func columns(with text: String, _ stage: TenancyStage) async throws -> [String] {
    try await stage.service.database.read { tx in
      try tx.storeColumns().filter { column in
        let content: String
        switch column.kind {
        case .text: content = column.name
        case .blob: content = "encode(\(column.name), 'escape')"
        case .integer, .other: return false
        }
        return try tx.exists(
          "SELECT 1 FROM \(column.table) WHERE instr(\(content), ?) > 0",
          .text(text)
        )
      }.map { "\($0.table).\($0.name)" }
    }
  }

  @Test("Roles and what was lent by them end, and histories name the pseudonym")
  func erase_withRolesAndHistory_leavesPseudonym() async throws {
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { stage in
      let home = try await Building(stage, name: "a")
      let (tenant, guest) = (home.tenant, home.guest)
      for user in [tenant, guest] {
        _ = try await stage.devices.operate(
          .init(deviceId: home.door, operation: "unlock", idempotencyKey: "k"),
          options: .by(user)
        )
      }
      // A refusal that is only counted until it is stored.
      let refused = try await refusal {
        try await stage.portfolios.delete(
          .init(portfolioId: home.portfolio, cascade: true),
          options: .by(tenant)
        )
      }
      #expect(refused != nil)
      #expect(try await !places(of: tenant, in: folder, stage).isEmpty)
      try await erase(tenant, stage)

      #expect(try await places(of: tenant, in: folder, stage) == [])
      // The guest's pass was lent by the tenant.
      let passes = try await stage.guests.list(.init(), options: .by(home.owner)).passes
      #expect(passes.isEmpty)
      let history = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.owner)
      ).records
      #expect(Set(history.map(\.userId)) == [pseudonym(of: tenant), guest])
      let held = try await stage.associations.listByEntity(
        .init(entityId: home.unit),
        options: .by(home.manager)
      ).associations
      #expect(held.isEmpty)
      let check = try await stage.permissions.check(
        .init(subjectId: tenant, action: "device.unlock", entityId: home.door),
        options: .byService("gateway")
      )
      #expect(!check.allowed)
      // The others have what they had.
      for user in [home.owner, home.admin, home.manager] {
        let mine = try await stage.associations.listByUser(.init(), options: .by(user))
        #expect(mine.associations.count == 1, "\(user)")
      }
    }
    // The service starts with what is left.
    try await TenancyStage.run(in: folder) { stage in
      #expect(stage.service.database.revision > 0)
    }
  }

  @Test("The name of an erased user is in no file of the store, and shown as a deleted user's")
  func erase_leavesNoName() async throws {
    let folder = try TestFolder()
    let users = SmallUsersService()
    try await TenancyStage.run(in: folder, users: users) { stage in
      let home = try await Building(stage, name: "a")
      let canary = "Canary Quill"
      users.names.withLock { $0[home.tenant] = PersonName(canary, version: 1) }
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: home.tenant, idempotencyKey: "named"),
        options: .by(home.manager)
      )
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(home.tenant)
      )
      try await stage.service.names.drain()
      // Answers with the name have been given, and one of them is kept under a key.
      let history = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.owner)
      ).records
      #expect(history.map(\.displayName) == [canary])
      #expect(try await !places(of: canary, in: folder, stage).isEmpty)
      try await erase(home.tenant, stage)

      for text in [canary, canary.lowercased()] {
        #expect(try await places(of: text, in: folder, stage) == [], "\(text)")
      }
      let after = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.owner)
      ).records
      #expect(after.map(\.displayName) == ["deleted user"])
    }
  }

  @Test("The last owner is not erased, of two who go at once one stays, and nothing is half done")
  func erase_ofLastOwner_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let sole = try await erasure(stage).listSoleHoldings(
        .init(userId: home.owner),
        options: Self.auth
      )
      #expect(sole.count == 1)
      #expect(sole.holdings.map(\.entityId) == [home.portfolio])
      #expect(sole.holdings.map(\.role) == ["owner"])
      #expect(
        try await refusal { try await erase(home.owner, stage) }
          == Refusal(.failedPrecondition, "MUST_HAND_OVER")
      )
      let second = "usr_second"
      try await stage.grant("owner", on: home.portfolio, to: second, by: home.owner)
      let none = try await erasure(stage).listSoleHoldings(
        .init(userId: home.owner),
        options: Self.auth
      )
      #expect(none.count == 0)
      async let first = refusal { try await erase(home.owner, stage) }
      async let other = refusal { try await erase(second, stage) }
      let refusals = try await [first, other].compactMap { $0 }
      #expect(refusals == [Refusal(.failedPrecondition, "MUST_HAND_OVER")])
      let owners = try await stage.service.database.read { tx in
        try tx.query("SELECT user_id FROM association WHERE role = 'owner'") { $0.text(0) }
      }
      #expect(owners.count == 1)
      #expect([home.owner, second].contains(owners[0]))
    }
  }

  @Test("Documents of the user go; those of others stay as they are, whomever they name")
  func erase_withDocuments_takesOnlyTheUsers() async throws {
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { stage in
      let (ada, bob) = ("usr_ada00000001", "usr_bob00000001")
      let secret = "the diary of somebody"
      let diary = DocumentClient(stage: stage, user: ada, collection: "diary")
      for place in 0..<30 { try await diary.put("d\(place)", #"{"text": "\#(secret)"}"#) }
      // Users name documents and collections as they like.
      let illness = DocumentClient(stage: stage, user: ada, collection: "my-illness")
      for place in 0..<3 { try await illness.put("ward-of-hospital-\(place)") }
      try await illness.delete("ward-of-hospital-0")
      let friends = DocumentClient(stage: stage, user: bob, collection: "friends")
      try await friends.put("f", #"{"who": "\#(ada)"}"#)
      try await erase(ada, stage)
      for name in [secret, "my-illness", "ward-of-hospital", "diary"] {
        #expect(try await places(of: name, in: folder, stage) == [], "\(name)")
      }
      let records = try await stage.service.database.read { tx in
        try tx.query(
          "SELECT scope, object, action FROM audit_log WHERE action LIKE 'document.%' ORDER BY sequence"
        ) { [$0.text(0), $0.text(1), $0.text(2)] }
      }
      // That something was done is still recorded, under the pseudonym; others' records are as they were.
      let erased = records.filter { $0[0] == pseudonym(of: ada) }
      #expect(erased.count == 34 && Set(erased.map { $0[1] }) == ["document"])
      #expect(records.filter { $0[0] == bob }.map { $0[1] } == ["friends/f"])
      let kept = try await friends.get("f").json
      #expect(kept.contains(ada))
      let left = try await stage.service.database.read { tx in
        try tx.query(
          """
          SELECT user_id FROM document UNION ALL SELECT user_id FROM document_usage
          UNION ALL SELECT scope FROM change_log WHERE kind = 'document' AND scope LIKE 'usr_ada%'
          """
        ) { $0.text(0) }
      }
      #expect(left == [bob, bob])
    }
  }

  @Test("What comes later in the user's name, or for the user, is refused")
  func erased_user_getsNothing() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let ada = "usr_ada00000001"
      try await stage.grant("owner", on: home.portfolio, to: ada, by: home.owner)
      let code = try await stage.inviteTenant(home).code
      try await erase(ada, stage)
      let ended = Refusal(.unauthenticated, "CREDENTIALS_INVALID")
      #expect(
        try await refusal {
          try await stage.portfolios.create(.init(name: "New"), options: .by(ada))
        } == ended
      )
      #expect(
        try await refusal {
          try await DocumentClient(stage: stage, user: ada).put("d")
        } == ended
      )
      #expect(
        try await refusal {
          try await stage.invitations.accept(.init(code: code), options: .by(ada))
        } == ended
      )
      #expect(
        try await refusal {
          try await stage.grant("owner", on: home.portfolio, to: ada, by: home.owner)
        } == Refusal(.invalidArgument, "USER_UNKNOWN")
      )
      let rows = try await stage.service.database.read { tx in
        try tx.exists("SELECT 1 FROM association WHERE user_id = ?", .text(ada))
      }
      #expect(!rows)
    }
  }

  @Test("Invitations from the user and to the address end, with those for others left alone")
  func erase_withInvitations_endsThem() async throws {
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { stage in
      let home = try await Building(stage, name: "a")
      let second = "usr_second"
      try await stage.grant("owner", on: home.portfolio, to: second, by: home.owner)
      for (inviter, email) in [
        (second, "ida@example.com"), (home.owner, "second@example.com"),
        (home.owner, "thesecond@example.com"),
      ] {
        _ = try await stage.invitations.create(
          .init(
            entityId: home.portfolio,
            role: "portfolio_admin",
            email: email,
            idempotencyKey: email
          ),
          options: .by(inviter)
        )
      }
      try await erase(second, addresses: ["second@example.com"], stage)
      let left = try await stage.invitations.list(
        .init(entityId: home.portfolio),
        options: .by(home.owner)
      ).invitations
      #expect(
        Set(left.map { "\($0.email) \($0.state == .pending)" })
          == ["ida@example.com false", "thesecond@example.com true"]
      )
      let addresses = try await stage.service.database.read { tx in
        try tx.query("SELECT email FROM invitation ORDER BY email") { $0.text(0) }
      }
      #expect(addresses == ["ida@example.com", "thesecond@example.com"])
    }
  }

  @Test("Pairings of the user end, and the family keeps its other devices")
  func erase_withPairing_endsIt() async throws {
    try await FamilyHome.run { home in
      try await home.pair(try await home.code(for: home.ann))
      try await home.pair(try await home.code(), device: "phone-1", by: FamilyHome.parent)
      try await erase(FamilyHome.annie, home.stage)
      let devices = try await home.stage.service.database.read { tx in
        try tx.query("SELECT device_id FROM pairing") { $0.text(0) }
      }
      #expect(devices == ["phone-1"])
    }
  }

  @Test("Each part may come again, in any order, and whoever was erased stays so")
  func erase_repeatedInAnyOrder_changesNothing() async throws {
    let folder = try TestFolder()
    try await TenancyStage.run(in: folder) { stage in
      let home = try await Building(stage, name: "a")
      let cursors = try await erase(home.tenant, stage)
      let rowCount = { @Sendable () async throws -> [Int64] in
        try await stage.service.database.read { tx in
          try ["association", "association_history", "audit_log", "entity", "access_record"].map {
            try tx.first("SELECT count(*) FROM \($0)") { $0.integer(0) } ?? -1
          }
        }
      }
      let before = try await rowCount()
      for cursor in cursors.reversed() + ["nonsense", "mentions x", ""] {
        _ = try await erasure(stage).eraseUser(
          .init(
            userId: home.tenant,
            pseudonym: pseudonym(of: home.tenant),
            cursor: cursor
          ),
          options: Self.auth
        )
      }
      let after = try await rowCount()
      #expect(after == before)
      try await erase(home.tenant, stage)
      #expect(try await places(of: home.tenant, in: folder, stage) == [])
    }
  }

  @Test("Only AuthService may ask, and only for a pseudonym")
  func erase_byOthers_isRefused() async throws {
    try await TenancyStage.run { stage in
      let user = try await refusal {
        try await erasure(stage).eraseUser(
          .init(userId: "usr_ada", pseudonym: "del_ada"),
          options: .by("usr_ada")
        )
      }
      #expect(user == Refusal(.permissionDenied, "CALLER_NOT_ALLOWED"))
      let name = try await refusal {
        try await erasure(stage).eraseUser(
          .init(userId: "usr_ada", pseudonym: "usr_bob"),
          options: Self.auth
        )
      }
      #expect(name?.code == .invalidArgument)
    }
  }
}
