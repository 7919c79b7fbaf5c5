import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Several policies together")
struct SeveralPoliciesTests {
  private static let library = PolicySource(
    name: "library.json",
    text: [UInt8](LibraryPolicy.text.utf8)
  )

  private static func smartHome(_ old: String = "", _ new: String = "") throws -> PolicySource {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    if !old.isEmpty {
      try #require(text.contains(old), "the policy has no \(old)")
      text = text.replacing(old, with: new)
    }
    return PolicySource(name: "smart-home.json", text: [UInt8](text.utf8))
  }

  @Test("Policies with different names load together, in any order, and each one's assertions hold")
  func load_two_bothHold() throws {
    for sources in [
      [try Self.smartHome(), Self.library], [Self.library, try Self.smartHome()],
    ] {
      let policy = try Policy.load(sources)
      #expect(Set(policy.documents.map(\.name)) == ["smart-home", "library"])
      for type in ["portfolio", "device", "network", "book"] {
        #expect(policy.type(named: type) != nil)
      }
      let shelf = try #require(policy.type(named: "shelf"))
      #expect(policy.accessLevels(of: shelf) == ["open", "staff"])
      #expect(policy.selfService(of: "portfolio")?.isEnabled == true)
      #expect(policy.selfService(of: "network") == nil)
    }
  }

