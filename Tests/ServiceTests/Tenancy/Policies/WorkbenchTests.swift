import AccessEngine
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Policies are looked at before they are loaded")
struct WorkbenchTests {
  private static let boss = CallOptions.by("usr_boss")

  private func run(
    _ body: (TenancyStage, Tenancy_V1.PoliciesClient) async throws -> Void
  ) async throws {
    try await TenancyStage.run(policy: [UInt8](ReadingRoom.policy.utf8)) { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_boss"),
        options: .byService("auth")
      )
      try await body(stage, Tenancy_V1.PoliciesClient(stage.channel))
    }
  }

  private static func files(_ text: String) -> [Tenancy_V1.PolicyFile] {
    [.init(name: "room.json", text: text)]
  }

  @Test("A policy that loads is counted, and all its assertions are decided as expected")
  func check_ofSoundPolicy_hasDecisions() async throws {
    try await run { _, policies in
      let answer = try await policies.check(
        .init(files: Self.files(ReadingRoom.policy)),
        options: Self.boss
      )
      #expect(answer.problems.isEmpty)
      #expect(answer.types > 2 && answer.roles > 2 && answer.actions > 5)
      #expect(answer.decisions.count == answer.assertions && answer.assertions > 0)
      #expect(answer.decisions.allSatisfy { $0.asExpected && $0.file == "room.json" })
      let allowed = answer.decisions.filter(\.allowed)
      #expect(!allowed.isEmpty && allowed.allSatisfy { !$0.role.isEmpty && !$0.via.isEmpty })
      #expect(answer.decisions.contains { !$0.allowed && !$0.sufficientRoles.isEmpty })
    }
  }

  @Test("The policy in force is read as it was loaded, also after another one")
  func inForce_isWhatWasLoaded() async throws {
    try await run { stage, policies in
      let first = try await policies.getInForce(.init(), options: Self.boss)
      #expect(first.files.map(\.text) == [ReadingRoom.policy])
      let checked = try await policies.check(.init(files: first.files), options: Self.boss)
      #expect(checked.problems.isEmpty)
      let other = ReadingRoom.policy + "\n"
      // Where files lie on the machine is nobody's business.
      try await stage.service.reloadPolicies {
        [.init(name: "/etc/gatehouse/b.json", text: Array(other.utf8))]
      }
      let second = try await policies.getInForce(.init(), options: Self.boss)
      #expect(second.files.map(\.name) == ["b.json"] && second.files.map(\.text) == [other])
      let paths = ["/a/b.json", "/c/b.json", "d.json", ""]
      let names = PoliciesHandler.shortNames(of: paths)
      #expect(names == ["b.json", "2-b.json", "d.json", "policy.json"])
    }
  }

  @Test("Every mistake has its file and its place, and an assertion that fails has its decision")
  func check_ofMistakes_namesPlaces() async throws {
    try await run { _, policies in
      var text = ReadingRoom.policy
      text.replace(#""reader": {"#, with: #""reader": { "nonsense": 1, "#)
      let broken = try await policies.check(.init(files: Self.files(text)), options: Self.boss)
      let places = broken.problems.map { "\($0.file) \($0.path)" }
      #expect(places == ["room.json roles.reader.nonsense"])
      #expect(broken.decisions.isEmpty && broken.types == 0)
      let garbage = try await policies.check(.init(files: Self.files("{")), options: Self.boss)
      #expect(garbage.problems.count == 1)
      let whole = try await policies.check(
        .init(files: Self.files(ReadingRoom.policy)),
        options: Self.boss
      )
      let denied = try #require(whole.decisions.first { !$0.allowed })
      let question =
        #"{ "who": "\#(denied.who)", "action": "\#(denied.action)", "on": "\#(denied.on)", "#
        + #""expect": "allow" },"#
      var hopeful = ReadingRoom.policy
      hopeful.replace(#""expect": ["#, with: #""expect": ["# + question, maxReplacements: 1)
      let failed = try await policies.check(.init(files: Self.files(hopeful)), options: Self.boss)
      #expect(failed.problems.map(\.path) == ["assertions.expect[0]"])
      let first = try #require(failed.decisions.first)
      #expect(!first.asExpected && !first.allowed && first.reason == denied.reason)
      #expect(failed.decisions.count == whole.decisions.count + 1)
    }
  }

  @Test("A comparison says what roles gain and lose, and who has them, and loads nothing")
  func compare_ofChange_namesPeople() async throws {
    try await run { stage, policies in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      for number in 0..<3 {
        try await stage.grant("reader", on: shelf, to: "usr_rosa\(number)", by: "usr_hanna")
      }
      try await stage.grant("librarian", on: shelf, to: "usr_rosa0", by: "usr_hanna")
      let same = try await policies.compare(
        .init(files: Self.files(ReadingRoom.policy)),
        options: Self.boss
      )
      #expect(same.changes.isEmpty && same.effects.isEmpty && same.problems.isEmpty)
      let text = ReadingRoom.policy.replacing(
        #""shelf.view": { "roles": ["cataloguer", "reader"] }"#,
        with: #""shelf.view": { "roles": ["cataloguer"] }"#
      )
      #expect(text != ReadingRoom.policy)
      var (request, effects) = (
        Tenancy_V1.ComparePolicyRequest(files: Self.files(text), pageSize: 1),
        [Tenancy_V1.PolicyEffect]()
      )
      repeat {
        let page = try await policies.compare(request, options: Self.boss)
        if request.pageToken.isEmpty {
          #expect(page.changes.contains { $0.role == "reader" && $0.kind == .lost })
        } else {
          #expect(page.changes.isEmpty)
        }
        effects += page.effects
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      let lost = effects.filter { $0.lost == ["shelf.view"] && $0.entityId == shelf }
      // Rosa 0 is a librarian on the same shelf.
      #expect(Set(lost.map(\.userId)) == ["usr_rosa1", "usr_rosa2"])
      #expect(lost.allSatisfy { $0.objects == 1 && $0.exampleId == shelf && !$0.byRoles })
      let allowed = try await stage.permissions.check(
        .init(subjectId: "usr_rosa1", action: "shelf.view", entityId: shelf),
        options: .byService("gateway")
      )
      #expect(allowed.allowed)
    }
  }

  @Test("Gains and losses are decided on each object: roles above and rules on attributes count")
  func compare_ofChange_decidesOnObjects() async throws {
    try await run { stage, policies in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      for (name, isLendable) in [("Lent", true), ("Kept", false)] {
        let attributes = ["lendable": Google_Protobuf.Value.KindOneOf.boolValue(isLendable)]
        _ = try await stage.create("book", under: shelf, name: name, attributes, by: "usr_hanna")
      }
      for user in ["usr_above", "usr_here"] {
        try await stage.grant("reader", on: shelf, to: user, by: "usr_hanna")
      }
      try await stage.grant("cataloguer", on: library, to: "usr_above", by: "usr_hanna")
      try await stage.grant("librarian", on: shelf, to: "usr_libby", by: "usr_hanna")
      func effects(_ old: String, _ new: String) async throws -> [Tenancy_V1.PolicyEffect] {
        let text = ReadingRoom.policy.replacing(old, with: new)
        #expect(text != ReadingRoom.policy)
        var request = Tenancy_V1.ComparePolicyRequest(files: Self.files(text), pageSize: 1)
        var found: [Tenancy_V1.PolicyEffect] = []
        repeat {
          let page = try await policies.compare(request, options: Self.boss)
          found += page.effects
          request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        return found
      }
      // A role above that still shows the shelf makes up for the one that does not.
      let view = #""shelf.view": { "roles": ["cataloguer", "reader"] }"#
      let lost = try await effects(view, #""shelf.view": { "roles": ["cataloguer"] }"#)
      #expect(lost.map(\.userId) == ["usr_here"] && lost.first?.lost == ["shelf.view"])
      // A book that is not for lending becomes readable, the other one was all the time.
      let rule = #"{ "attribute": "lendable", "equals": true, "otherwise": "DENIED_BY_RULE" }"#
      let gained = try await effects(rule, rule.replacing("true", with: "false"))
      let libby = try #require(gained.first { $0.userId == "usr_libby" })
      #expect(libby.gained == ["book.read"] && libby.lost == ["book.read"] && libby.objects == 2)
      #expect(libby.exampleType == "book" && libby.changed.isEmpty)
      // What is looked at is written down for the tenant.
      let looks = try await Tenancy_V1.TenancyAuditClient(stage.channel)
        .listAccess(.init(entityId: library), options: .by("usr_hanna")).records
      #expect(looks.contains { $0.method == "tenancy.v1.Policies/Compare" && $0.object == shelf })
    }
  }

  @Test("A question about a person and an object is decided by both policies, and both can see it")
  func decide_onWhatThereIs_comparesExplanations() async throws {
    try await run { stage, policies in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      try await stage.grant("reader", on: library, to: "usr_rosa", by: "usr_hanna")
      let view = #""shelf.view": { "roles": ["cataloguer", "reader"] }"#
      let narrow = #""shelf.view": { "roles": ["cataloguer"] }"#
      let text = ReadingRoom.policy.replacing(view, with: narrow)
      var request = Tenancy_V1.DecidePolicyRequest(
        files: Self.files(text),
        userId: "usr_rosa",
        action: "shelf.view",
        entityId: shelf
      )
      let answer = try await policies.decide(request, options: Self.boss)
      #expect(answer.inForce?.decision?.allowed == true)
      #expect(answer.inForce?.decision?.viaEntityId == library)
      #expect(answer.proposed?.decision?.allowed == false)
      #expect(answer.proposed?.decision?.reason == .roleLacksAction)
      #expect(answer.proposed?.places.first?.roles.first?.includesAction == false)
      request.userId = "usr_nobody"
      let nobody = try await policies.decide(request, options: Self.boss)
      #expect(nobody.inForce?.decision?.reason == .noAssociation)
      request.action = "shelf.eat"
      let unknown = try await refusal { try await policies.decide(request, options: Self.boss) }
      #expect(unknown?.reason == "ACTION_UNKNOWN")
      request.action = "shelf.view"
      request.entityId = "shf_nowhere"
      let absent = try await refusal { try await policies.decide(request, options: Self.boss) }
      #expect(absent?.code == .notFound)
      let audit = Tenancy_V1.TenancyAuditClient(stage.channel)
      let asked = try await audit.listAccess(.init(), options: .by("usr_rosa")).records
      #expect(asked.map(\.method) == ["tenancy.v1.Policies/Decide"])
      let tree = try await audit.listAccess(.init(entityId: library), options: .by("usr_hanna"))
      #expect(tree.records.map(\.object) == [shelf, shelf])
      let other = try await refusal {
        try await policies.decide(request, options: .by("usr_hanna"))
      }
      #expect(other?.code == .permissionDenied)
    }
  }

  @Test("The workbench is for operators where the setting offers it, within its bounds")
  func calls_ofOthers_areRefused() async throws {
    try await run { stage, policies in
      let request = Tenancy_V1.CheckPolicyRequest(files: Self.files(ReadingRoom.policy))
      _ = try await stage.associations.grantSupport(
        .init(userId: "usr_sam"),
        options: .byService("auth")
      )
      for user in ["usr_hanna", "usr_sam"] {
        let refused = try await refusal {
          try await policies.check(request, options: .by(user, acr: "mfa"))
        }
        #expect(refused?.code == .permissionDenied)
      }
      let none = try await refusal { try await policies.check(.init(), options: Self.boss) }
      #expect(none?.code == .invalidArgument)
      let half = String(repeating: " ", count: 600_000)
      let large = try await refusal {
        try await policies.check(
          .init(files: [.init(name: "a", text: half), .init(name: "b", text: half)]),
          options: Self.boss
        )
      }
      #expect(large == Refusal(.invalidArgument, "POLICY_TOO_LARGE"))
    }
    try await TenancyStage.$offersWorkbench.withValue(false) {
      try await run { _, policies in
        let off = try await refusal {
          try await policies.compare(
            .init(files: Self.files(ReadingRoom.policy)),
            options: Self.boss
          )
        }
        #expect(off == Refusal(.failedPrecondition, "WORKBENCH_OFF"))
      }
    }
  }
}
