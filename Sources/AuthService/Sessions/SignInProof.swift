internal import ServiceKit

/// How a user proved to be who they are, as the access tokens of the session say it.
public struct SignInProof: Hashable, Sendable {
  /// How much the proof is worth (`acr` of RFC 9068, section 2.2.1): `pwd`, `mfa`, `phr`, `phrh`, `fed`.
  public var acr: String
  /// The proofs that were shown (`amr` of RFC 8176), in order.
  public var methods: [String]

  /// A password alone.
  public static let password = SignInProof(acr: "pwd", methods: ["pwd"])

  /// Whether a password is part of it.
  var isPassword: Bool { methods.contains("pwd") }

  /// The word of an identity provider, which says little of what the user showed to it.
  public static let federated = SignInProof(acr: "fed", methods: ["fed"])

  /// A parent's word for a child, which satisfies no step-up.
  static let child = SignInProof(acr: Assurance.child, methods: ["child"])

  /// Makes a proof; neither may be empty or contain a space.
  public init(acr: String, methods: [String]) {
    self.acr = acr
    self.methods = methods
  }

  /// The methods as they are stored, with spaces between them.
  var amr: String { methods.joined(separator: " ") }

  /// A proof as it was stored.
  init(acr: String, amr: String) {
    self.init(acr: acr, methods: amr.split(separator: " ").map(String.init))
  }
}
