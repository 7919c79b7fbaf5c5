internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Where others find AuthZEN's interfaces: the metadata of a policy decision point.
struct AuthZenMetadata: Hashable, Sendable {
  static let path = "/.well-known/authzen-configuration"

  /// The address by which others know the service: `https://access.example.com`.
  let url: String

  /// Reads the setting; nil if it is not set.
  init?(_ field: JSONField?) throws(JSONDecodingError) {
    guard let field else { return nil }
    let text = try field.nonEmptyString()
    // With a path, the metadata would have to be somewhere else.
    let isOrigin =
      ["https://", "http://"].contains { scheme in
        text.hasPrefix(scheme) && text.utf8.count > scheme.utf8.count
          && text.dropFirst(scheme.count).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
          && !text.dropFirst(scheme.count).contains { "/?#@\"\\".contains($0) }
      }
    guard isOrigin, text.utf8.count <= 256 else {
      throw field.error("must be a URL without a path, for example https://access.example.com")
    }
    url = text
  }

  var document: ServedDocument {
    typealias Methods = Tenancy_V1.AuthZenMethods
    var members: JSONObject = ["policy_decision_point": .string(url)]
    for (name, method) in [
      ("access_evaluation_endpoint", Methods.evaluate),
      ("access_evaluations_endpoint", Methods.evaluateAll),
      ("search_subject_endpoint", Methods.searchSubjects),
      ("search_resource_endpoint", Methods.searchResources),
      ("search_action_endpoint", Methods.searchActions),
    ] {
      members[name] = method.httpBindings.first.map { .string(url + $0.template) }
    }
    let text = JSONValue.object(members).text
    return ServedDocument(path: Self.path) { text }
  }
}
