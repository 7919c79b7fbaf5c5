import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// Who may do it, to what, and what may be done.
@Suite("AuthZEN's searches")
struct AuthZenSearchTests {
  private func search(
    _ product: Product,
    _ what: String,
    _ body: String,
    by options: CallOptions? = nil
  ) async throws -> HTTPClient.Answer {
    try await product.send(
      to: "tenancy",
      "/access/v1/search/\(what)",
      body,
      by: options ?? product.options(of: "billing", to: "tenancy")
    )
  }

  private static func results(_ answer: HTTPClient.Answer, _ member: String) -> [String] {
    answer["results"]?.array?.compactMap { $0.object?[member]?.string } ?? []
  }

  private static let empty =
    #"{"page":{"next_token":"","count":0},"results":[]}"#

  @Test("Every user who may is found, page after page, and an evaluation says the same")
  func subjects_areFound() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      func body(_ page: String = "", action: String = "unit.view") -> String {
        """
        {"subject": {"type": "user", "id": "ignored"}, "action": {"name": "\(action)"},
        "resource": {"type": "unit", "id": "\(house.unit)"}\(page)}
        """
      }
      let all = try await search(product, "subject", body())
      #expect(all.status == 200)
      let found = Self.results(all, "id")
      #expect(
        Set(found).isSuperset(of: [
          house.owner.id, house.admin.id, house.manager.id, house.tenant.id,
        ])
      )
      #expect(!found.contains(house.guest.id))
      #expect(Set(Self.results(all, "type")) == ["user"])
      #expect(all["page"]?.object?["next_token"] == "")
      for user in found {
        let question = body().replacing("ignored", with: user)
        let decision = try await product.send(
          to: "tenancy",
          "/access/v1/evaluation",
          question,
          by: product.options(of: "billing", to: "tenancy")
        )
        #expect(decision["decision"] == true, "\(user)")
      }
      var (paged, token): ([String], String) = ([], "")
      repeat {
        let page = try await search(
          product,
          "subject",
          body(#", "page": {"limit": 1, "token": "\#(token)"}"#)
        )
        #expect(page.status == 200)
        paged += Self.results(page, "id")
        token = page["page"]?.object?["next_token"]?.string ?? ""
        guard !token.isEmpty else { break }
        let other = body(#", "page": {"limit": 1, "token": "\#(token)"}"#, action: "unit.update")
        #expect(try await search(product, "subject", other).status == 400)
      } while paged.count < 100
      #expect(paged == found)
    }
  }

  @Test("A token alone goes on with parts of the same size, as certification c-4-5-2 asks")
  func token_alone_goesOn() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let subject = #"{"type": "user", "id": "\#(house.manager.id)"}"#
      let bodies = [
        "subject": #"""
        {"subject": {"type": "user", "id": "x"}, "action": {"name": "unit.view"},
        "resource": {"type": "unit", "id": "\#(house.unit)"}
        """#,
        "resource": #"""
        {"subject": \#(subject), "action": {"name": "device.view"},
        "resource": {"type": "device", "id": "x"}
        """#,
      ]
      for (what, body) in bodies {
        let first = try await search(product, what, body + #", "page": {"limit": 1}}"#)
        let token = first["page"]?.object?["next_token"]?.string ?? ""
        #expect(!token.isEmpty)
        let second = try await search(product, what, body + #", "page": {"token": "\#(token)"}}"#)
        #expect(second.status == 200)
        #expect(Self.results(second, "id").count == 1)
        #expect(Self.results(second, "id") != Self.results(first, "id"))
      }
    }
  }

  @Test("Every resource of a type is found, page after page")
  func resources_areFound() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      _ = try await House(product, name: "other")
      func body(_ page: String = "", type: String = "device") -> String {
        """
        {"subject": {"type": "user", "id": "\(house.manager.id)"}, "action": {"name": "device.view"},
        "resource": {"type": "\(type)", "id": "ignored"}\(page)}
        """
      }
      let manager = try await product.call(house.manager)
      let expected = [house.door, house.gate, house.cellar].sorted()
      for options in [nil, manager] {
        let all = try await search(product, "resource", body(), by: options)
        #expect(Self.results(all, "id") == expected)
        #expect(Set(Self.results(all, "type")) == ["device"])
      }
      var (paged, token): ([String], String) = ([], "")
      repeat {
        let page = try await search(
          product,
          "resource",
          body(#", "page": {"limit": 2, "token": "\#(token)"}"#)
        )
        paged += Self.results(page, "id")
        token = page["page"]?.object?["next_token"]?.string ?? ""
      } while !token.isEmpty && paged.count < 100
      #expect(paged == expected)
    }
  }

  @Test("The actions that are found are those that are allowed")
  func actions_areFound() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      func body(_ page: String = "") -> String {
        """
        {"subject": {"type": "user", "id": "\(house.tenant.id)"},
        "resource": {"type": "unit", "id": "\(house.unit)"}\(page)}
        """
      }
      let answer = try await search(product, "action", body())
      let expected = try await product.permissions.listActions(
        .init(subjectId: house.tenant.id, entityIds: [house.unit]),
        options: product.options(of: "billing", to: "tenancy")
      )
      #expect(Self.results(answer, "name") == expected.entities[0].actions)
      #expect(Self.results(answer, "name").contains("unit.view"))
      #expect(answer["page"]?.object?["next_token"] == "")
      let strange = try await search(product, "action", body(#", "page": {"token": "x"}"#))
      #expect(strange.status == 400)
    }
  }

  @Test("Of what there is not, nothing is found")
  func unknown_isEmpty() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      let (user, unit) = (house.tenant.id, house.unit)
      func body(_ subject: String, _ action: String, _ resource: String) -> String {
        #"{"subject": \#(subject), "action": {"name": "\#(action)"}, "resource": \#(resource)}"#
      }
      let somebody = #"{"type": "user", "id": "\#(user)"}"#
      let robot = #"{"type": "robot", "id": "\#(user)"}"#
      let place = #"{"type": "unit", "id": "\#(unit)"}"#
      let nowhere = #"{"type": "unit", "id": "unt_none"}"#
      let mistyped = #"{"type": "device", "id": "\#(unit)"}"#
      let house2 = #"{"type": "house", "id": "\#(unit)"}"#
      for (what, text) in [
        ("subject", body(robot, "unit.view", place)),
        ("subject", body(somebody, "unit.burn", place)),
        ("subject", body(somebody, "unit.view", nowhere)),
        ("subject", body(somebody, "unit.view", mistyped)),
        ("resource", body(robot, "unit.view", place)),
        ("resource", body(somebody, "unit.burn", place)),
        ("resource", body(somebody, "unit.view", house2)),
        ("action", body(robot, "", place)),
        ("action", body(somebody, "", nowhere)),
        ("action", body(somebody, "", mistyped)),
      ] {
        let answer = try await search(product, what, text)
        #expect(answer.status == 200, "\(what) \(text)")
        #expect(answer.text == Self.empty, "\(what) \(text)")
      }
      // Users who may not know who is there learn nothing either.
      let guest = try await product.call(house.guest)
      let hidden = try await search(
        product,
        "subject",
        body(somebody, "unit.view", place),
        by: guest
      )
      let none = try await search(
        product,
        "subject",
        body(somebody, "unit.view", nowhere),
        by: guest
      )
      #expect(hidden.text == none.text && hidden.status == none.status)
      let tenant = try await product.call(house.tenant)
      let known = try await search(
        product,
        "subject",
        body(somebody, "unit.view", place),
        by: tenant
      )
      #expect(known.status == 403 || known.text == Self.empty)
      #expect(Self.results(known, "id") == [])
    }
  }

  @Test("What is no search is refused")
  func searches_malformed_areRefused() async throws {
    try await Product.run { product in
      let subject = #""subject": {"type": "user", "id": "u"}"#
      let rest = #""action": {"name": "unit.view"}, "resource": {"type": "unit", "id": "x"}"#
      for (what, body) in [
        ("subject", "{}"), ("subject", "{\(rest)}"),
        ("subject", #"{"subject": {"type": ""}, \#(rest)}"#),
        ("subject", "{\(subject), \"action\": {\"name\": \"unit.view\"}}"),
        ("resource", "{\(rest)}"), ("resource", #"{"subject": {"type": "user"}, \#(rest)}"#),
        ("resource", #"{\#(subject), "action": {}, "resource": {"type": "unit"}}"#),
        ("resource", #"{\#(subject), "action": {"name": "unit.view"}, "resource": {}}"#),
        ("action", "{\(subject)}"), ("action", #"{\#(subject), "resource": {"type": "unit"}}"#),
        ("subject", "{\(subject), \(rest), \"page\": {\"limit\": -1}}"),
        ("subject", "{\(subject), \(rest), \"page\": 1}"),
      ] {
        let answer = try await search(product, what, body)
        #expect(answer.status == 400, "\(what) \(body)")
      }
    }
  }
}
