/// Why a token is not accepted.
///
/// For metrics and tests. To the outside all but `keysUnavailable` are one answer: a caller who learns
/// which check failed learns how to pass it.
public enum TokenFault: String, Error, Hashable, Sendable, CaseIterable {
  /// More bytes than any token of ours has.
  case tooLong
  /// Not three parts with dots between, or a part that is not strict base 64.
  case encoding
  /// The header is not a JSON object, or has a member twice.
  case header
  /// Another algorithm than the key's.
  case algorithm
  /// No key identifier, or one that none of ours looks like.
  case keyIdentifier
  /// A key, or where to find one, inside the token: `jku`, `jwk`, `x5u`, `x5c`.
  case embeddedKey
  /// Extensions that must be understood: `crit`, `b64`, `zip`, `cty`.
  case extensions
  /// Made for another purpose.
  case type
  /// A well-formed key identifier that the key set does not have.
  case unknownKey
  /// As `unknownKey`, while the keys cannot be fetched: the token may be good.
  case keysUnavailable
  /// Not signed by that key.
  case signature
  /// The claims are not a JSON object, have a member twice, or miss one, or one has a wrong type.
  case claims
  /// The token is of another issuer.
  case issuer
  /// For somebody else.
  case audience
  /// No longer valid.
  case expired
  /// Not yet valid, or issued in the future.
  case notYetValid
  /// Valid for longer than tokens of this kind are.
  case lifetime
  /// Its session or user was revoked.
  case revoked
  /// Used before, by somebody else.
  case replayed
}
