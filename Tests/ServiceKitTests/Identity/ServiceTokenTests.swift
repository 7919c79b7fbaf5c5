import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Tokens of services")
struct ServiceTokenTests {
  private let key = SigningKey.generate()
  private let clock = ManualClock()

  private var issuer: ServiceTokenIssuer {
    ServiceTokenIssuer(name: "tenancy", key: key, clock: clock, random: SystemRandomSource())
  }

  private func verifier(of audience: String) -> ServiceTokenVerifier {
    ServiceTokenVerifier(
      audience: audience,
      keys: ["tenancy": KeySet([key.verificationKey])],
      clock: clock
    )
  }

  @Test("A service is known by its token, for the service it calls only")
  func token_otherAudience_isRefused() throws {
    let token = issuer.token(for: "auth")
    #expect(try verifier(of: "auth").verify(token, from: "10.0.0.1:1") == "tenancy")
    #expect(throws: TokenFault.audience) {
      try verifier(of: "entitlement").verify(token, from: "10.0.0.1:1")
    }
  }

  @Test("A token serves many calls from one host and none from another")
  func token_otherHost_isReplayed() throws {
    let verifier = verifier(of: "auth")
    let token = issuer.token(for: "auth")
    #expect(try verifier.verify(token, from: "198.18.0.1:1000") == "tenancy")
    #expect(try verifier.verify(token, from: "198.18.0.1:2000") == "tenancy")
    #expect(throws: TokenFault.replayed) { try verifier.verify(token, from: "198.18.0.2:1000") }
  }

  @Test("A token is renewed before its end, and an old one is refused")
  func token_old_isRefusedAndRenewed() throws {
    let (issuer, verifier) = (issuer, verifier(of: "auth"))
    let first = issuer.token(for: "auth")
    #expect(issuer.token(for: "auth") == first)
    #expect(issuer.token(for: "other") != first)
    _ = try verifier.verify(first, from: "unix")
    clock.advance(30_000)
    let second = issuer.token(for: "auth")
    #expect(second != first)
    // Three seconds after its 60.
    clock.advance(32_999)
    _ = try verifier.verify(first, from: "unix")
    clock.advance(1)
    #expect(throws: TokenFault.expired) { try verifier.verify(first, from: "unix") }
    #expect(throws: TokenFault.expired) {
      try self.verifier(of: "auth").verify(first, from: "unix")
    }
  }

  @Test("A user's token is no service's, and a stranger's key proves nothing")
  func token_otherKindOrKey_isRefused() throws {
    let forge = TokenForge()
    #expect(throws: TokenFault.type) {
      try verifier(of: "auth").verify(forge.token(), from: "unix")
    }
    let stranger = ServiceTokenIssuer(
      name: "tenancy",
      key: .generate(),
      clock: clock,
      random: SystemRandomSource()
    )
    #expect(throws: TokenFault.unknownKey) {
      try verifier(of: "auth").verify(stranger.token(for: "auth"), from: "unix")
    }
    let renamed = ServiceTokenIssuer(
      name: "entitlement",
      key: key,
      clock: clock,
      random: SystemRandomSource()
    )
    #expect(throws: TokenFault.issuer) {
      try verifier(of: "auth").verify(renamed.token(for: "auth"), from: "unix")
    }
  }

  @Test("A certificate names one service or none")
  func certificate_names_areExact() {
    func name(_ uris: [String]) -> String? {
      ServiceName.certified(PeerCertificate(dnsNames: ["x"], uris: uris, fingerprint: []))
    }
    #expect(name(["svc://tenancy"]) == "tenancy")
    #expect(name(["https://x", "svc://auth"]) == "auth")
    #expect(name(["svc://auth", "svc://tenancy"]) == nil)
    #expect(name(["svc://"]) == nil)
    #expect(name(["svc://Auth/x"]) == nil)
    #expect(name([]) == nil)
    #expect(ServiceName.certified(nil) == nil)
  }
}
