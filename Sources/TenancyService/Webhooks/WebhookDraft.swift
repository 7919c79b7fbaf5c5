internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The settings of a webhook, as somebody asks for them.
struct WebhookDraft: Sendable {
  let url: String
  /// Sorted, each once.
  let types: [String]
  let role: String
  let name: String

  /// Checks them; INVALID_ARGUMENT for what no webhook may have.
  init(
    _ url: String,
    _ types: [String],
    _ role: String,
    name: String,
    _ addresses: WebhookAddresses,
    _ policy: Policy
  ) throws(RPCError) {
    guard addresses.rule(of: url) != nil else { throw WebhookError.url }
    try Self.check(types, role, policy)
    self.url = url
    self.types = Set(types).sorted()
    self.role = role
    self.name = name
  }

  /// Throws INVALID_ARGUMENT for types of events and roles that there are not.
  static func check(_ types: [String], _ role: String, _ policy: Policy) throws(RPCError) {
    for (index, type) in types.enumerated() where !EventTypes.knows(type) {
      throw WebhookError.type(index)
    }
    guard role.isEmpty || policy.role(named: role) != nil else { throw RoleError.unknown("role") }
  }
}

/// The types of events that there are (docs/reference/events.md).
enum EventTypes {
  private static let patterns = Set(
    EventSchemas.all.flatMap { [$0.type, "\($0.type.prefix { $0 != "." }).*"] }
  )

  /// Whether a subscription may name it: a type, or all of a group (`role.*`).
  static func knows(_ pattern: String) -> Bool { patterns.contains(pattern) }
}
