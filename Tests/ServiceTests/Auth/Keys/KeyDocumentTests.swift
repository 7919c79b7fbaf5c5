import AuthContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("What others read to verify tokens by themselves")
struct KeyDocumentTests {
  @Test("The keys are those that the call answers, also when the issuer is no URL")
  func keys_areThoseOfTheCall() async throws {
    try await AuthStage.run { stage in
      let documents = KeyDocuments.all(
        of: stage.service.core.ring,
        issuer: stage.service.settings.issuer
      )
      #expect(documents.map(\.path) == ["/.well-known/jwks.json"])
      let keys = try await stage.keys.getKeySet(.init())
      #expect(documents[0].content() == keys.jwks)
      #expect(keys.jwks.contains(#""crv":"P-256""#))
    }
  }

  @Test("An issuer that is a URL says where its keys are, byte for byte as tokens have it")
  func discovery_namesIssuerAndKeys() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.issuer = "https://id.example.com"
    try await AuthStage.run(on: ground) { stage in
      let documents = KeyDocuments.all(
        of: stage.service.core.ring,
        issuer: stage.service.settings.issuer
      )
      let discovery = try #require(
        documents.first { $0.path == "/.well-known/openid-configuration" }
      )
      let members = try JSONReader.read(
        Array(discovery.content().utf8),
        limits: JSONLimits(byteCountMax: 4096)
      ).object
      #expect(members?["issuer"] == .string("https://id.example.com"))
      #expect(members?["jwks_uri"] == .string("https://id.example.com/.well-known/jwks.json"))
    }
  }

  @Test("A slash at the end of an issuer stays in it and is not doubled in the address of the keys")
  func discovery_ofIssuerWithSlash_hasOneSlash() {
    let text = KeyDocuments.discovery(issuer: "https://id.example.com/")
    #expect(text.contains(#""issuer":"https://id.example.com/""#))
    #expect(text.contains(#""jwks_uri":"https://id.example.com/.well-known/jwks.json""#))
  }
}
