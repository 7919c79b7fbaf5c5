import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Limits that a policy names")
struct LimitPolicyTests {
  private static let counts = #""counts": { "limit": "maxHorses", "of": "organization" }"#
  private static let members = #""members": { "limit": "maxMembers" }"#
  private static let organization = #""prefix": "org","#

  private static func text(_ right: String, _ wrong: String) throws -> [UInt8] {
    let text = String(decoding: try PolicyFile.bytes("equestrian"), as: UTF8.self)
    try #require(text.contains(right))
    return [UInt8](text.replacing(right, with: wrong, maxReplacements: 1).utf8)
  }

  @Test("The policy for stables counts stables and horses against their organization")
  func limits_ofStables() throws {
    let policy = try Policy.load(PolicyFile.bytes("equestrian"))
    #expect(policy.limits.map(\.name) == ["maxStables", "maxHorses"])
    #expect(policy.limits.allSatisfy { $0.holderType == "organization" })
    #expect(policy.limits.map(\.types) == [["stable"], ["horse"]])
    #expect(policy.limit(counting: "organization") == nil)
    #expect(policy.limit(ofMembersOf: "organization")?.name == "maxMembers")
    #expect(policy.limit(ofMembersOf: "stable") == nil)
    #expect(try Policy.load(PolicyFile.bytes("smart-home")).limits.isEmpty)
  }

  @Test("Types may share a limit")
  func limits_shared_areOne() throws {
    let policy = try Policy.load(
      Self.text(#""limit": "maxStables""#, #""limit": "maxHorses""#)
    )
    #expect(policy.limits.map(\.types) == [["stable", "horse"]])
    let description = PolicyDescription(policy)
    #expect(
      description.limits.map { "\($0.counted): \($0.outline)" } == [
        "member of organization: maxMembers", "stable: maxHorses of its organization",
        "horse: maxHorses of its organization",
      ]
    )
    let old = try Policy.load(PolicyFile.bytes("equestrian"))
    let changes = PolicyDifference(from: old, to: policy).limits
    #expect(changes.map(\.counted) == ["stable"])
    #expect(changes.first?.before?.limit == "maxStables")
    #expect(PolicyDifference(from: old, to: old).isEmpty)
  }

  @Test(
    "A limit of what holds no features, or is not above, is a mistake at its place",
    arguments: [
      (counts, #""counts": { "limit": "maxHorses" }"#, "types.horse.counts.of"),
      (counts, #""counts": { "of": "organization" }"#, "types.horse.counts.limit"),
      (counts, #""counts": { "limit": "", "of": "organization" }"#, "types.horse.counts.limit"),
      (counts, #""counts": { "limit": "maxHorses", "of": "stable" }"#, "types.horse.counts.of"),
      (counts, #""counts": { "limit": "maxHorses", "of": "barn" }"#, "types.horse.counts.of"),
      (
        counts, #""counts": { "limit": "maxHorses", "of": "organization", "most": 5 }"#,
        "types.horse.counts.most"
      ),
      (counts, #""counts": ["maxHorses"]"#, "types.horse.counts"),
      (
        organization, #""prefix": "org", "counts": { "limit": "most", "of": "organization" },"#,
        "types.organization.counts.of"
      ),
      (counts, #""members": { "limit": "maxMembers" }"#, "types.horse.members"),
      (members, #""members": {}"#, "types.organization.members.limit"),
      (members, #""members": { "limit": 5 }"#, "types.organization.members.limit"),
    ]
  )
  func counts_wrong_isNamed(right: String, wrong: String, path: String) throws {
    let error = #expect(throws: PolicyError.self) {
      try Policy.load(Self.text(right, wrong))
    }
    #expect(error?.problems.map(\.path) == [path])
  }
}
