internal import ServiceKit

/// The owner of a password hash: hashes of one share wait for one another, and hardly for other shares.
///
/// A digest, so that the queue holds no addresses.
struct HashShare: Hashable, Sendable {
  private let digest: [UInt8]

  /// The share of anyone who is known to have been right for an account.
  init(account: [UInt8]) { digest = account }

  /// The share of one source of attempts on an account: nobody else can use up that of its owner.
  init(account: [UInt8], from source: SourceAddress?) {
    digest = account + (source?.bytes ?? [])
  }

  /// The share of a user who is signed in.
  init(user id: String) { digest = Array(id.utf8) }
}
