import RPCKit

/// A certificate that must be refused, whichever side presents it.
enum BadCertificate: String, CaseIterable, Sendable {
  case expired
  case notYetValid
  case selfSigned
  case unknownAuthority
  case missingIntermediate
  case issuerIsNoAuthority
  case wrongPurpose
  case noPurpose
  case issuerWithoutBasicConstraints
  case signedWithSHA1
  case rsa1024
  case nameConstraintBreach

  /// What the log of the side that refuses has to say.
  var reason: String {
    switch self {
    case .expired: "certificate has expired"
    case .notYetValid: "certificate is not yet valid"
    case .selfSigned: "self-signed certificate"
    case .unknownAuthority, .missingIntermediate: "unable to get local issuer certificate"
    case .issuerIsNoAuthority, .issuerWithoutBasicConstraints: "invalid CA certificate"
    case .wrongPurpose, .noPurpose: "unsuitable certificate purpose"
    case .signedWithSHA1: "CA signature digest algorithm too weak"
    case .rsa1024: "EE certificate key too weak"
    case .nameConstraintBreach: "permitted subtree violation"
    }
  }

  /// Issues it for a server or a client that is otherwise the good one of `certificates`.
  func identity(
    for purpose: Purpose,
    _ certificates: TestCertificates,
    _ authority: CertificateAuthority
  ) throws -> TLSConfiguration.Identity {
    var leaf = CertificateAuthority.Request.leaf(purpose)
    var issuer = certificates.intermediate
    var chain = [certificates.intermediate]
    switch self {
    case .expired:
      leaf.notBefore = "20200101000000Z"
      leaf.notAfter = "20210101000000Z"
    case .notYetValid:
      leaf.notBefore = "20480101000000Z"
    case .selfSigned:
      return try authority.issue(leaf).identity()
    case .unknownAuthority:
      issuer = try authority.issue(.authority("Stranger"))
      chain = []
    case .missingIntermediate:
      chain = []
    case .issuerIsNoAuthority:
      var request = CertificateAuthority.Request.authority("Impostor")
      request.extensions[0] = "basicConstraints = critical, CA:FALSE"
      issuer = try authority.issue(request, by: certificates.intermediate)
      chain = [issuer, certificates.intermediate]
    case .issuerWithoutBasicConstraints:
      var request = CertificateAuthority.Request.authority("Old")
      request.extensions = ["keyUsage = critical, keyCertSign", "subjectKeyIdentifier = hash"]
      issuer = try authority.issue(request, by: certificates.root)
      chain = [issuer]
    case .wrongPurpose:
      leaf = .leaf(purpose.other)
      leaf.extensions[3] = purpose.alternativeNames
    case .noPurpose:
      leaf.extensions.remove(at: 2)
    case .signedWithSHA1:
      leaf.digest = "sha1"
    case .rsa1024:
      leaf.keyOptions = ["-newkey", "rsa:1024"]
    case .nameConstraintBreach:
      var request = CertificateAuthority.Request.authority("Elsewhere")
      request.extensions.append("nameConstraints = critical, permitted;DNS:elsewhere.test")
      issuer = try authority.issue(request, by: certificates.root)
      chain = [issuer]
    }
    return try authority.issue(leaf, by: issuer).identity(chain: chain)
  }
}
