import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Services by HTTP")
  struct HTTPServiceTests {
    @Test("A service whose HTTP is switched off speaks frames and nothing else")
    func off_meansFramesAlone() async throws {
      try await Installation.run(auth: ["http": false]) { home in
        let ada = try await home.signUp("ada")
        #expect(try await home.users.getMe(.init(), options: ada.call).id == ada.id)
        let keys = "GET /.well-known/jwks.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        for bytes in [Array(keys.utf8), preface] {
          // Both begin like frames that are far too long.
          let answer = await home.auth.http.exchange(bytes, endsOutput: true)
          let text = String(decoding: answer, as: UTF8.self)
          #expect(text.contains("bytes is larger than the server reads"), "\(text)")
          #expect(!answer.starts(with: "HTTP/".utf8))
        }
        // The other services speak it as before.
        let answer = try await home.tenancy.http.send("GET", "/openapi.json")
        #expect(answer.status == 200)
        let mine = try await home.tenancy.http.send("GET", "/api/v1/portfolios", Self.bearer(ada))
        #expect(mine.status == 200)
      }
    }

    @Test("All services give one document of what can be called, with the paths of all")
    func document_isOne() async throws {
      try await Installation.run { home in
        var documents: [HTTPClient.Answer] = []
        for service in home.all {
          let answer = try await service.http.send("GET", "/openapi.json")
          #expect(answer.status == 200, "\(service.name)")
          documents.append(answer)
        }
        #expect(Set(documents.map(\.content)).count == 1)
        #expect(Set(documents.map { $0.fields["etag"] ?? "" }).count == 1)
        let json = try JSONReader.read(
          documents[0].content,
          limits: JSONLimits(byteCountMax: 1 << 24, depthMax: 100)
        )
        let paths = try #require(json.object?["paths"]?.object)
        for path in ["/api/v1/users/me", "/api/v1/portfolios", "/api/v1/entitlements"] {
          #expect(paths[path] != nil, "\(path)")
        }
      }
    }

    @Test("Each way to call by HTTP is switched off by itself")
    func ways_areSwitchedOffOneByOne() async throws {
      let http: JSONValue = ["rest": false, "grpc_web": false]
      try await Installation.run(auth: ["http": http]) { home in
        let service = home.auth.http
        #expect(try await service.send("GET", "/.well-known/jwks.json").status == 404)
        #expect(try await service.send("GET", "/api/v1/users/me").status == 404)
        let path = "/grpc.health.v1.Health/Check"
        let web = try await service.send(
          "POST",
          path,
          [("content-type", "application/grpc-web")],
          []
        )
        #expect(web.status == 415)
        #expect(String(decoding: web.content, as: UTF8.self).contains("switched off"))
        let connect = try await service.send(
          "POST",
          path,
          [("content-type", "application/json")],
          Array("{}".utf8)
        )
        #expect(connect.status == 200)
      }
    }

    @Test("Who calls by HTTP is counted by the address it comes from, not by one that it names")
    func strangers_areCountedByTheirAddress() async throws {
      let limits: JSONValue = [
        "loopback": true, "failures": 2, "trusted_proxies": ["billing"],
      ]
      try await Installation.run(auth: ["source_limits": limits]) { home in
        let ada = try await home.signUp("ada")
        let proof = home.options(of: "billing", to: "auth").metadata.entries
          .map { (name: $0.key, value: $0.value) }
        // A gateway that proves to be one is believed, and none of this counts for its own address.
        for number in 1...3 {
          let client = (name: "client-address", value: "198.51.100.\(number)")
          for _ in 1...2 {
            #expect(try await guess(ada, proof + [client], home).status == 401)
          }
        }
        var answers: [HTTPClient.Answer] = []
        for number in 1...3 {
          let client = (name: "client-address", value: "203.0.113.\(number)")
          answers.append(try await guess(ada, [client], home))
        }
        #expect(answers.map(\.status) == [401, 401, 429])
        #expect(answers.last?.fields["retry-after"] != nil)
      }
    }

    @Test("Strangers may send 16 KiB, and Apple what its notifications take")
    func largeRequests_ofStrangers_areRefused() async throws {
      try await Installation.run { home in
        func status(_ service: HTTPClient, _ path: String, _ count: Int) async throws -> Int {
          let body: JSONValue = ["signedPayload": .string(String(repeating: "A", count: count))]
          let fields = [(name: "content-type", value: "application/json")]
          return try await service.send("POST", path, fields, body.bytes).status
        }
        let login = "/api/v1/auth/login"
        let small = try await status(home.auth.http, login, 15_000)
        #expect(small == 400)
        #expect(try await status(home.auth.http, login, 17_000) == 413)
        #expect(try await status(home.auth.http, login, 4_000_000) == 413)
        let notifications = "/api/v1/webhooks/apple/app-store"
        #expect(try await status(home.entitlement.http, notifications, 262_144) != 413)
        #expect(try await status(home.entitlement.http, notifications, 280_000) == 413)
      }
    }

    /// Tries a wrong password.
    private func guess(
      _ person: Person,
      _ fields: [(name: String, value: String)],
      _ home: Installation
    ) async throws -> HTTPClient.Answer {
      let body: JSONValue = ["email": .string(person.email), "password": "not theirs at all"]
      return try await home.auth.http.send(
        "POST",
        "/api/v1/auth/login",
        fields + [(name: "content-type", value: "application/json")],
        body.bytes
      )
    }

    private static func bearer(_ person: Person) -> [(name: String, value: String)] {
      [("authorization", "Bearer \(person.tokens.accessToken)")]
    }
  }
}
