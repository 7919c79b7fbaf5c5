import ServiceKit
import Testing

@testable import AuthService

@Suite("Settings of passkeys")
struct PasskeySettingsTests {
  private func read(_ text: String) throws -> RelyingParty? {
    let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 8192))
    return try PasskeySettings(JSONField(value, path: "passkeys")).relyingParty
  }

  private func read(id: String, origin: String) throws -> RelyingParty? {
    try read(#"{"relying_party_id": "\#(id)", "origins": ["\#(origin)"]}"#)
  }

  @Test("A domain, a name and origins make a relying party")
  func read_whole_isTaken() throws {
    let key = "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 3, count: 32))
    let party = try #require(
      try read(
        #"""
        {"relying_party_id": "example.com", "relying_party_name": "Example",
         "origins": ["https://example.com", "https://login.example.com:8443", "\#(key)"]}
        """#
      )
    )
    #expect(party.id == "example.com" && party.name == "Example" && party.origins.count == 3)
    #expect(party.hash == Digests.sha256("example.com"))
    let local = try read(id: "localhost", origin: "http://localhost:8080")
    #expect(local?.name == "localhost")
  }

  @Test(
    "A domain is one as browsers write it",
    arguments: [
      "", "Example.com", "https://example.com", "example.com/", "example..com", ".com", "127.0.0.1",
      "::1", "-a.com", "ä.com", "example.com:443", String(repeating: "a", count: 64) + ".com",
    ]
  )
  func read_badDomain_isNamed(id: String) {
    let error = #expect(throws: JSONDecodingError.self) {
      try read(id: id, origin: "https://example.com")
    }
    #expect(error?.path == "passkeys.relying_party_id")
  }

  @Test(
    "An origin is one as browsers write it, and plain HTTP is for localhost alone",
    arguments: [
      "", "example.com", "http://example.com", "https://", "https://example.com/",
      "https://Example.com", "https://example.com:443", "https://example.com:0",
      "https://example.com:65536", "https://example.com:", "https://example.com:+80", "https://*",
      "https://*.example.com", "http://localhost", "ftp://example.com", "android:apk-key-hash:AAAA",
      "null",
    ]
  )
  func read_badOrigin_isNamed(origin: String) {
    let error = #expect(throws: JSONDecodingError.self) {
      try read(id: "example.com", origin: origin)
    }
    #expect(error?.path == "passkeys.origins[0]")
  }

  @Test("Both are needed, there are 1 to 16 origins, and nothing else is known")
  func read_incomplete_isNamed() {
    for (text, path) in [
      (#"{"origins": ["https://example.com"]}"#, "passkeys.relying_party_id"),
      (#"{"relying_party_id": "example.com"}"#, "passkeys.origins"),
      (#"{"relying_party_id": "example.com", "origins": []}"#, "passkeys.origins"),
      (
        #"{"relying_party_id": "example.com", "origins": ["https://a.com"], "x": 1}"#, "passkeys.x"
      ),
      (
        #"{"relying_party_id": "a.com", "relying_party_name": "", "origins": ["https://a.com"]}"#,
        "passkeys.relying_party_name"
      ),
    ] {
      let error = #expect(throws: JSONDecodingError.self) { try read(text) }
      #expect(error?.path == path)
    }
  }
}
