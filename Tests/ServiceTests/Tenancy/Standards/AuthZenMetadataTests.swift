import ServiceKit
import Testing

@testable import TenancyService

@Suite("AuthZEN's metadata")
struct AuthZenMetadataTests {
  @Test(
    "The address is that of a host",
    arguments: ["https://access.example.com", "http://127.0.0.1:7402", "https://[::1]:8443"]
  )
  func url_ofHost_isTaken(_ url: String) throws {
    let field = JSONField(.string(url), path: "policy_decision_point")
    #expect(try AuthZenMetadata(field)?.url == url)
    #expect(try AuthZenMetadata(nil) == nil)
  }

  @Test(
    "Another address is refused",
    arguments: [
      "", "https://", "access.example.com", "ftp://a.com", "https://a.com/", "https://a.com/pdp",
      "https://a.com?x", "https://a.com#x", "https://a@b.com", "https://a b", "https://ä.com",
      "https://" + String(repeating: "a", count: 256),
    ]
  )
  func url_other_isRefused(_ url: String) {
    #expect(throws: JSONDecodingError.self) {
      try AuthZenMetadata(JSONField(.string(url), path: "policy_decision_point"))
    }
  }
}
