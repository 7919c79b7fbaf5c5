internal import ServiceKit

/// An authenticator's statement of how a key was made (WebAuthn, sections 6.5.4 and 8).
///
/// Nobody's attestation is trusted, and none is asked for. One that comes along must hold, and is
/// remembered for what it is.
struct Attestation: Sendable {
  /// How much is known of where a key was made.
  enum Outcome: String, CaseIterable, Sendable {
    /// Nothing was said.
    case none
    /// The key signed for itself.
    case selfSigned = "self"
    /// A certificate signed for it that nobody here knows.
    case unverified
  }

  /// The bytes that the authenticator signed, as they came.
  let authenticatorBytes: [UInt8]
  private let format: String
  private let statement: CBORMap

  /// Reads an attestation object.
  init(_ bytes: [UInt8]) throws(PasskeyFault) {
    let value = try CBORReader.read(bytes, isOuterOrderFree: true)
    guard let map = value.map, map.members.count == 3, let format = map["fmt"]?.text,
      let statement = map["attStmt"]?.map, let authenticatorBytes = map["authData"]?.bytes
    else { throw .attestation }
    self.format = format
    self.statement = statement
    self.authenticatorBytes = authenticatorBytes
  }

  /// The worth of the attestation; throws when it does not hold, and for formats other than `none`
  /// and
  /// `packed`.
  func verify(
    _ new: AuthenticatorData.NewKey,
    clientDataHash: [UInt8]
  ) throws(PasskeyFault) -> Outcome {
    switch format {
    case "none":
      guard statement.members.isEmpty else { throw .attestation }
      return .none
    case "packed": return try verifyPacked(new, authenticatorBytes + clientDataHash)
    default: throw .attestationFormat
    }
  }

  private func verifyPacked(
    _ new: AuthenticatorData.NewKey,
    _ message: [UInt8]
  ) throws(PasskeyFault) -> Outcome {
    guard let algorithm = statement["alg"]?.integer.flatMap({ PasskeyKey.Algorithm(rawValue: $0) }),
      let signature = statement["sig"]?.bytes
    else { throw .attestation }
    guard let chain = statement["x5c"] else {
      guard statement.members.count == 2, algorithm == new.key.algorithm else {
        throw .attestation
      }
      try new.key.verify(signature, of: message)
      return .selfSigned
    }
    guard statement.members.count == 3, let leaf = chain.array?.first?.bytes else {
      throw .attestation
    }
    do {
      let certificate = try AttestationCertificate(der: leaf)
      try certificate.verify(signature, of: message, algorithm.certificateKind)
      guard certificate.model == nil || certificate.model == new.model else {
        throw SignatureError.key
      }
    } catch {
      throw .attestation
    }
    return .unverified
  }
}

extension PasskeyKey.Algorithm {
  fileprivate var certificateKind: AttestationCertificate.Kind {
    switch self {
    case .es256: .es256
    case .rs256: .rs256
    case .ed25519: .ed25519
    }
  }
}
