import Foundation

@testable import ServiceTesting

/// A product whose decisions are compared: its policy, and what that calls what every product has.
struct OracleProduct: Sendable {
  /// All that the oracle knows: those of the repository, and one that no Swift code knows anything of.
  static let names = ["smart-home", "equestrian", "family", "reading-room"]

  let name: String
  let policy: [UInt8]
  /// The type of roots that every user may create.
  let rootType: String
  /// What whoever creates a root gets on it.
  let creatorRole: String
  /// What a creator can give to others on a root.
  let administratorRole: String
  /// What it takes to see a root.
  let viewAction: String
  /// What it takes to define roles of a tenant's own; nil where nobody can.
  let defineAction: String?

  init(_ name: String) throws {
    self.name = name
    policy =
      name == "reading-room"
      ? [UInt8](ReadingRoomPolicy.textWithDefinitions.utf8) : try ProductSetup.policy(name)
    let json = try JSONSerialization.jsonObject(with: Data(policy)) as? [String: Any] ?? [:]
    let selfService = json["self_service"] as? [String: Any] ?? [:]
    rootType = selfService["type"] as? String ?? ""
    creatorRole = selfService["creator_role"] as? String ?? ""
    administratorRole = selfService["administrator_role"] as? String ?? ""
    let types = json["types"] as? [String: [String: Any]] ?? [:]
    let lifecycle = types[rootType]?["lifecycle"] as? [String: Any] ?? [:]
    viewAction = lifecycle["view"] as? String ?? ""
    defineAction = lifecycle["define_roles"] as? String
  }

  /// Homes have calls of their own, and all others are changed by those that every product has.
  var isSmartHome: Bool { name == "smart-home" }
}
