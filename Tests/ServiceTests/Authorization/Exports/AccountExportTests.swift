import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import EntitlementService
@testable import ServiceTesting
@testable import TenancyService

@Suite("Exports of accounts across the services")
struct AccountExportTests {
  private static let schemaName = "account-export.schema.json"
  private static let limits = JSONLimits(byteCountMax: 64 << 20, valueCountMax: 10_000_000)

  private static func json(_ text: String) throws -> JSONValue {
    try JSONReader.read(Array(text.utf8), limits: limits)
  }

  /// Ada and Bob, with a row of each kind.
  private func run(
    _ body: (ExportStage, _ ada: (id: String, options: CallOptions), _ bob: String) async throws
      -> Void
  ) async throws {
    try await ExportStage.run { stage in
      let ada = try await stage.signUp("ada")
      let bob = try await stage.signUp("bob")
      for (user, name) in [(ada.id, "ada"), (bob.id, "bob")] {
        let rows = ExportRows(
          userID: user,
          otherID: "usr_operator",
          tag: "of-\(name)",
          emailKey: "\(name)@example.org"
        )
        try await rows.insert(into: stage)
      }
      try await body(stage, ada, bob.id)
    }
  }

  @Test("With every kind of data the document is valid, whole, and says nothing of others")
  func export_ofEverything_isWholeAndOwn() async throws {
    try await run { stage, ada, bob in
      let text = try await stage.export(ada.options)
      #expect(try SchemaFile(name: Self.schemaName).refused([text]) == [])
      let document = try #require(try Self.json(text).object)
      #expect(document["user_id"] == .string(ada.id))
      for (service, plan, _) in stage.stores {
        let sections = try #require(document[service]?.object)
        #expect(sections.members.map(\.name) == plan.sections.map(\.name))
        for section in sections.members {
          #expect(section.value.array?.isEmpty == false, "\(service) \(section.name) is empty")
        }
      }
      // Whoever gave her a role has no name.
      #expect(text.contains("usr_another"))
      for other in [bob, "of-bob", "bob@", "bob's", "usr_operator", "SECRET", "$argon2"] {
        #expect(!text.contains(other), "\(other) is told")
      }
      let token = try #require(ada.options.metadata["authorization"])
      #expect(!text.contains(token.dropFirst(7)))
      let tenancy = try #require(document["tenancy"]?.object)
      let received = try #require(tenancy["received_invitations"]?.array)
      #expect(
        received.map { $0.object?["id"]?.string } == ["inv_of-ada_answered", "inv_of-ada_received"]
      )
      #expect(
        tenancy["documents"]?.array?.first?.object?["content"]
          == ["mood": "of-ada", "deep": [["a": 1]]]
      )
      let details = tenancy["audit"]?.array?.compactMap { $0.object?["detail"]?.string }
      #expect(details == ["of-ada by itself", "of-ada before 0.3", "of-ada and usr_another."])
      #expect(tenancy["refusals"]?.array?.count == 2)
    }
  }

  @Test("An address that was not verified is nobody's: invitations to it are not told")
  func export_unverifiedAddress_tellsNoInvitations() async throws {
    try await run { stage, ada, _ in
      try await stage.auth.core.store.writeOwn { tx in
        try tx.execute("UPDATE account SET email_verified = 0")
      }
      let text = try await stage.export(ada.options)
      #expect(!text.contains("inv_of-ada_received"))
      #expect(text.contains("inv_of-ada_answered"))
    }
  }

  @Test("Every table and column of the three stores is told, or named with the reason")
  func schema_everyColumn_isToldOrWithheld() async throws {
    try await ExportStage.run { stage in
      for (service, plan, store) in stage.stores {
        let columns = try await store.read { tx in
          try tx.query(
            """
            SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
          ) { (table: $0.text(0), column: "\($0.text(0)).\($0.text(1))") }
        }
        #expect(columns.count > 50)
        let sources = plan.sections.reduce(into: Set<String>()) { $0.formUnion($1.sources) }
        for (table, column) in columns {
          let isTold = sources.contains(column)
          let isWithheld = plan.withheld[table] != nil || plan.withheld[column] != nil
          #expect(isTold || isWithheld, "\(service): \(column) is neither told nor withheld")
        }
        let known = Set(columns.map(\.table) + columns.map(\.column))
        #expect(sources.subtracting(known) == [], "\(service)")
        #expect(Set(plan.withheld.keys).subtracting(known) == [], "\(service)")
        for (name, reason) in plan.withheld { #expect(!reason.isEmpty, "\(service): \(name)") }
      }
    }
  }

  @Test("The JSON Schema has the sections and members that the services tell")
  func schema_andPlans_agree() async throws {
    let schema = try Self.json(try SchemaFile.text("schemas/\(Self.schemaName)"))
    func properties(_ value: JSONValue?) -> JSONObject? { value?.object?["properties"]?.object }
    let services = try #require(properties(schema))
    let plans = [
      ("auth", AuthExport.plan), ("tenancy", TenancyExport.plan),
      ("entitlement", EntitlementExport.plan),
    ]
    let page = try SchemaFile.text("docs/guides/export.md")
    for (service, plan) in plans {
      let sections = try #require(properties(services[service]))
      #expect(sections.members.map(\.name) == plan.sections.map(\.name))
      let required = services[service]?.object?["required"]?.array?.compactMap(\.string)
      #expect(required == plan.sections.map(\.name))
      for section in plan.sections {
        let items = sections[section.name]?.object?["items"]
        let members = try #require(properties(items)).members.map(\.name)
        #expect(members == section.columns.map(\.name), "\(service) \(section.name)")
        #expect(items?.object?["additionalProperties"] == false, "\(service) \(section.name)")
        #expect(page.contains("| `\(section.name)` |"), "docs/guides/export.md: \(section.name)")
      }
    }
  }

  @Test("What is wrong with a document is found by its schema")
  func schema_wrongDocuments_areRefused() async throws {
    try await run { stage, ada, _ in
      let right = try await stage.export(ada.options)
      let mistakes: [PlantedMistake] = [
        .both(#""version":1"#, #""version":2"#),
        .both(#""version":1"#, #""version":1,"extra":1"#),
        .both(#""sessions":["#, #""session":["#), .both(#""email_verified":true"#, #""a":1"#),
        .both(#""email_verified":true"#, #""email_verified":"true""#),
        .both(#""recorded_at":""#, #""recorded_at":"x"#),
        .both(#""content":{"#, #""content":[{"a":1}],"b":{"#),
      ]
      let refused = try SchemaFile(name: Self.schemaName).refused(
        try mistakes.map { try $0.planted(in: right) }
      )
      #expect(refused == Set(mistakes.indices))
    }
  }

  @Test("Lists longer than a page are told whole, once, and each time in the same order")
  func export_ofLongLists_isStable() async throws {
    try await run { stage, ada, _ in
      let count = ExportSection.rowCountStandard * 2 + 7
      try await stage.tenancy.core.store.writeOwn { tx in
        for number in 0..<count {
          // Part of a record in two ways, and told once.
          try tx.execute(
            """
            INSERT INTO audit_log (recorded_at, actor, on_behalf_of, request_id, action, object,
              scope, outcome, detail) VALUES (1, ?, ?, 'r', 'a', ?, '', 'done', 'entry')
            """,
            .text(number % 2 == 0 ? "user:\(ada.id)" : "svc://entitlement"),
            .optionalText(number % 2 == 0 ? nil : "user:\(ada.id)"),
            .text(ada.id)
          )
          try tx.execute(
            """
            INSERT INTO document (user_id, collection, id, revision, created_at, updated_at, digest,
              byte_count, json) VALUES (?, 'many', ?, 1, 1, 1, x'00', 2, '{}')
            """,
            .text(ada.id),
            .text("d\(number)")
          )
        }
      }
      func records(_ section: String) async throws -> [String] {
        let subject = ExportSubject(userID: ada.id, verifiedEmail: "")
        let all = Lock<[String]>([])
        try await TenancyExport.plan.read(subject, from: stage.tenancy.core.store) {
          name,
          records in
          if name == section { all.withLock { $0 += records } }
        }
        return all.withLock { $0 }
      }
      let audit = try await records("audit")
      #expect(audit.filter { $0.contains("entry") }.count == count)
      let documents = try await records("documents")
      #expect(documents.count == count + 1)
      #expect(Set(documents).count == documents.count)
      #expect(try await records("documents") == documents)
    }
  }
}
