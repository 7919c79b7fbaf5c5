import StrictJSON
import Testing

@testable import TenancyService

@Suite("Settings of webhooks")
struct WebhookSettingsTests {
  private func read(_ members: JSONObject) throws -> WebhookSettings? {
    try WebhookSettings.read(JSONField(.object(members)))
  }

  @Test("Without more said a webhook gets 50 deliveries in a second, and events name no schema")
  func empty_hasDefaults() throws {
    let settings = try #require(try read([:]))
    #expect(settings.countMaxInSecond == 50)
    #expect(settings.schemas == nil && settings.allowedNetworks.isEmpty)
    #expect(try WebhookSettings.read(nil) == nil)
  }

  @Test(
    "The public address leads to the schemas, with a path and a slash at its end or without",
    arguments: [
      ("https://api.example.com", "https://api.example.com"),
      ("https://api.example.com/", "https://api.example.com"),
      ("http://localhost:8080/tenancy/", "http://localhost:8080/tenancy"),
    ]
  )
  func publicURL_leadsToSchemas(text: String, base: String) throws {
    let settings = try read(["public_url": .string(text), "per_second": 10_000])
    #expect(settings?.schemas?.url(of: "role.ended") == "\(base)/schemas/events/role.ended.v1.json")
    #expect(settings?.countMaxInSecond == 10_000)
  }

  @Test(
    "What is no address, and a number of deliveries that is none, are refused",
    arguments: [
      ["public_url": "api.example.com"], ["public_url": "https://"], ["public_url": ""],
      ["public_url": "https://api.example.com/?a=b"], ["public_url": "https://a.example/#b"],
      ["public_url": "https://ada@a.example"], ["per_second": 0], ["per_second": 10_001],
      ["per_second": "fifty"], ["per_minute": 50],
    ] as [JSONObject]
  )
  func mistakes_areRefused(members: JSONObject) {
    #expect(throws: JSONDecodingError.self) { try read(members) }
  }
}
