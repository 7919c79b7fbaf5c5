import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("JSON by REST is JSON")
  struct EmbeddedJSONTests {
    @Test("A document is put, patched, read, listed and deleted as the object it is")
    func document_byREST_isObject() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let path = "/api/v1/documents/moods/m1"
        func send(
          _ method: String,
          _ target: String,
          _ body: String? = nil
        ) async throws -> (status: Int, data: JSONObject) {
          let answer = try await Self.send(home.tenancy.http, ada, method, target, body)
          return (answer.status, try Self.json(answer)?["data"]?.object ?? [:])
        }
        let put = try await send("PUT", path, #"{"level": 3, "tags": ["calm"]}"#)
        #expect(put.status == 200 && put.data["existed"] == false)
        let patch = try await send("PATCH", path, #"{"tags": null, "note": {"n": 1.50}}"#)
        #expect(patch.data["existed"] == true)
        let got = try await send("GET", path).data
        #expect(got["json"]?.text == #"{"level":3,"note":{"n":1.50}}"#)
        // As before, a string is taken as the text of the document.
        _ = try await send("PUT", "/api/v1/documents/moods/m2", #""{\"level\": 1}""#)
        let list = try await send("GET", "/api/v1/documents/moods?limit=1&page=2&sortBy=json.level")
        #expect(list.data["documents"]?.array?.map { $0.object?["id"] } == ["m1"])
        #expect(list.data["pagination"]?.object?["totalItems"] == 2)
        #expect(list.data["pagination"]?.object?["totalPages"] == 2)
        #expect(list.data["pagination"]?.object?["currentPage"] == 2)
        let filtered = try await send(
          "GET",
          "/api/v1/documents/moods?filter.field=level&filter.atLeast=2"
        )
        #expect(filtered.data["documents"]?.array?.map { $0.object?["id"] } == ["m1"])
        let stale = put.data["revision"]?.string ?? ""
        for (method, body) in [("PUT", "{}"), ("PATCH", "{}"), ("DELETE", nil)] {
          let target = "\(path)?expectedRevision=\(stale)"
          #expect(try await send(method, target, body).status == 409, "\(method)")
        }
        #expect(try await send("DELETE", path).status == 200)
        #expect(try await send("GET", path).status == 404)
        #expect(try await send("PUT", path, "[1]").status == 400)
      }
    }

    @Test("Settings are an object, and by Connect the string they were")
    func settings_areObject() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let changed = try await Self.send(
          home.auth.http,
          ada,
          "PATCH",
          "/api/v1/users/me/settings",
          #"{"settings": {"theme": "dark"}}"#
        )
        let settings: JSONValue = ["theme": "dark"]
        #expect(try Self.json(changed)?["data"]?.object?["settings"] == settings)
        let me = try await Self.send(home.auth.http, ada, "GET", "/api/v1/users/me")
        #expect(try Self.json(me)?["data"]?.object?["settings"] == settings)
        let connect = try await Self.send(
          home.auth.http,
          ada,
          "POST",
          "/auth.v1.Users/GetMe",
          "{}"
        )
        #expect(try Self.json(connect)?["settings"] == #"{"theme":"dark"}"#)
        let keys = try await Self.send(home.auth.http, ada, "GET", "/api/v1/auth/keys")
        #expect(try Self.json(keys)?["data"]?.object?["jwks"]?.object?["keys"]?.array?.count == 1)
      }
    }

    @Test("An export is one JSON document, and nothing around it")
    func export_isDocument() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        _ = try await Self.send(home.tenancy.http, ada, "PUT", "/api/v1/documents/moods/m1", "{}")
        let answer = try await Self.send(home.auth.http, ada, "GET", "/api/v1/users/me/export")
        #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
        let export = try Self.json(answer)
        #expect(export?["user_id"]?.string == ada.id)
        #expect(export?["tenancy"]?.object != nil)
      }
    }

    private static func send(
      _ service: HTTPClient,
      _ person: Person,
      _ method: String,
      _ target: String,
      _ body: String? = nil
    ) async throws -> HTTPClient.Answer {
      try await service.send(
        method,
        target,
        [
          ("authorization", "Bearer \(person.tokens.accessToken)"),
          ("content-type", "application/json"),
        ],
        body.map { Array($0.utf8) }
      )
    }

    private static func json(_ answer: HTTPClient.Answer) throws -> JSONObject? {
      try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20)).object
    }
  }
}
