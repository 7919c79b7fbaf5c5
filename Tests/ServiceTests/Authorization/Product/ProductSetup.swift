import Foundation
import RPCKit
import ServiceKit

@testable import AuthService
@testable import ServiceTesting

/// Keys, secrets, settings and addresses of a product, as an operator writes them.
struct ProductSetup: Sendable {
  static let services = ["auth", "tenancy", "entitlement"]

  private let folder: ProductFolder
  private let keys: [String: SigningKey]
  private let common: JSONObject
  private let auth: JSONObject

  /// The policy is the smart home's unless one is given; `common` are settings of all services beside their
  /// own, and `auth` of AuthService alone.
  init(
    _ folder: ProductFolder,
    policy: [UInt8]? = nil,
    common: JSONObject = [:],
    auth: JSONObject = [:]
  ) throws {
    self.folder = folder
    self.common = common
    self.auth = auth
    // The fourth pays for subscriptions, and the fifth speaks for devices; they have keys, and are nowhere.
    keys = Dictionary(
      uniqueKeysWithValues: (Self.services + ["billing", "bridge"]).map {
        ($0, SigningKey.generate())
      }
    )
    for (name, key) in keys {
      try folder.write(Array(key.pem.utf8), to: "\(name).private.pem")
      try folder.write(Array(key.verificationKey.pem.utf8), to: "\(name).public.pem")
    }
    try folder.write(
      Array(AuthSecrets.generate(SystemRandomSource()).utf8),
      to: "secrets.json"
    )
    try folder.write(TestAuthority.shared.get().root.der, to: "apple.der")
    try folder.write(Array(try Self.catalog().text.utf8), to: "catalog.json")
    try folder.write(policy ?? Self.policy("smart-home"), to: "policy.json")
  }

  /// Trials that everybody may start, `try-0` and so on.
  static let trialCount = 500
  /// A product for portfolios.
  static let estate = "com.example.estate"

  /// The catalogue that is in use, with trials that everybody may start and a product for portfolios.
  private static func catalog() throws -> JSONValue {
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(root)/tiers/default.json"))
    var catalog = try JSONReader.read(Array(file), limits: JSONLimits(byteCountMax: 1 << 20)).object
    catalog?["promotions"] = .array(
      (0..<trialCount).map { number in
        ["name": .string("try-\(number)"), "kind": "trial", "addon": "invoicing", "days": 1]
      }
    )
    let product: JSONValue = [
      "name": .string(estate), "subjects": ["portfolio"], "features": [:],
    ]
    let sold = catalog?["products"]?.array ?? []
    catalog?["products"] = .array(sold + [product])
    return .object(catalog ?? JSONObject())
  }

  func key(of service: String) -> SigningKey {
    guard let key = keys[service] else { preconditionFailure("there is no service \(service)") }
    return key
  }

  /// The socket that a service listens at.
  func path(of service: String) -> String { folder.path(service) }

  func target(of service: String) -> String { "unix://\(path(of: service))" }

  /// What the program of a service reads from its file.
  func settings<Service: HostedService>(
    of type: Service.Type
  ) throws -> (ServiceSettings, Service.Settings) {
    let identity = Service.identity
    var settings = common
    for (name, value) in own(identity.name) { settings[name] = value }
    settings["admin"] = false
    settings["database"] = .string(folder.path("\(identity.name).db"))
    settings["peers"] = object(Self.services.filter { $0 != identity.name }) { target(of: $0) }
    settings["service_keys"] = [
      "private_key": .string(folder.path("\(identity.name).private.pem")),
      "trusted": object(keys.keys.filter { $0 != identity.name }.sorted()) {
        folder.path("\($0).public.pem")
      },
    ]
    var (common, own) = try ConfigurationReader.decode(.object(settings)) {
      (members) throws(JSONDecodingError) in
      (
        try ServiceSettings(
          &members,
          name: identity.name,
          port: identity.port,
          adminPort: identity.adminPort
        ), try Service.settings(&members)
      )
    }
    common.listen = [.unix(path: path(of: identity.name))]
    return (common, own)
  }

  /// Where the repository is.
  private static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.path

  /// A policy of the repository, as JSON.
  static func policy(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(root)/policies/\(name).json")))
  }

  /// The features that a tier of the catalogue includes as flags.
  static func flags(ofTier name: String) throws -> [String] {
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(root)/tiers/default.json"))
    let catalog = try JSONSerialization.jsonObject(with: file) as? [String: Any]
    let tiers = catalog?["tiers"] as? [[String: Any]] ?? []
    let features = tiers.first { $0["name"] as? String == name }?["features"] as? [String: Any]
    // Limits are numbers, or a word for none.
    let limits = (catalog?["features"] as? [String: [String: String]] ?? [:])
      .filter { $0.value["kind"] == "limit" }.keys
    return (features ?? [:]).keys.filter { !limits.contains($0) }.sorted()
  }

  /// The limits of a tier of the catalogue that are numbers.
  static func limits(ofTier name: String) throws -> [String: Int] {
    let file = try Data(contentsOf: URL(fileURLWithPath: "\(root)/tiers/default.json"))
    let catalog = try JSONSerialization.jsonObject(with: file) as? [String: Any]
    let tiers = catalog?["tiers"] as? [[String: Any]] ?? []
    let features = tiers.first { $0["name"] as? String == name }?["features"] as? [String: Any]
    let limits = (catalog?["features"] as? [String: [String: String]] ?? [:])
      .filter { $0.value["kind"] == "limit" }.keys
    return (features ?? [:]).filter { limits.contains($0.key) }.compactMapValues { $0 as? Int }
  }

  private func own(_ name: String) -> [(String, JSONValue)] {
    switch name {
    case "auth":
      return [
        ("secrets", .string(folder.path("secrets.json"))),
        // The cheapest that there is: many sign in, and none of the passwords is worth anything.
        ("password_hash", ["memory_kib": 8, "passes": 1]), ("sessions", ["per_user": 100]),
        (
          "passkeys",
          ["relying_party_id": "example.com", "origins": ["https://example.com"]]
        ),
      ] + auth.members.map { ($0.name, $0.value) }
    case "tenancy":
      return [
        ("policy", .string(folder.path("policy.json"))),
        ("events", true), ("webhooks", [:]),
        ("policy_decision_point", "https://access.example.com"),
      ]
    default:
      return [
        ("catalog", .string(folder.path("catalog.json"))),
        (
          "apple",
          [
            "bundle_id": .string(TransactionFields.bundleID), "apple_id": 1234,
            "test_roots": [.string(folder.path("apple.der"))],
          ]
        ),
      ]
    }
  }

  private func object(_ names: [String], _ text: (String) -> String) -> JSONValue {
    var object = JSONObject()
    for name in names { object[name] = .string(text(name)) }
    return .object(object)
  }
}
