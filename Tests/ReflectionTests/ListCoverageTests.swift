import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import RPCKit
import Reflection
import TenancyContracts
import Testing

/// What every list that can be called by HTTP takes: a page by its number, a size, an order.
@Suite("Lists called by HTTP with JSON")
struct ListCoverageTests {
  /// Lists without pages by number and without an order, each with its reason.
  private static let withoutPages = [
    "Permissions/ListAccessible":
      "a walk in slices, whose pages are as long as time allows (decision 0037)",
    "Permissions/ListSubjects": "the same",
    "Permissions/Fetch": "the same",
    "Operators/SearchAudit":
      "each call looks at a bounded part of the log, so no page has a number",
    "TenancyAudit/Search": "the same",
    "EntitlementAudit/Search": "the same",
    "Webhooks/ListAttempts": "a log, the newest first",
    "Users/ListAccess": "each call looks at a bounded part of the log",
    "TenancyAudit/ListAccess": "the same",
    "EntitlementAudit/ListAccess": "the same",
    "Policies/Compare": "each call looks at a bounded part of the roles",
  ]
  /// Lists that are whole, each with the bound of what they have.
  private static let whole = [
    "Identities/List": "one for each provider",
    "Identities/ListProviders": "32 providers",
    "Operators/ListUserSessions": "ten sessions",
    "Passkeys/List": "20 passkeys",
    "Permissions/ListActions": "the entities that the request names",
    "Points/ListRules": "one for each app of a holder",
    "RoleDefinitions/List": "the definitions of one entity",
    "Sessions/List": "ten sessions",
    "Subscriptions/ListScheduledChanges": "those of one subject",
    "Subscriptions/ListTiers": "the catalogue",
    "Webhooks/List": "16 of one tenant",
  ]

  @Test("Every list takes page, limit and sortBy, or has a reason")
  func lists_takePageSizeAndOrder() throws {
    let registry = SchemaRegistry.gatehouse
    var listCount = 0
    var (unpaged, unordered, unbounded) = (Set<String>(), Set<String>(), Set<String>())
    for service in registry.services {
      for method in service.methods
      where ["public", "user", "support", "admin"].contains(method.caller)
        && !method.isServerStreaming
      {
        let name = "\(service.fullName.split(separator: ".").last ?? "")/\(method.name)"
        let request = try registry.message(method.requestType).fields
        let response = try registry.message(method.responseType).fields
        guard response.contains(where: { $0.name == "next_page_token" }) else {
          if method.name.hasPrefix("List") { unbounded.insert(name) }
          continue
        }
        listCount += 1
        // `limit` is the name of `page_size` by HTTP, where there is a token of the next page.
        #expect(request.contains { $0.name == "page_size" }, "\(name)")
        if !request.contains(where: { $0.name == "page" }) { unpaged.insert(name) }
        let order = request.first { $0.name == "sort_by" }
        let names = order?.rules.pattern.split(separator: "|").map(String.init) ?? []
        let isWhole = names.allSatisfy { name in
          name.hasPrefix("-") || names.contains("-\(name)")
        }
        #expect(isWhole, "\(name) goes one way only")
        if names.isEmpty { unordered.insert(name) }
      }
    }
    #expect(listCount > 30)
    #expect(unpaged == Set(Self.withoutPages.keys))
    #expect(unordered == Set(Self.withoutPages.keys))
    #expect(unbounded == Set(Self.whole.keys))
  }
}
