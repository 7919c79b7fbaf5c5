import Foundation
import RPCKit
import Testing

@testable import ServiceKit

@Suite("Looking at what settings trust")
struct TrustCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func problems(_ json: String) throws -> [String] {
    let value = try JSONReader.read(Array(json.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
    let settings = try ConfigurationReader.decode(value) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "tenancy", port: 7402, adminPort: 7412)
    }
    var check = ConfigurationCheck()
    check.common(settings)
    return check.problems
  }

  @Test("A network of gateways needs a secret that they show; single addresses do not")
  func gateways_ofNetworks_needASecret() throws {
    #expect(try problems(#"{"gateways": ["10.0.0.5", "::1"]}"#) == [])
    let alone = try problems(#"{"gateways": ["10.0.0.5", "10.1.0.0/16"]}"#)
    #expect(
      alone.count == 1 && alone[0].contains("10.1.0.0/16") && alone[0].contains("gateway_secret")
    )
    let secret = folder.file("gateway.secret")
    try FileBytes.createSecret(GatewaySecrets.generate(SystemRandomSource()), at: secret)
    #expect(try problems(#"{"gateways": ["10.1.0.0/16"], "gateway_secret": "\#(secret)"}"#) == [])
    #expect(try problems(#"{"gateway_secret": "\#(secret)"}"#) == [])
  }

  @Test("A secret that is short is refused, and not shown")
  func gatewaySecret_short_isRefused() throws {
    let secret = folder.file("gateway.secret")
    try FileBytes.createSecret("gws_hunter2", at: secret)
    let found = try problems(#"{"gateway_secret": "\#(secret)"}"#)
    #expect(found.count == 1 && found[0].hasPrefix("setting gateway_secret: \(secret)"))
    #expect(!found[0].contains("hunter2"))
  }

  @Test(
    "A certificate that other services would refuse is named, with what it lacks",
    arguments: [
      (nil, false, "serverAuth"), (nil, true, "serverAuth and clientAuth"),
      ("serverAuth", false, nil),
      ("serverAuth", true, "clientAuth"), ("clientAuth", true, "serverAuth"),
      ("serverAuth,clientAuth", true, nil),
    ] as [(String?, Bool, String?)]
  )
  func certificate_usage_isChecked(usage: String?, isMutual: Bool, missing: String?) throws {
    let (certificate, key) = (folder.file("c.pem"), folder.file("k.pem"))
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/openssl")
    openssl.arguments =
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj",
        "/CN=here", "-keyout", key, "-out", certificate,
      ] + (usage.map { ["-addext", "extendedKeyUsage=\($0)"] } ?? [])
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    #expect(openssl.terminationStatus == 0)
    let authorities = isMutual ? #", "authorities": "\#(certificate)""# : ""
    let found = try problems(
      #"{"tls": {"certificate": "\#(certificate)", "key": "\#(key)"\#(authorities)}}"#
    )
    guard let missing else {
      #expect(found == [])
      return
    }
    #expect(
      found.count == 1
        && found[0].hasPrefix("setting tls.certificate: \(certificate) lacks \(missing) in")
    )
  }
}
