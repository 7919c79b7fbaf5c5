import Glibc
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Changing the keys of services while they run")
struct ServiceKeyRotationTests {
  private let clock = ManualClock()
  private let old = SigningKey.generate()
  private let new = SigningKey.generate()

  private func write(_ text: String, to path: String) throws {
    _ = unsafe unlink(path)
    try FileBytes.createSecret(text, at: path)
  }

  private func proofs(
    _ name: String,
    privateKey: String? = nil,
    trusted: [String: [String]] = [:],
    gateways: GatewayAddresses = GatewayAddresses(),
    gatewaySecret: String? = nil
  ) -> ServiceProofs {
    ServiceProofs(
      name: name,
      settings: .init(privateKey: privateKey, trusted: trusted),
      gateways: gateways,
      gatewaySecret: gatewaySecret,
      clock: clock,
      random: SystemRandomSource()
    )
  }

  @Test("A file may hold several keys, and what is only half there holds none")
  func keys_files_areReadWhole() throws {
    func count(_ text: String) -> Int? {
      (try? VerificationKey.all(pem: Array(text.utf8)))?.count
    }
    let (first, second) = (old.verificationKey.pem, new.verificationKey.pem)
    #expect(count(first) == 1)
    #expect(count("the old one\n" + first + "\nthe new one\n" + second) == 2)
    #expect(
      try VerificationKey.all(pem: Array((first + second).utf8)).map(\.id) == [
        old.verificationKey.id, new.verificationKey.id,
      ]
    )
    #expect(count(String(repeating: first, count: 8)) == 8)
    for broken in [
      "", "rubbish", first + String(second.dropLast(20)), String(first.dropFirst(40)) + second,
      first + "-----BEGIN PUBLIC KEY-----\n", String(repeating: first, count: 9),
      first + old.pem,
    ] {
      #expect(count(broken) == nil, "\(broken)")
    }
  }

  @Test("With both keys known, none is refused while a service changes to its new one")
  func reload_overlap_hasNoGap() throws {
    let folder = try TemporaryFolder()
    let (own, known) = (folder.file("tenancy.pem"), folder.file("known.pem"))
    try write(old.pem, to: own)
    try write(old.verificationKey.pem, to: known)
    let caller = proofs("tenancy", privateKey: own)
    let callee = proofs("auth", trusted: ["tenancy": [known]])
    let issuer = try #require(try caller.issuer())
    let verifier = try #require(try callee.verifier())
    let address = "198.18.0.1:1"
    let before = issuer.token(for: "auth")
    #expect(try verifier.verify(before, from: address) == "tenancy")
    // First the others learn the new key …
    try write(old.verificationKey.pem + new.verificationKey.pem, to: known)
    try callee.reload()
    #expect(try verifier.verify(before, from: address) == "tenancy")
    // … then the service begins to use it …
    try write(new.pem, to: own)
    #expect(issuer.token(for: "auth") == before, "nothing is read before it is asked for")
    try caller.reload()
    let after = issuer.token(for: "auth")
    #expect(after != before)
    #expect(try verifier.verify(after, from: address) == "tenancy")
    #expect(try verifier.verify(before, from: address) == "tenancy")
    // … and then the old one is forgotten, with what it has signed.
    try write(new.verificationKey.pem, to: known)
    try callee.reload()
    #expect(try verifier.verify(after, from: address) == "tenancy")
    #expect(throws: TokenFault.unknownKey) { try verifier.verify(before, from: address) }
    #expect(throws: TokenFault.replayed) { try verifier.verify(after, from: "198.18.0.2:1") }
    #expect(try callee.verifier() === verifier)
    #expect(try caller.issuer() === issuer)
  }

  @Test("Two files for a service are as good as one")
  func trusted_twoFiles_areBothBelieved() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.file("1.pem"), folder.file("2.pem"))
    try write(old.verificationKey.pem, to: first)
    try write(new.verificationKey.pem, to: second)
    let verifier = try #require(
      try proofs("auth", trusted: ["tenancy": [first, second]]).verifier()
    )
    for key in [old, new] {
      let issuer = ServiceTokenIssuer(
        name: "tenancy",
        key: key,
        clock: clock,
        random: SystemRandomSource()
      )
      #expect(try verifier.verify(issuer.token(for: "auth"), from: "unix") == "tenancy")
    }
  }

  @Test("Of a gateway's secrets those of the file count, and what is broken changes nothing")
  func reload_gatewaySecret_isExchanged() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("gateway.secret")
    let (old, new) = (
      GatewaySecrets.generate(SystemRandomSource()), GatewaySecrets.generate(SystemRandomSource())
    )
    try write(old, to: file)
    let callee = proofs("tenancy", gatewaySecret: file)
    let gateways = try callee.gateways()
    func believed() -> [Bool] {
      [old, new].map { gateways.verifies(BearerToken($0), from: "198.18.0.1:1") }
    }
    #expect(believed() == [true, false])
    try write("\(old)\n\(new)\n", to: file)
    #expect(believed() == [true, false], "nothing is read before it is asked for")
    try callee.reload()
    #expect(believed() == [true, true])
    try write(new, to: file)
    try callee.reload()
    #expect(believed() == [false, true])
    try write(String(old.dropLast(10)), to: file)
    let error = try #require(throws: ConfigurationError.self) { try callee.reload() }
    #expect(error.description.contains("gateway_secret") && error.description.contains(file))
    #expect(!error.description.contains(old.dropLast(10)))
    #expect(believed() == [false, true])
  }

  @Test("A network of gateways is no proof without a secret")
  func gateways_networkAlone_isRefused() throws {
    let network = try GatewayAddresses(JSONField(["10.0.0.0/8"]))
    let error = try #require(throws: ConfigurationError.self) {
      try proofs("tenancy", gateways: network).gateways()
    }
    #expect(error.description.contains("gateway_secret is missing"))
  }

  @Test("A file that is broken is named, and everything stays as it was")
  func reload_brokenFile_keepsKeys() throws {
    let folder = try TemporaryFolder()
    let known = folder.file("known.pem")
    try write(old.verificationKey.pem, to: known)
    let callee = proofs("auth", trusted: ["tenancy": [known]])
    let verifier = try #require(try callee.verifier())
    let issuer = ServiceTokenIssuer(
      name: "tenancy",
      key: old,
      clock: clock,
      random: SystemRandomSource()
    )
    try write(String(old.verificationKey.pem.dropLast(30)), to: known)
    let error = try #require(throws: ConfigurationError.self) { try callee.reload() }
    #expect(error.description.contains("service_keys.trusted.tenancy"))
    #expect(error.description.contains(known))
    #expect(try verifier.verify(issuer.token(for: "auth"), from: "unix") == "tenancy")
  }
}
