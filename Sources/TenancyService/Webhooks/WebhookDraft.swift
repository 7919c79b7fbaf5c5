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
  /// By the part before the dot.
  static let all: [String: [String]] = [
    "account": ["deleted", "deletion_cancelled", "deletion_requested"],
    "credential": ["added", "changed", "removed"],
    "device": ["operated", "refused"],
    "entity": ["created", "deleted", "moved", "updated"],
    "invitation": ["accepted", "created", "declined", "revoked", "updated"],
    "limit": ["reached"],
    "pairing": ["created", "ended"],
    "plan": ["changed"],
    "points": ["cancelled", "changed", "declined", "requested"],
    "policy": ["changed"],
    "promotion": ["redeemed"],
    "purchase": [
      "applied", "refund_declined", "refund_requested", "transferred", "updated", "withdrawn",
    ],
    "role": ["changed", "ended", "granted", "started"],
    "role_definition": ["changed", "deleted"],
    "session": ["created", "ended"],
    "user": [
      "created", "disabled", "email_changed", "email_verified", "enabled", "resumed", "suspended",
      "updated",
    ],
    "webhook": ["failing", "paused", "ping", "resync"],
  ]

  /// Whether a subscription may name it: a type, or all of a group (`role.*`).
  static func knows(_ pattern: String) -> Bool {
    let parts = pattern.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let types = all[parts[0]] else { return false }
    return parts[1] == "*" || types.contains(parts[1])
  }
}
