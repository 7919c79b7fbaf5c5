import Foundation
import Testing

@testable import RPCKit

@Suite("Certificates and keys")
struct TLSContextTests {
  private let certificates: TestCertificates

  init() throws {
    certificates = try TestCertificates.shared.get()
  }

  private func reason(
    chain: [UInt8]? = nil,
    key: [UInt8]? = nil,
    roots: [UInt8]? = nil
  ) -> TLSError.Reason? {
    let identity = TLSConfiguration.Identity(
      certificateChain: .bytes(chain ?? certificates.server.certificate),
      privateKey: .bytes(key ?? certificates.server.key)
    )
    let clients = TLSConfiguration.ClientVerification.required(
      roots: .bytes(roots ?? certificates.root.certificate)
    )
    do throws(TLSError) {
      _ = try TLSContext(TLSConfiguration(role: .server(identity, clients: clients)))
      return nil
    } catch {
      #expect(!error.description.contains("no reason given"))
      return error.reason
    }
  }

  @Test("A chain with its key is accepted")
  func context_consistentFiles_isMade() {
    #expect(reason() == nil)
    let chain = certificates.server.certificate + certificates.intermediate.certificate
    #expect(reason(chain: chain) == nil)
    #expect(reason(chain: chain + certificates.root.certificate) == nil)
    // One file with everything in it, as some tools write.
    let everything = chain + certificates.server.key
    #expect(reason(chain: everything, key: everything) == nil)
  }

  @Test("A key of another certificate is refused")
  func key_ofAnotherCertificate_isMismatch() {
    #expect(reason(key: certificates.client.key) == .keyMismatch)
  }

  @Test("A chain in the wrong order is refused")
  func chain_wrongOrder_isInconsistent() {
    let chain = certificates.server.certificate + certificates.root.certificate
    #expect(reason(chain: chain) == .inconsistentChain)
    #expect(reason(chain: chain + certificates.intermediate.certificate) == .inconsistentChain)
  }

  @Test("Text that is not PEM, or the wrong PEM, is refused")
  func pem_wrongContent_isMalformed() {
    for bytes in [[], Array("hello".utf8), certificates.server.key] {
      #expect(reason(chain: bytes) == .malformedPEM)
      #expect(reason(roots: bytes) == .malformedPEM)
    }
    #expect(reason(key: certificates.server.certificate) == .malformedPEM)
  }

  @Test("A file cut off anywhere is refused")
  func pem_everyTruncation_isMalformed() {
    let chain = certificates.server.certificate + certificates.intermediate.certificate
    let boundary = certificates.server.certificate.count
    for end in stride(from: 0, to: chain.count - 1, by: 7) where end != boundary - 1 {
      // Between two certificates there is nothing to see; the missing one shows at the peer.
      if end == boundary { continue }
      #expect(reason(chain: Array(chain[..<end])) == .malformedPEM, "cut at \(end)")
    }
    for end in stride(from: 0, to: certificates.server.key.count - 1, by: 7) {
      let key = Array(certificates.server.key[..<end])
      #expect(reason(key: key) == .malformedPEM, "cut at \(end)")
    }
  }

  @Test("Own certificates that no peer would accept are refused at once")
  func certificate_weak_isRefused() throws {
    let authority = try CertificateAuthority()
    for kind in [BadCertificate.rsa1024, .signedWithSHA1] {
      let identity = try kind.identity(for: .server, certificates, authority)
      #expect {
        try TLSContext(TLSConfiguration(role: .server(identity, clients: .none)))
      } throws: { error in
        (error as? TLSError)?.reason == .refusedBySecurityLevel
      }
    }
  }

  @Test("An encrypted key is refused instead of asking for a password")
  func key_encrypted_isRefused() throws {
    let encrypted = try #require(
      ForeignProgram.run(
        ["openssl", "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", "pass:secret"],
        input: certificates.server.key
      )
    )
    #expect(reason(key: encrypted) == .malformedPEM)
  }

  @Test("RSA keys work too")
  func key_rsa2048_isAccepted() throws {
    var request = CertificateAuthority.Request.leaf(.server)
    request.keyOptions = ["-newkey", "rsa:2048"]
    let leaf = try CertificateAuthority().issue(request, by: certificates.intermediate)
    let identity = leaf.identity(chain: [certificates.intermediate])
    let pair = try TLSPair(
      client: certificates.clientConfiguration(),
      server: TLSConfiguration(role: .server(identity, clients: .none))
    )
    pair.connect()
    #expect(pair.clientSide.connectedCount == 1)
  }

  @Test("A missing file and a folder are unreadable, and the error names them")
  func file_missing_isUnreadable() {
    for path in ["/nonexistent/server.pem", "/"] {
      let identity = TLSConfiguration.Identity(
        certificateChain: .file(path),
        privateKey: .bytes(certificates.server.key)
      )
      #expect {
        try TLSContext(TLSConfiguration(role: .server(identity, clients: .none)))
      } throws: { error in
        guard let error = error as? TLSError else { return false }
        return error.reason == .unreadableFile && error.description.contains(path)
      }
    }
  }

  @Test("The system's roots do not include ours")
  func roots_system_doNotTrustATestAuthority() throws {
    let client = TLSConfiguration(
      role: .client(identity: nil, roots: .system, expectedHost: nil)
    )
    let pair = try TLSPair(client: client, server: certificates.serverConfiguration())
    pair.connect()
    let log = pair.clientSide.error?.description ?? ""
    #expect(log.contains("certificate verify failed"), "\(log)")
  }

  @Test("ALPN names must exist and fit their length byte", arguments: [0, 256])
  func applicationProtocol_impossibleName_isRefused(length: Int) {
    var configuration = certificates.serverConfiguration()
    configuration.applicationProtocols = [String(repeating: "a", count: length)]
    #expect(throws: TLSError.self) { try TLSContext(configuration) }
    configuration.applicationProtocols = []
    #expect(throws: TLSError.self) { try TLSContext(configuration) }
  }
}
