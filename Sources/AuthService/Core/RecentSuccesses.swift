internal import RPCKit
internal import ServiceKit

/// From where accounts were signed in to since the start.
///
/// It decides in which queue a password waits and nothing else: that somebody at the same address was
/// right once is no reason to let anybody try more often.
final class RecentSuccesses: Sendable {
  private struct Entry: BoundedTableEntry {
    let key: UInt64
    var time: Int64 = 0

    init(key: UInt64) { self.key = key }

    var worth: Int64 { time }
  }

  /// How long a success counts, in milliseconds: 30 days.
  static let lifetime: Int64 = 30 * 86_400_000
  private static let count = 16_384

  private let key: HMACKey
  private let table = Lock(BoundedTable<Entry>(count: count))

  /// Makes an empty list; `key` is a secret of 32 bytes.
  init(key: [UInt8]) { self.key = HMACKey(key) }

  /// Remembers that an account was signed in to from a source.
  func insert(_ account: [UInt8], _ source: SourceAddress, now: Int64) {
    let key = digest(account, source)
    table.withLock { table in table.change(key) { $0.time = now } }
  }

  /// Whether it was, lately.
  func contains(_ account: [UInt8], _ source: SourceAddress, now: Int64) -> Bool {
    let key = digest(account, source)
    guard let entry = table.withLock({ $0.find(key) }) else { return false }
    return now.subtractingSaturated(entry.time) < Self.lifetime
  }

  private func digest(_ account: [UInt8], _ source: SourceAddress) -> UInt64 {
    // An account's digest always has the same length, so that no two pairs look the same.
    key.code(of: account + source.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
