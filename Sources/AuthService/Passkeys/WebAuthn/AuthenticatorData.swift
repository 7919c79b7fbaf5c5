/// The data that an authenticator signs besides the challenge (WebAuthn, section 6.1).
struct AuthenticatorData: Hashable, Sendable {
  /// The flags about the authenticator and its user.
  struct Flags: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The user touched it.
    static let userPresent = Flags(rawValue: 1 << 0)
    /// It verified who.
    static let userVerified = Flags(rawValue: 1 << 2)
    /// The key can be copied to other devices of its user.
    static let backupEligible = Flags(rawValue: 1 << 3)
    /// The key has been.
    static let backedUp = Flags(rawValue: 1 << 4)
    /// A new key comes along.
    static let hasKey = Flags(rawValue: 1 << 6)
    /// Outputs of extensions come along.
    static let hasExtensions = Flags(rawValue: 1 << 7)
  }

  /// A key that was just made.
  struct NewKey: Hashable, Sendable {
    /// The model of the authenticator, 16 bytes; all zero when it does not say.
    let model: [UInt8]
    /// The credential identifier, 1 to 1,023 bytes.
    let id: [UInt8]
    /// The key as it is encoded.
    let encoded: [UInt8]
    /// The key.
    let key: PasskeyKey
  }

  /// SHA-256 of the relying party's identifier.
  let relyingPartyHash: [UInt8]
  let flags: Flags
  /// How often the authenticator signed, or 0 when it does not count.
  let signCount: UInt32
  let newKey: NewKey?

  /// Bytes of what is always there.
  private static let fixedByteCount = 37
  private static let idByteCountMax = 1023

  /// Reads authenticator data; throws for any byte that does not belong there.
  init(_ bytes: [UInt8]) throws(PasskeyFault) {
    guard bytes.count >= Self.fixedByteCount else { throw .authenticatorData }
    relyingPartyHash = Array(bytes[..<32])
    let flags = Flags(rawValue: bytes[32])
    self.flags = flags
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = bytes[Self.fixedByteCount...]
    newKey = flags.contains(.hasKey) ? try Self.takeKey(&rest) : nil
    if flags.contains(.hasExtensions) {
      // Nobody asked for any: they are read to find their end, and ignored.
      let (extensions, behind) = try CBORReader.readFirst(rest)
      guard extensions.map != nil else { throw .authenticatorData }
      rest = behind
    }
    guard rest.isEmpty else { throw .authenticatorData }
    guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backupState }
  }

  private static func takeKey(_ rest: inout ArraySlice<UInt8>) throws(PasskeyFault) -> NewKey {
    guard rest.count >= 18 else { throw .authenticatorData }
    let model = Array(rest.prefix(16))
    let count = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(18)
    guard (1...idByteCountMax).contains(count) else { throw .credentialID }
    guard rest.count > count else { throw .authenticatorData }
    let id = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    let (value, behind) = try CBORReader.readFirst(rest)
    let encoded = Array(rest[..<behind.startIndex])
    rest = behind
    return NewKey(model: model, id: id, encoded: encoded, key: try PasskeyKey(value))
  }
}
