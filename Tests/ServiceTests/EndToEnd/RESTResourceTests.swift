import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Resources as an application uses them by REST")
  struct RESTResourceTests {
    @Test("PATCH merges an address, and PUT replaces it")
    func patch_ofAnAddress_merges() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let path = try await Self.property(home, ada)
        func address(_ method: String, _ body: String) async throws -> JSONValue? {
          try await Self.send(home, ada, method, path, body)?["address"]
        }
        #expect(
          try await address("PATCH", #"{"address":{"city":"C"}}"#)
            == Self.address(street: "Pier 4", city: "C")
        )
        #expect(
          try await address("PATCH", #"{"address":{"street":null}}"#) == Self.address(city: "C")
        )
        #expect(try await address("PATCH", #"{"address":{}}"#) == Self.address(city: "C"))
        #expect(
          try await address("PUT", #"{"address":{"street":"Pier 5"}}"#)
            == Self.address(street: "Pier 5")
        )
        #expect(try await address("PATCH", #"{"address":null}"#) == nil)
      }
    }

    @Test("A list of entities has a true total or none, and goes either way")
    func list_ofEntities_isCountedOrNot() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        for _ in 0..<2 { _ = try await Self.property(home, ada) }
        func list(_ rest: String) async throws -> JSONObject? {
          let body = #"{"type":"property","pageSize":1\#(rest)}"#
          return try await Self.send(home, ada, "POST", "/api/v1/entities:list", body)
        }
        let filtered = try await list(#","filters":[{"name":"city","values":["A"]}]"#)
        #expect(filtered?["entities"]?.array?.count == 1)
        #expect(filtered?["pagination"]?.object?["nextPageToken"]?.string?.isEmpty == false)
        #expect(filtered?["pagination"]?.object?["totalItems"] == nil)
        #expect(filtered?["totalSize"] == nil)
        let oldest = try await list(#","sortBy":"createdAt""#)
        #expect(oldest?["pagination"]?.object?["totalItems"] == 2)
        #expect(oldest?["totalSize"] == "2")
        let newest = try await list(#","sortBy":"-createdAt""#)
        #expect(newest?["entities"] != oldest?["entities"])
        let nothing = try await Self.send(
          home,
          ada,
          "POST",
          "/api/v1/entities:list",
          #"{"type":"device"}"#
        )
        #expect(nothing?["pagination"]?.object?["totalItems"] == 0)
      }
    }

    /// The path of a new property at Pier 4 in A.
    private static func property(_ home: Installation, _ person: Person) async throws -> String {
      let portfolio = try await home.portfolios.create(.init(name: "Harbor"), options: person.call)
      let property = try await home.properties.create(
        .init(
          portfolioId: portfolio.id,
          name: "Pier 4",
          address: .init(street: "Pier 4", city: "A")
        ),
        options: person.call
      )
      return "/api/v1/properties/\(property.id)"
    }

    private static func address(street: String = "", city: String = "") -> JSONValue {
      [
        "street": .string(street), "city": .string(city), "state": "", "postalCode": "",
        "country": "",
      ]
    }

    /// The `data` of an answer of TenancyService.
    private static func send(
      _ home: Installation,
      _ person: Person,
      _ method: String,
      _ path: String,
      _ body: String
    ) async throws -> JSONObject? {
      let answer = try await home.tenancy.http.send(
        method,
        path,
        [
          ("authorization", "Bearer \(person.tokens.accessToken)"),
          ("content-type", "application/json"),
        ],
        Array(body.utf8)
      )
      #expect(answer.status == 200, "\(String(decoding: answer.content, as: UTF8.self))")
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 16))
      return json.object?["data"]?.object
    }
  }
}