  @Test("Actions that EntitlementService asks for by name may be in several policies")
  func load_sharedActions_areOfEachType() throws {
    let text = LibraryPolicy.text.replacing(#""book.lend""#, with: #""billing.purchase""#)
    let library = PolicySource(name: "library.json", text: [UInt8](text.utf8))
    let policy = try Policy.load([try Self.smartHome(), library])
    let purchase = try #require(policy.action(named: "billing.purchase"))
    for name in ["portfolio", "book"] {
      let type = try #require(policy.type(named: name))
      #expect(policy.rule(of: purchase, on: type) != nil, "\(name)")
    }
  }

  @Test("Roles reach nothing of another policy, except for operators, who see all of it")
  func roles_ofOnePolicy_stayInIt() throws {
    let policy = try Policy.load([try Self.smartHome(), Self.library])
    let (portfolio, shelf) = (
      try #require(policy.type(named: "portfolio")), try #require(policy.type(named: "shelf"))
    )
    for role in policy.roles where role.heldOn != EntityTypeSet(.system) {
      let isOfLibrary = role.heldOn.contains(shelf) || role.inheritsTo.contains(shelf)
      let isOfHome = role.heldOn.contains(portfolio) || role.inheritsTo.contains(portfolio)
      #expect(!(isOfLibrary && isOfHome), "\(role.name)")
    }
    var forest = Forest(policy: policy)
    forest.apply(
      .putEntity(
        EntityRow(
          id: "net",
          type: try #require(policy.type(named: "network")),
          parent: Forest.systemIdentifier,
          name: "",
          codes: []
        )
      )
    )
    let rows = [("sue", "super_admin", Forest.systemIdentifier), ("dora", "director", "net")]
    for (user, role, entity) in rows {
      forest.apply(
        .putAssociation(
          AssociationRow(
            id: "asc_\(user)",
            subject: user,
            role: try #require(policy.role(named: role)),
            entity: entity
          )
        )
      )
    }
    let close = try #require(policy.action(named: "network.close"))
    let administer = try #require(policy.action(named: "system.administer"))
    func decide(_ user: String, _ action: ActionID, _ entity: String) -> Decision {
      forest.decide(subject: user, action: action, entity: entity, context: .plain, now: 0)
    }
    #expect(decide("sue", close, "net").isAllowed)
    #expect(decide("dora", close, "net").isAllowed)
    #expect(!decide("dora", administer, Forest.systemIdentifier).isAllowed)
    // The highest level of the smart home is one more than the library has.
    let level = policy.accessLevel(of: decide("sue", close, "net").heldRoles)
    #expect(policy.accessLevelName(level, of: shelf) == "staff")
  }

  @Test(
    "A name that two files have is refused, and both files are named",
    arguments: [
      (#""super_admin""#, #""root""#, "roles.root", "role"),
      (#""unit""#, #""shelf""#, "types.shelf", "type"),
      (#""common_area""#, #""lends_to""#, "links.lends_to", "link"),
      (#""device.move""#, #""book.lend""#, "types.book.actions.book.lend", "action"),
      (#""name": "smart-home""#, #""name": "library""#, "name", "policy"),
    ]
  )
  func load_sameName_isRefused(old: String, new: String, path: String, what: String) throws {
    let home = try Self.smartHome(old, new)
    let error = #expect(throws: PolicyError.self) { try Policy.load([home, Self.library]) }
    let problem = try #require(error?.problems.first { $0.path == path })
    #expect(problem.source == "library.json")
    #expect(problem.problem.contains("smart-home.json has"))
    #expect(problem.problem.contains(what))
  }

  @Test("Mistakes of all files are reported together, each with its file")
  func load_mistakesInTwoFiles_areAllNamed() throws {
    let home = try Self.smartHome(#""access_level": "use""#, #""access_level": "usage""#)
    let library = PolicySource(
      name: "library.json",
      text: [UInt8](LibraryPolicy.text.replacing(#""version": 3"#, with: #""version": -3"#).utf8)
    )
    let broken = PolicySource(name: "third.json", text: [UInt8]("{".utf8))
    let thrown = #expect(throws: PolicyError.self) { try Policy.load([home, library, broken]) }
    let error = try #require(thrown)
    let places = error.problems.map { "\($0.source): \($0.path)" }
    #expect(
      Set(places) == [
        "smart-home.json: roles.tenant.access_level", "library.json: version", "third.json: ",
      ]
    )
    for name in ["smart-home.json: roles.tenant.access_level: ", "third.json: is not JSON"] {
      #expect(error.description.contains(name), "\(error)")
    }
  }

  @Test("A policy knows only its own names")
  func load_namesOfAnotherPolicy_areUnknown() throws {
    let home = try Self.smartHome(#""parents": ["property"]"#, #""parents": ["shelf"]"#)
    let error = #expect(throws: PolicyError.self) { try Policy.load([Self.library, home]) }
    #expect(error?.problems.contains { $0.path == "types.unit.parents[0]" } == true)
    let mode = #""modes": { "m": { "enter": "unit.view", "covers": ["book.lend"] } }"#
    let covering = try Self.smartHome(#""condition_sets": {"#, "\(mode), \"condition_sets\": {")
    let foreign = #expect(throws: PolicyError.self) { try Policy.load([Self.library, covering]) }
    #expect(foreign?.problems.contains { $0.path == "modes.m.covers[0]" } == true)
  }

  @Test("A reload takes another policy in and leaves it out again; a clash changes nothing")
  func reload_several_decidesByAll() async throws {
    try await TenancyStage.run { stage in
      let engine = stage.service.engine
      try await stage.service.reloadPolicies { [try Self.smartHome(), Self.library] }
      #expect(engine.policy.type(named: "book") != nil)
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains(#"gatehouse_tenancy_policy_version{policy="library"} 3"#))
      let clashing = try Self.smartHome(#""super_admin""#, #""root""#)
      let error = await #expect(throws: PolicyError.self) {
        try await stage.service.reloadPolicies { [clashing, Self.library] }
      }
      #expect(error?.problems.contains { $0.path == "roles.root" } == true)
      #expect(engine.policy.type(named: "book") != nil)
      let home = try await Building(stage, name: "home")
      try await stage.service.reloadPolicies { [try Self.smartHome()] }
      #expect(engine.policy.type(named: "book") == nil)
      let answer = try await stage.permissions.check(
        .init(subjectId: home.tenant, action: "device.unlock", entityId: home.door),
        options: .byService("gateway")
      )
      #expect(answer.allowed)
    }
  }

  @Test("A folder stands for the policies in it, in the order of their names, and is listed again")
  func settings_folder_standsForItsFiles() async throws {
    let folder = try TestFolder()
    func write(_ text: [UInt8], _ name: String) throws {
      try Data(text).write(to: URL(filePath: folder.path(name)))
    }
    func names() throws -> [String] {
      try PolicyFiles.readAll([folder.path("")]).map(\.name)
    }
    #expect(throws: ConfigurationError.self) { try names() }
    try write(try Self.smartHome().text, "home.json")
    for other in ["notes.txt", ".home.json", "home.json~"] { try write([123], other) }
    #expect(try names() == [folder.path("home.json")])
    try await TenancyStage.run { stage in
      try write(Array(LibraryPolicy.text.utf8), "Library.json")
      #expect(try names() == [folder.path("Library.json"), folder.path("home.json")])
      try await stage.service.reloadPolicies { try PolicyFiles.readAll([folder.path("")]) }
      #expect(stage.service.engine.policy.type(named: "book") != nil)
      #expect(stage.service.engine.policy.type(named: "device") != nil)
    }
    // A mistake is reported with its file; a folder that cannot be read as well.
    try write(
      Array(LibraryPolicy.text.replacing(#""version": 3"#, with: #""version": -3"#).utf8),
      "b.json"
    )
    var check = ConfigurationCheck()
    check.attempt("policy") {
      _ = try PolicyReloader.policy(try PolicyFiles.readAll([folder.path("")]))
    }
    let problems = check.problems.joined(separator: "\n")
    #expect(problems.contains("\(folder.path("b.json")): version: "), "\(problems)")
    let missing = #expect(throws: ConfigurationError.self) {
      try PolicyFiles.readAll([folder.path("nowhere")])
    }
    #expect("\(missing as Any)".contains("setting policy: \(folder.path("nowhere")): "))
  }

  @Test("The setting names one file or a list of them; a check reports the mistakes of all")
  func settings_severalFiles_areChecked() throws {
    let folder = try TestFolder()
    try Data(try Self.smartHome(#""access_level": "use""#, #""access_level": "usage""#).text)
      .write(to: URL(filePath: folder.path("home.json")))
    try Data(LibraryPolicy.text.replacing(#""version": 3"#, with: #""version": -3"#).utf8)
      .write(to: URL(filePath: folder.path("library.json")))
    func settings(_ policy: JSONValue) throws -> TenancyProgram.Settings {
      var members = try JSONField(["policy": policy]).members()
      return try TenancyProgram.settings(&members)
    }
    #expect(try settings("one.json").policies == ["one.json"])
    #expect(throws: JSONDecodingError.self) { try settings([]) }
    let several = try settings([
      .string(folder.path("home.json")), .string(folder.path("library.json")),
    ])
    #expect(several.policies.count == 2)
    var check = ConfigurationCheck()
    check.attempt("policy") {
      _ = try PolicyReloader.policy(try PolicyFiles.readAll(several.policies))
    }
    let problems = check.problems.joined(separator: "\n")
    #expect(problems.contains("home.json: roles.tenant.access_level: "), "\(problems)")
    #expect(problems.contains("library.json: version: "), "\(problems)")
  }
}
