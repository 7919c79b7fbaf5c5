import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// AuthZEN's Authorization API 1.0 by HTTP, as a policy enforcement point sees it.
@Suite("AuthZEN")
struct AuthZenTests {
  private static func question(
    _ user: String,
    _ action: String,
    _ type: String,
    _ id: String
  ) -> String {
    """
    {"subject": {"type": "user", "id": "\(user)"}, "action": {"name": "\(action)"}, \
    "resource": {"type": "\(type)", "id": "\(id)"}}
    """
  }

  private func evaluate(
    _ product: Product,
    _ body: String,
    _ path: String = "/access/v1/evaluation",
    by options: CallOptions? = nil
  ) async throws -> HTTPClient.Answer {
    try await product.send(
      to: "tenancy",
      path,
      body,
      by: options ?? product.options(of: "billing", to: "tenancy")
    )
  }

  @Test("A permission is true and nothing else, and a denial is an answer with its reason")
  func evaluation_isAnswered() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let other = try await House(product, name: "other")
      let unlock = Self.question(house.tenant.id, "device.unlock", "device", house.door)
      let allowed = try await evaluate(product, unlock)
      #expect(allowed.status == 200)
      #expect(allowed.text == #"{"decision":true}"#)
      #expect(allowed.fields["content-type"] == "application/json")
      let cases = [
        ("ROLE_LACKS_ACTION", house.tenant.id, "unit.update", "unit", house.unit),
        ("ACTION_UNKNOWN", house.tenant.id, "unit.burn", "unit", house.unit),
        ("ENTITY_UNKNOWN", house.tenant.id, "device.unlock", "device", "dev_none"),
        ("ENTITY_UNKNOWN", house.tenant.id, "device.unlock", "unit", house.door),
        ("ENTITY_UNKNOWN", house.tenant.id, "device.unlock", "house", house.door),
      ]
      for (reason, user, action, type, id) in cases {
        let denied = try await evaluate(product, Self.question(user, action, type, id))
        #expect(denied.status == 200)
        #expect(denied.text == #"{"decision":false,"context":{"reason":"\#(reason)"}}"#)
      }
      // Nobody, and somebody who is no user.
      for subject in [#""user", "id": "usr_none""#, #""robot", "id": "\#(house.owner.id)""#] {
        let body = unlock.replacing(#""user", "id": "\#(house.tenant.id)""#, with: subject)
        #expect(try await evaluate(product, body)["decision"] == false, "\(subject)")
      }
      // What a user may not know of is like what there is not.
      let tenant = try await product.call(house.tenant)
      let foreign = try await evaluate(
        product,
        Self.question(house.tenant.id, "device.unlock", "device", other.door),
        by: tenant
      )
      let missing = try await evaluate(
        product,
        Self.question(house.tenant.id, "device.unlock", "device", "dev_none"),
        by: tenant
      )
      #expect(foreign.text == missing.text)
    }
  }

  @Test("What callers claim of users, resources and surroundings decides nothing")
  func claims_areIgnored() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let body = """
        {"subject": {"type": "user", "id": "\(house.guest.id)", "properties": {"role": "owner"}, "x": 1},
        "action": {"name": "unit.update", "properties": {"soft": true}}, "more": [],
        "resource": {"type": "unit", "id": "\(house.unit)", "properties": {"owner": "\(house.guest.id)"}},
        "context": {"time": "1985-10-26T01:22-07:00"}}
        """
      let answer = try await evaluate(product, body)
      #expect(answer.status == 200)
      #expect(answer["decision"] == false)
    }
  }

  @Test("AuthZEN and Check say the same of everybody")
  func evaluation_agreesWithCheck() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let service = product.options(of: "billing", to: "tenancy")
      let places = [
        ("portfolio", house.portfolio), ("property", house.property), ("unit", house.unit),
        ("device", house.door), ("device", house.cellar),
      ]
      var allowedCount = 0
      for person in [house.owner, house.admin, house.manager, house.tenant, house.guest] {
        for (type, id) in places {
          for action in ["\(type).view", "\(type).update", "device.unlock"] {
            let answer = try await evaluate(product, Self.question(person.id, action, type, id))
            let decision = try await product.permissions.check(
              .init(subjectId: person.id, action: action, entityId: id),
              options: service
            )
            #expect(answer["decision"] == .boolean(decision.allowed), "\(action) \(answer.text)")
            if decision.allowed { allowedCount += 1 }
          }
        }
      }
      #expect(allowedCount >= 10)
    }
  }

  @Test("Users ask about themselves, services about everybody, and nobody else at all")
  func callers_askWhatTheyMay() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let owner = try await product.call(house.owner)
      let own = Self.question(house.owner.id, "unit.view", "unit", house.unit)
      let others = Self.question(house.tenant.id, "unit.view", "unit", house.unit)
      #expect(try await evaluate(product, own, by: owner)["decision"] == true)
      let refused = try await evaluate(product, others, by: owner)
      #expect(refused.status == 403)
      #expect(refused.fields["content-type"] == "text/plain; charset=utf-8")
      #expect(!refused.text.isEmpty)
      let batch = "{\"evaluations\": [\(own), \(others)]}"
      let both = try await evaluate(product, batch, "/access/v1/evaluations", by: owner)
      #expect(both.status == 403)
      for path in ["search/resource", "search/action"] {
        #expect(try await evaluate(product, others, "/access/v1/\(path)", by: owner).status == 403)
      }
      // A service that acts for a user asks as the user.
      var acting = product.options(of: "billing", to: "tenancy")
      acting.metadata["authorization"] = owner.metadata["authorization"]
      #expect(try await evaluate(product, others, by: acting).status == 403)
      for path in [
        "evaluation", "evaluations", "search/subject", "search/resource", "search/action",
      ] {
        let nobody = try await evaluate(product, own, "/access/v1/\(path)", by: CallOptions())
        #expect(nobody.status == 401, "\(path)")
        #expect(nobody.fields["www-authenticate"] == "Bearer", "\(path)")
        #expect(nobody["decision"] == nil && nobody["results"] == nil, "\(path)")
      }
    }
  }

  @Test("What is no question is refused as a whole")
  func requests_malformed_areRefused() async throws {
    try await Product.run { product in
      let whole = Self.question("usr_1", "unit.view", "unit", "unt_1")
      var bodies = [
        "", "{}", "[]", "{", "null", whole + "x",
        whole.replacing(#""usr_1""#, with: "1"), whole.replacing(#""usr_1""#, with: #""""#),
        whole.replacing(#""name""#, with: #""nom""#),
        whole.replacing(#""type": "unit", "#, with: ""),
        whole.replacing(#""id": "unt_1""#, with: #""id": "unt_1", "id": "unt_2""#),
        whole.replacing(#"{"subject""#, with: #"{"context": 5, "subject""#),
        whole.replacing("usr_1", with: String(repeating: "u", count: 300)),
        whole.replacing("usr_1", with: #"\ud800"#),
      ]
      bodies.append(whole.replacing(#"{"name""#, with: #"{"properties": [], "name""#))
      for body in bodies {
        let answer = try await evaluate(product, body)
        #expect(answer.status == 400, "\(body.prefix(100))")
        #expect(answer.fields["content-type"] == "text/plain; charset=utf-8")
        #expect(!answer.text.isEmpty, "\(body.prefix(100))")
      }
      let proof = product.options(of: "billing", to: "tenancy")
      let path = "/access/v1/evaluation"
      let form = try await product.send(to: "tenancy", path, whole, type: "text/plain", by: proof)
      #expect(form.status == 400)
      #expect(try await product.send("GET", to: "tenancy", path, "", by: proof).status == 405)
    }
  }

  @Test("Each answer has the identifier of its request")
  func requestID_isRepeated() async throws {
    try await Product.run { product in
      let proof = product.options(of: "billing", to: "tenancy")
      let fields = ["x-request-id": "bfe9eb29-ab87-4ca3-be83-a1d5d8305716"]
      for body in [Self.question("usr_1", "unit.view", "unit", "unt_1"), "{"] {
        let answer = try await product.send(
          to: "tenancy",
          "/access/v1/evaluation",
          body,
          fields: fields,
          by: proof
        )
        #expect(answer.fields["x-request-id"] == fields["x-request-id"])
      }
    }
  }

  @Test("The metadata says where everything is")
  func metadata_isServed() async throws {
    try await Product.run { product in
      let answer = try await product.http(to: "tenancy").send(
        "GET",
        "/.well-known/authzen-configuration"
      )
      #expect(answer.status == 200)
      #expect(answer.fields["content-type"] == "application/json")
      let base = "https://access.example.com"
      let expected: JSONValue = [
        "policy_decision_point": .string(base),
        "access_evaluation_endpoint": .string("\(base)/access/v1/evaluation"),
        "access_evaluations_endpoint": .string("\(base)/access/v1/evaluations"),
        "search_subject_endpoint": .string("\(base)/access/v1/search/subject"),
        "search_resource_endpoint": .string("\(base)/access/v1/search/resource"),
        "search_action_endpoint": .string("\(base)/access/v1/search/action"),
      ]
      #expect(answer.json == expected)
    }
  }
}
