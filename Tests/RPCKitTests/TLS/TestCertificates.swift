import RPCKit

/// The good certificates of all TLS tests, issued once per run.
struct TestCertificates {
  let root: Certified
  let intermediate: Certified
  let server: Certified
  let client: Certified

  static let shared = Result { try TestCertificates(CertificateAuthority()) }

  init(_ authority: CertificateAuthority) throws {
    root = try authority.issue(.authority("Root"))
    intermediate = try authority.issue(.authority("Intermediate"), by: root)
    server = try authority.issue(.leaf(.server), by: intermediate)
    client = try authority.issue(.leaf(.client), by: intermediate)
  }

  var serverIdentity: TLSConfiguration.Identity { server.identity(chain: [intermediate]) }
  var clientIdentity: TLSConfiguration.Identity { client.identity(chain: [intermediate]) }

  func serverConfiguration(
    clients: TLSConfiguration.ClientVerification = .none
  ) -> TLSConfiguration {
    TLSConfiguration(role: .server(serverIdentity, clients: clients))
  }

  func clientConfiguration(
    identity: TLSConfiguration.Identity? = nil
  ) -> TLSConfiguration {
    TLSConfiguration(
      role: .client(identity: identity, roots: .pem(root.root), expectedHost: nil)
    )
  }
}

/// What a leaf certificate is for.
enum Purpose: String, CaseIterable {
  case server = "serverAuth"
  case client = "clientAuth"

  var other: Purpose { self == .server ? .client : .server }

  /// The names that the holder goes by in these tests.
  var alternativeNames: String {
    switch self {
    case .server: "subjectAltName = DNS:server.test, IP:127.0.0.1, IP:::1"
    case .client: "subjectAltName = DNS:client.test, URI:spiffe://test/client"
    }
  }
}

extension CertificateAuthority.Request {
  static func authority(_ name: String) -> Self {
    Self(
      commonName: name,
      extensions: [
        "basicConstraints = critical, CA:TRUE", "keyUsage = critical, keyCertSign, cRLSign",
        "subjectKeyIdentifier = hash",
      ]
    )
  }

  static func leaf(_ purpose: Purpose) -> Self {
    Self(
      commonName: "server.test",
      extensions: [
        "basicConstraints = critical, CA:FALSE", "keyUsage = critical, digitalSignature",
        "extendedKeyUsage = \(purpose.rawValue)", purpose.alternativeNames,
      ]
    )
  }
}
