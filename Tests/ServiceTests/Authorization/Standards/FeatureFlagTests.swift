import EntitlementContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// The OpenFeature Remote Evaluation Protocol by HTTP, as a provider of OpenFeature sees it.
@Suite("OFREP")
struct FeatureFlagTests {
  private static let path = "/ofrep/v1/evaluate/flags"

  private func ask(
    _ product: Product,
    _ flag: String?,
    _ body: String,
    fields: [String: String] = [:],
    by options: CallOptions? = nil
  ) async throws -> HTTPClient.Answer {
    try await product.send(
      to: "entitlement",
      flag.map { "\(Self.path)/\($0)" } ?? Self.path,
      body,
      fields: fields,
      by: options ?? product.options(of: "billing", to: "entitlement")
    )
  }

  private static func portfolio(_ house: House) -> String {
    """
    {"context": {"targetingKey": "\(house.portfolio)", "subjectKind": "portfolio", "country": "de", \
    "nested": {"a": [1]}}, "more": 1}
    """
  }

  private static func user(_ id: String) -> String {
    "{\"context\": {\"targetingKey\": \"\(id)\"}}"
  }

  private func entitlements(
    _ product: Product,
    _ house: House
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    try await Entitlement_V1.EntitlementsClient(product.channel(to: "entitlement")).get(
      .init(subject: .init(kind: .portfolio, id: house.portfolio)),
      options: product.options(of: "billing", to: "entitlement")
    )
  }

