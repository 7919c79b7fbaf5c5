import TestingContracts
import Foundation
import Testing

@testable import RPCKit

/// Calls over TLS and mutual TLS on real sockets.
@Suite("TLS over sockets", .timeLimit(.minutes(1)))
struct TLSEndToEndTests {
  private static func run(
    _ handler: RichHandler = RichHandler(),
    server: TLSContextSource,
    client: TLSContextSource,
    _ body: (EndToEnd) async throws -> Void
  ) async throws {
    try await EndToEnd.run(
      handler,
      server: { configuration in
        configuration.endpoints = configuration.endpoints.map { endpoint in
          .init(endpoint.address) { try TLSTransport(over: $0, context: server.current) }
        }
      },
      channel: { configuration in
        configuration.retry = .never
        configuration.wrapTransport = { transport, host in
          try TLSTransport(over: transport, context: client.current, expectedHost: host)
        }
      },
      scheme: "tls",
      body
    )
  }

  @Test("Calls of all kinds work, rpckit/1 is agreed on, the handler sees the client's certificate")
  func mutualTLS_calls_workWithIdentity() async throws {
    let certificates = try TestCertificates.shared.get()
    let peers = OneTimeEvent<Peer>()
    let handler = RichHandler(onEcho: { request, call in
      peers.happened(call.peer)
      return request
    })
    let server = try TLSContextSource(
      certificates.serverConfiguration(clients: .required(roots: certificates.root.root))
    )
    let client = try TLSContextSource(
      certificates.clientConfiguration(identity: certificates.clientIdentity)
    )
    try await Self.run(handler, server: server, client: client) { test in
      let large = Rich(byteCount: 3 << 20)
      let echoed = try await test.rich.echo(large)
      #expect(echoed == large)
      let peer = try await peers.value()
      #expect(peer.applicationProtocol == "rpckit/1")
      #expect(peer.certificate?.dnsNames == ["client.test"])
      #expect(peer.certificate?.uris == ["spiffe://test/client"])
      #expect(peer.address.hasPrefix("127.0.0.1:"))
      var count = 0
      for try await _ in test.rich.expand(Rich(number: 100)) { count += 1 }
      #expect(count == 100)
      let sum = try await test.rich.collect { writer in
        for _ in 0..<100 { try await writer.write(Rich(number: 1)) }
      }
      #expect(sum.int32Value == 100)
    }
  }

  @Test("A server of an authority that the client does not know is refused")
  func client_unknownAuthority_refusesServer() async throws {
    let certificates = try TestCertificates.shared.get()
    let stranger = try CertificateAuthority().issue(.authority("Stranger"))
    let server = try TLSContextSource(certificates.serverConfiguration())
    let client = try TLSContextSource(
      TLSConfiguration(
        role: .client(identity: nil, roots: .pem(stranger.root), expectedHost: nil)
      )
    )
    try await Self.run(server: server, client: client) { test in
      let error = await rpcError { _ = try await test.rich.echo(Rich()) }
      #expect(error?.code == .unavailable)
      #expect((error?.cause as? TransportError)?.reason == .tlsFailed)
      let text = error?.descriptionWithCause ?? ""
      #expect(text.contains("certificate verify failed: unable to get local issuer certificate"))
    }
  }

  @Test(
    "A client without a certificate, or with a stranger's, is refused",
    arguments: [true, false]
  )
  func server_unknownClient_refusesIt(hasCertificate: Bool) async throws {
    let certificates = try TestCertificates.shared.get()
    let authority = try CertificateAuthority()
    let root = try authority.issue(.authority("Stranger"))
    let stranger = try authority.issue(.leaf(.client), by: root)
    let ran = Tally()
    let handler = RichHandler(onEcho: { request, _ in
      ran.add()
      return request
    })
    let server = try TLSContextSource(
      certificates.serverConfiguration(clients: .required(roots: certificates.root.root))
    )
    let client = try TLSContextSource(
      certificates.clientConfiguration(identity: hasCertificate ? stranger.identity() : nil)
    )
    try await Self.run(handler, server: server, client: client) { test in
      let error = await rpcError { _ = try await test.rich.echo(Rich(), timeout: .seconds(10)) }
      #expect(error?.code == .unavailable)
      #expect(ran.value == 0)
    }
  }

  @Test("Certificates are replaced while calls go on, and a broken file changes nothing")
  func certificates_reloaded_loseNoCall() async throws {
    let certificates = try TestCertificates.shared.get()
    let folder = try SocketFolder()
    let (chain, key) = (folder.path("chain.pem"), folder.path("key.pem"))
    func install(_ certified: Certified) throws {
      let text = certified.certificate + certificates.intermediate.certificate
      try Data(text).write(to: URL(fileURLWithPath: chain))
      try Data(certified.key).write(to: URL(fileURLWithPath: key))
    }
    try install(certificates.server)
    let identity = TLSConfiguration.Identity(certificateChain: .file(chain), privateKey: .file(key))
    let server = try TLSContextSource(TLSConfiguration(role: .server(identity, clients: .none)))
    let client = try TLSContextSource(certificates.clientConfiguration())
    let next = try CertificateAuthority().issue(.leaf(.server), by: certificates.intermediate)
    try await Self.run(server: server, client: client) { test in
      let rich = test.rich
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { for _ in 0..<200 { _ = try await rich.echo(Rich()) } }
        }
        for certified in [next, certificates.server, next] {
          try install(certified)
          try server.reload()
          let target = "tls://\(test.address)"
          var configuration = ChannelConfiguration(loops: test.clientLoops)
          configuration.connectionsPerAddress = 1
          configuration.wrapTransport = { transport, host in
            try TLSTransport(over: transport, context: client.current, expectedHost: host)
          }
          try await withChannel(target, configuration) { channel in
            _ = try await Testing_V1.RichClient(channel).echo(Rich())
          }
        }
        try Data("half".utf8).write(to: URL(fileURLWithPath: key))
        #expect(throws: TLSError.self) { try server.reload() }
        try await group.waitForAll()
      }
    }
  }
}
