import Testing

@testable import RPCKit

/// Each refusal is checked where it has to happen, and for the reason in that side's log.
@Suite("TLS refuses")
struct TLSRefusalTests {
  private let certificates: TestCertificates
  private let mutual: TLSConfiguration.ClientVerification

  /// A peer that stops at nothing: it presents weak keys and speaks old versions.
  private static let lax = TLSPolicy(
    securityLevel: 0,
    ciphers: "ALL:@SECLEVEL=0"
  )

  init() throws {
    certificates = try TestCertificates.shared.get()
    mutual = .required(roots: certificates.root.root)
  }

  @Test("A client refuses a bad server certificate", arguments: BadCertificate.allCases)
  func serverCertificate_bad_isRefusedByTheClient(kind: BadCertificate) throws {
    let identity = try kind.identity(for: .server, certificates, CertificateAuthority())
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: TLSConfiguration(role: .server(identity, clients: .none)),
      serverPolicy: Self.lax
    )
    pair.connect()
    #expect(pair.clientSide.connectedCount == 0)
    #expect(pair.serverSide.connectedCount == 0)
    #expect(pair.clientSide.error?.reason == .tlsFailed)
    let log = pair.clientSide.error?.description ?? ""
    #expect(log.contains("certificate verify failed") && log.contains(kind.reason), "\(log)")
    // The server learns it from the alert.
    #expect(pair.serverSide.error?.description.contains("alert") == true)
  }

  @Test("A server refuses a bad client certificate", arguments: BadCertificate.allCases)
  func clientCertificate_bad_isRefusedByTheServer(kind: BadCertificate) throws {
    let identity = try kind.identity(for: .client, certificates, CertificateAuthority())
    for clients in [mutual, .optional(roots: certificates.root.root)] {
      let pair = try TLSPair(
        client: certificates.clientConfiguration(identity: identity),
        server: certificates.serverConfiguration(clients: clients),
        clientPolicy: Self.lax
      )
      pair.connect()
      #expect(pair.serverSide.connectedCount == 0)
      #expect(pair.serverSide.error?.reason == .tlsFailed)
      let log = pair.serverSide.error?.description ?? ""
      #expect(log.contains("certificate verify failed") && log.contains(kind.reason), "\(log)")
      #expect(pair.clientSide.error?.description.contains("alert") == true)
    }
  }

  @Test("A client without a certificate is refused under mutual TLS only")
  func clientCertificate_missing_isRefusedWhenRequired() throws {
    let refused = try TLSPair(
      client: certificates.clientConfiguration(),
      server: certificates.serverConfiguration(clients: mutual)
    )
    refused.connect()
    #expect(refused.serverSide.connectedCount == 0)
    let log = refused.serverSide.error?.description ?? ""
    #expect(log.contains("peer did not return a certificate"), "\(log)")
    #expect(refused.clientSide.error?.description.contains("certificate required") == true)

    let accepted = try TLSPair(
      client: certificates.clientConfiguration(),
      server: certificates.serverConfiguration(
        clients: .optional(roots: certificates.root.root)
      )
    )
    accepted.connect()
    #expect(accepted.serverSide.connectedCount == 1)
    #expect(accepted.server.peer.certificate == nil)
  }

  @Test(
    "A server is only accepted under a name that its certificate carries",
    arguments: [
      ("server.test", nil), ("SERVER.test.", nil), ("127.0.0.1", nil), ("::1", nil),
      ("other.test", "hostname mismatch"), ("sub.server.test", "hostname mismatch"),
      ("127.0.0.2", "IP address mismatch"), ("::2", "IP address mismatch"),
    ]
  )
  func host_anyForm_isVerified(host: String, reason: String?) throws {
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: certificates.serverConfiguration(),
      expectedHost: host
    )
    pair.connect()
    #expect(pair.clientSide.connectedCount == (reason == nil ? 1 : 0))
    if let reason { #expect(pair.clientSide.error?.description.contains(reason) == true) }
  }

  @Test("A name in the subject alone is no name")
  func host_commonNameOnly_isRefused() throws {
    var request = CertificateAuthority.Request.leaf(.server)
    request.extensions.removeLast()
    let leaf = try CertificateAuthority().issue(request, by: certificates.intermediate)
    let identity = leaf.identity(chain: [certificates.intermediate])
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: TLSConfiguration(role: .server(identity, clients: .none))
    )
    pair.connect()
    #expect(pair.clientSide.error?.description.contains("hostname mismatch") == true)
  }

  @Test("A client cannot leave out whom it expects", arguments: [nil, "", ".", ".test", "a b"])
  func host_missingOrImpossible_isNotAccepted(host: String?) throws {
    let context = try TLSContext(certificates.clientConfiguration())
    let link = MemoryLink(loop: ManualLoop())
    #expect {
      try TLSTransport(over: link.left, context: context, expectedHost: host)
    } throws: { error in
      (error as? TLSError)?.reason == .invalidHost
    }
  }

  @Test("A host in the configuration wins over the target's")
  func host_configured_wins() throws {
    var configuration = certificates.clientConfiguration()
    configuration.role = .client(
      identity: nil,
      roots: .pem(certificates.root.root),
      expectedHost: "wrong.test"
    )
    let pair = try TLSPair(client: configuration, server: certificates.serverConfiguration())
    pair.connect()
    #expect(pair.clientSide.error?.description.contains("hostname mismatch") == true)
  }

  @Test("A client that speaks TLS 1.1 at best is refused")
  func version_oldClient_isRefused() throws {
    var old = Self.lax
    old.versionMin = 0x0302
    old.versionMax = 0x0302
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: certificates.serverConfiguration(),
      clientPolicy: old
    )
    pair.connect()
    #expect(pair.serverSide.connectedCount == 0)
    let log = pair.serverSide.error?.description ?? ""
    #expect(log.contains("unsupported protocol"), "\(log)")
    #expect(pair.clientSide.error?.description.contains("alert protocol version") == true)
  }

  @Test("A server that speaks TLS 1.1 at best is refused")
  func version_oldServer_isRefused() throws {
    var old = Self.lax
    old.versionMin = 0x0302
    old.versionMax = 0x0302
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: certificates.serverConfiguration(),
      serverPolicy: old
    )
    pair.connect()
    #expect(pair.clientSide.connectedCount == 0)
    #expect(pair.serverSide.connectedCount == 0)
    let log = pair.serverSide.error?.description ?? ""
    #expect(log.contains("unsupported protocol"), "\(log)")
  }

  @Test("TLS 1.2 works, unless 1.3 is asked for")
  func version_tls12_followsTheConfiguration() throws {
    var policy = TLSPolicy.modern
    policy.versionMax = 0x0303
    var server = certificates.serverConfiguration(clients: mutual)
    let client = certificates.clientConfiguration(identity: certificates.clientIdentity)
    let accepted = try TLSPair(client: client, server: server, clientPolicy: policy)
    accepted.connect()
    accepted.clientSide.send([5])
    accepted.run()
    accepted.client.close()
    accepted.run()
    #expect(accepted.serverSide.received == [5])
    #expect(accepted.serverSide.endCount == 1)

    server.versionMin = .tls13
    let refused = try TLSPair(client: client, server: server, clientPolicy: policy)
    refused.connect()
    #expect(refused.serverSide.connectedCount == 0)
    #expect(refused.serverSide.error?.description.contains("unsupported protocol") == true)
  }

  @Test("Peers without a common protocol refuse each other")
  func applicationProtocol_mismatch_isRefused() throws {
    var client = certificates.clientConfiguration()
    client.applicationProtocols = ["h2"]
    let pair = try TLSPair(client: client, server: certificates.serverConfiguration())
    pair.connect()
    #expect(pair.clientSide.connectedCount == 0)
    #expect(pair.serverSide.connectedCount == 0)
    let log = pair.serverSide.error?.description ?? ""
    #expect(log.contains("no application protocol"), "\(log)")
    #expect(pair.clientSide.error?.description.contains("no application protocol") == true)
  }

  @Test("The server's order of protocols decides")
  func applicationProtocol_severalInCommon_serverPrefers() throws {
    var client = certificates.clientConfiguration()
    client.applicationProtocols = ["h2", "ttrpc", "rpckit/1"]
    let pair = try TLSPair(client: client, server: certificates.serverConfiguration())
    pair.connect()
    #expect(pair.client.peer.applicationProtocol == "rpckit/1")
  }

  @Test("A client without ALPN is accepted, unless the server requires it")
  func applicationProtocol_missingInHello_followsTheConfiguration() throws {
    var stock = TLSPolicy.modern
    stock.speaksApplicationProtocols = false
    var server = certificates.serverConfiguration()
    let client = certificates.clientConfiguration()
    let accepted = try TLSPair(client: client, server: server, clientPolicy: stock)
    accepted.connect()
    #expect(accepted.serverSide.connectedCount == 1)
    #expect(accepted.server.peer.applicationProtocol == nil)

    server.requiresApplicationProtocol = true
    let refused = try TLSPair(client: client, server: server, clientPolicy: stock)
    refused.connect()
    #expect(refused.serverSide.connectedCount == 0)
    let log = refused.serverSide.error?.description ?? ""
    #expect(log.contains("no application protocol"), "\(log)")
    #expect(refused.clientSide.error?.description.contains("no application protocol") == true)

    let capable = try TLSPair(client: client, server: server)
    capable.connect()
    #expect(capable.server.peer.applicationProtocol == "rpckit/1")
  }

  @Test("A server without ALPN is accepted, unless the client requires it")
  func applicationProtocol_missingInAnswer_followsTheConfiguration() throws {
    var stock = TLSPolicy.modern
    stock.speaksApplicationProtocols = false
    let server = certificates.serverConfiguration()
    var client = certificates.clientConfiguration()
    let accepted = try TLSPair(client: client, server: server, serverPolicy: stock)
    accepted.connect()
    #expect(accepted.clientSide.connectedCount == 1)

    client.requiresApplicationProtocol = true
    let refused = try TLSPair(client: client, server: server, serverPolicy: stock)
    refused.connect()
    #expect(refused.clientSide.connectedCount == 0)
    let log = refused.clientSide.error?.description ?? ""
    #expect(log.contains("no application protocol"), "\(log)")
  }
}