  @Test("Every flag has the value that its feature has, alone and among all")
  func flags_areEntitlements() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let known = try await entitlements(product, house)
      let all = try await ask(product, nil, Self.portfolio(house))
      #expect(all.status == 200)
      #expect(all.fields["content-type"] == "application/json")
      let flags = all["flags"]?.array ?? []
      #expect(flags.map { $0.object?["key"]?.string } == known.entitlements.map(\.key))
      #expect(all["metadata"]?.object?["version"] == .number(JSONNumber(Int64(known.version))))
      var kinds: Set<String> = []
      for (flag, entitlement) in zip(flags, known.entitlements) {
        let one = try await ask(product, entitlement.key, Self.portfolio(house))
        #expect(one.status == 200)
        #expect(one.json == flag)
        let value: JSONValue
        switch entitlement.limit?.value {
        case nil:
          value = .boolean(entitlement.available)
          kinds.insert("flag \(entitlement.available)")
          #expect(one["variant"] == (entitlement.available ? "on" : "off"))
        case .maximum(let maximum):
          value = .number(JSONNumber(maximum))
          kinds.insert("limit")
          #expect(one["variant"] == "limited")
        case .unlimited:
          value = .number(JSONNumber(9_007_199_254_740_991))
          kinds.insert("unlimited")
          #expect(one["variant"] == "unlimited")
        }
        #expect(one["value"] == value, "\(entitlement.key)")
        let isDefault = entitlement.source == .default
        #expect(one["reason"] == (isDefault ? "STATIC" : "TARGETING_MATCH"), "\(one.text)")
        #expect(one["metadata"]?.object?["entitlementReason"]?.string?.hasPrefix("REASON") == false)
      }
      #expect(kinds.isSuperset(of: ["flag true", "flag false", "limit"]), "\(kinds)")
    }
  }

  @Test("Users ask for themselves and for what they may see, and services for everybody")
  func callers_askWhatTheyMay() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let owner = try await product.call(house.owner)
      let own = try await ask(product, nil, Self.user(house.owner.id), by: owner)
      #expect(own.status == 200)
      for body in ["{}", "", #"{"context": {}}"#, #"{"context": {"targetingKey": null}}"#] {
        let implied = try await ask(product, nil, body, by: owner)
        #expect(implied.text == own.text, "\(body)")
      }
      #expect(try await ask(product, nil, Self.portfolio(house), by: owner).status == 200)
      #expect(try await ask(product, nil, Self.user(house.tenant.id)).status == 200)
      // What one may not know of is like what there is not.
      let guest = try await product.call(house.guest)
      let missing = Self.portfolio(house).replacing(house.portfolio, with: "prt_none")
      for body in [Self.user(house.owner.id), Self.portfolio(house), missing] {
        let hidden = try await ask(product, nil, body, by: guest)
        #expect(hidden.status == 400, "\(body)")
        #expect(
          hidden.text == #"{"errorCode":"INVALID_CONTEXT","errorDetails":"object not found"}"#
        )
      }
      let nobody = try await ask(product, nil, Self.portfolio(house), by: CallOptions())
      #expect(nobody.status == 401)
      #expect(nobody.fields["www-authenticate"] == "Bearer")
      #expect(nobody["flags"] == nil)
      // A service that acts for a user asks as the user.
      var acting = product.options(of: "billing", to: "entitlement")
      acting.metadata["authorization"] = guest.metadata["authorization"]
      #expect(try await ask(product, nil, Self.portfolio(house), by: acting).status == 400)
    }
  }

  @Test("Requests that make no sense are refused with the codes of OpenFeature")
  func requests_malformed_areRefused() async throws {
    try await Product.run { product in
      let ada = try await product.signUp("ada")
      let context = Self.user(ada.id)
      for (flag, body, status, code) in [
        ("none", context, 404, "FLAG_NOT_FOUND"), ("analytics", "{", 400, "PARSE_ERROR"),
        ("analytics", "[]", 400, "PARSE_ERROR"), ("analytics", "{}", 400, "TARGETING_KEY_MISSING"),
        ("analytics", #"{"context": {"targetingKey": ""}}"#, 400, "TARGETING_KEY_MISSING"),
        ("analytics", #"{"context": []}"#, 400, "INVALID_CONTEXT"),
        ("analytics", #"{"context": {"targetingKey": 1}}"#, 400, "INVALID_CONTEXT"),
        (
          "analytics", context.replacing("}}", with: #", "subjectKind": "robot"}}"#), 400,
          "INVALID_CONTEXT"
        ),
      ] {
        let answer = try await ask(product, flag, body)
        #expect(answer.status == status, "\(flag) \(body)")
        #expect(answer["errorCode"] == .string(code), "\(flag) \(body): \(answer.text)")
        #expect(answer["key"] == .string(flag), "\(flag) \(body)")
        #expect(answer["errorDetails"]?.string?.isEmpty == false)
        guard status != 404 else { continue }
        let all = try await ask(product, nil, body)
        #expect(all.status == status, "\(body)")
        #expect(all["errorCode"] == .string(code) && all["key"] == nil, "\(all.text)")
      }
      let proof = product.options(of: "billing", to: "entitlement")
      #expect(
        try await product.send("GET", to: "entitlement", Self.path, "", by: proof).status == 405
      )
      let typed = try await product.send(
        to: "entitlement",
        Self.path,
        context,
        type: "text/plain",
        by: proof
      )
      #expect(typed.status == 415)
    }
  }

  @Test("An answer that is known is not sent again until something in it changes")
  func answers_haveTags() async throws {
    try await Product.run { product in
      let (house, other) = (
        try await House(product, name: "home"), try await House(product, name: "other")
      )
      let first = try await ask(product, nil, Self.portfolio(house))
      let tag = try #require(first.fields["etag"])
      #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count > 16)
      for known in [tag, "W/\(tag)", "\"x\", \(tag)"] {
        let fields = ["if-none-match": known]
        let second = try await ask(product, nil, Self.portfolio(house), fields: fields)
        #expect(second.status == 304, "\(known)")
        #expect(second.content.isEmpty)
        #expect(second.fields["etag"] == tag)
      }
      // The same tier, and nevertheless somebody else's answer.
      let fields = ["if-none-match": tag]
      let others = try await ask(product, nil, Self.portfolio(other), fields: fields)
      #expect(others.status == 200)
      #expect(others.fields["etag"] != tag)
      // A tag opens nothing to those who may not ask.
      let guest = try await product.call(house.guest)
      let hidden = try await ask(product, nil, Self.portfolio(house), fields: fields, by: guest)
      #expect(hidden.status == 400)
      _ = try await product.subscriptions.put(
        .init(
          subscription: .init(
            subject: .init(kind: .portfolio, id: house.portfolio),
            tier: "standard"
          )
        ),
        options: product.options(of: "billing", to: "entitlement")
      )
      let changed = try await ask(product, nil, Self.portfolio(house), fields: fields)
      #expect(changed.status == 200)
      #expect(changed.fields["etag"] != tag)
      #expect(changed.text != first.text)
    }
  }
}
