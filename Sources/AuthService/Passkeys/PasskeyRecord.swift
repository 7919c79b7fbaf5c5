/// A passkey as this service keeps it.
struct PasskeyRecord: Hashable, Sendable {
  /// Identifier, `pky_…`.
  var id: String
  /// The authenticators' name of it.
  var credentialID: [UInt8]
  /// Its user.
  var userID: String
  /// The public key, as COSE encodes it.
  var publicKey: [UInt8]
  /// The highest count of signatures that was shown; 0 for authenticators that do not count.
  var signCount: UInt32
  /// Whether it can be copied to other devices of its user.
  var isBackupEligible: Bool
  /// Whether it has been.
  var isBackedUp: Bool
  /// Ways to the authenticator.
  var transports: [String]
  /// The model of the authenticator, 16 bytes; all zero when it did not say.
  var model: [UInt8]
  /// The attestation of how it was made.
  var attestation: Attestation.Outcome
  /// The relying party that it is bound to.
  var relyingParty: String
  /// The user's name for it.
  var name: String
  /// Whether the account's address was verified when it was registered.
  var isAddressProven: Bool
  /// When it was registered, in milliseconds since 1970.
  var created: Int64
  /// When it was used last; nil when never.
  var lastUsed: Int64?
  /// When its counter did not rise, at last; nil when it always did.
  var counterFell: Int64?

  /// How many an account may have.
  static let countMax = 20

  /// The change of the counter of a passkey.
  enum CounterChange: Sendable {
    /// It rose, or the passkey has none.
    case rose
    /// A later use was taken first, while the ceremony of this one was under way.
    case overtaken
    /// It did not rise: there may be two of the key.
    case fell
  }

  /// Takes what was proven of a use, whose ceremony began at `begun`; the higher value of the counter stays.
  ///
  /// Whether a key can be backed up is not supposed to change and does on real devices, so that is remembered and
  /// refuses nobody.
  mutating func take(_ use: ProvenUse, begun: Int64, now: Int64) -> CounterChange {
    var change = CounterChange.rose
    if signCount != 0 || use.signCount != 0, use.signCount <= signCount {
      // Two of a key may count alike; two uses of one do not.
      let isLate = use.signCount < signCount && lastUsed.map { $0 >= begun } == true
      change = isLate ? .overtaken : .fell
    }
    signCount = max(signCount, use.signCount)
    isBackupEligible = use.flags.contains(.backupEligible)
    isBackedUp = use.flags.contains(.backedUp)
    lastUsed = now
    if change == .fell { counterFell = now }
    return change
  }
}
