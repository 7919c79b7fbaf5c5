import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// Several questions at once.
@Suite("AuthZEN's evaluations")
struct AuthZenEvaluationsTests {
  private func evaluate(_ product: Product, _ body: String) async throws -> HTTPClient.Answer {
    try await product.send(
      to: "tenancy",
      "/access/v1/evaluations",
      body,
      by: product.options(of: "billing", to: "tenancy")
    )
  }

  private static func decisions(_ answer: HTTPClient.Answer) -> [Bool?] {
    answer["evaluations"]?.array?.map { $0.object?["decision"]?.boolean } ?? []
  }

  /// May a tenant: see the unit, change it, unlock the door.
  private static func body(_ house: House, _ options: String = "") -> String {
    """
    {"subject": {"type": "user", "id": "\(house.tenant.id)"}, "action": {"name": "unit.view"},
    "resource": {"type": "unit", "id": "\(house.unit)"}, "evaluations": [{}, {"action": {"name": "unit.update"}},
    {"action": {"name": "device.unlock"}, "resource": {"type": "device", "id": "\(house.door)"}}]\(options)}
    """
  }

  @Test(
    "Each question is answered, in their order, with what is said for all where it says nothing"
  )
  func evaluations_areAnswered() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      for options in ["", #", "options": {}"#, Self.semantic("execute_all")] {
        let answer = try await evaluate(product, Self.body(house, options))
        #expect(answer.status == 200)
        #expect(Self.decisions(answer) == [true, false, true], "\(options)")
        #expect(answer["decision"] == nil)
      }
    }
  }

  private static func semantic(_ name: String) -> String {
    #", "options": {"evaluations_semantic": "\#(name)", "another": 1}"#
  }

  @Test("Answers can end with the first denial, or with the first permission")
  func evaluations_endEarly() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let denied = try await evaluate(
        product,
        Self.body(house, Self.semantic("deny_on_first_deny"))
      )
      #expect(Self.decisions(denied) == [true, false])
      let permitted = try await evaluate(
        product,
        Self.body(house, Self.semantic("permit_on_first_permit"))
      )
      #expect(Self.decisions(permitted) == [true])
      let wrong = try await evaluate(product, Self.body(house, Self.semantic("all")))
      #expect(wrong.status == 400)
    }
  }

  @Test("What a question says replaces what is said for all as a whole")
  func evaluations_areNotMixed() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let body = """
        {"subject": {"type": "user", "id": "\(house.tenant.id)"}, "action": {"name": "unit.view"},
        "resource": {"type": "unit", "id": "\(house.unit)"},
        "evaluations": [{"resource": {"type": "unit"}}, {"resource": {"id": "\(house.unit)"}}, {}]}
        """
      let answer = try await evaluate(product, body)
      #expect(answer.status == 200)
      #expect(Self.decisions(answer) == [false, false, true])
      let first = answer["evaluations"]?.array?.first?.object?["context"]?.object?["error"]?.object
      #expect(first?["status"] == 400)
      #expect(first?["message"] == "resource.id: must be set")
    }
  }

  @Test("A question that lacks something is denied, and the others are answered")
  func evaluations_incomplete_areDenied() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let body = """
        {"subject": {"type": "user", "id": "\(house.tenant.id)"}, "evaluations": [
        {"action": {"name": "unit.view"}, "resource": {"type": "unit", "id": "\(house.unit)"}},
        {"action": {"name": "unit.view"}}, {"resource": {"type": "unit", "id": "\(house.unit)"}},
        {"action": {"name": "unit.burn"}, "resource": {"type": "unit", "id": "\(house.unit)"}}]}
        """
      let answer = try await evaluate(product, body)
      #expect(Self.decisions(answer) == [true, false, false, false])
      let reason = answer["evaluations"]?.array?.last?.object?["context"]?.object?["reason"]
      #expect(reason == "ACTION_UNKNOWN")
    }
  }

  @Test("Without questions, what is said for all is the one question")
  func evaluations_none_areOne() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let question = """
        "subject": {"type": "user", "id": "\(house.tenant.id)"}, "action": {"name": "unit.view"}
        """
      let resource = #""resource": {"type": "unit", "id": "\#(house.unit)"}"#
      for list in ["", #", "evaluations": []"#, #", "evaluations": null"#] {
        let answer = try await evaluate(product, "{\(question), \(resource)\(list)}")
        #expect(answer.text == #"{"decision":true}"#, "\(list)")
        #expect(try await evaluate(product, "{\(question)\(list)}").status == 400)
      }
    }
  }

  @Test("More than a thousand questions are refused, and so is a list that is none")
  func evaluations_many_areRefused() async throws {
    try await Product.run { product in
      let many = repeatElement("{}", count: 1001).joined(separator: ",")
      for evaluations in ["[\(many)]", "{}", "[1]"] {
        let answer = try await evaluate(product, "{\"evaluations\": \(evaluations)}")
        #expect(answer.status == 400)
      }
    }
  }
}
