internal import RPCKit

/// Counts attempts for each source, and refuses those of one that had too many.
///
/// A source may spend `limit` attempts at once and gets them back evenly over the window (`CellRate`). An
/// attempt is taken before it is known how it ends, and given back when it was right; a source that
/// signs many users in is so never refused.
package final class SourceLimiter: Sendable {
  private struct Entry: BoundedTableEntry {
    let key: UInt64
    /// When all attempts are back, in milliseconds since 1970.
    var settled: Int64 = 0
    /// A bit for each account that was tried, several accounts to a bit.
    var accounts: UInt64 = 0

    init(key: UInt64) { self.key = key }

    var worth: Int64 { settled }
  }

  /// The outcome of an attempt.
  package enum Outcome: Hashable, Sendable {
    case taken
    /// There may be another one after so many milliseconds.
    case refused(wait: Int64)
  }

  /// Accounts of one source in one window from which on it looks like guessing.
  package static let accountCountMax = 8

  private let rate: CellRate
  private let key: HMACKey
  private let table: Lock<BoundedTable<Entry>>

  /// Makes a limiter of `limit` attempts in a window; `key` is a secret of 32 bytes.
  package init(limit: Int, window: Int64, sourceCount: Int, key: [UInt8]) {
    let count = Int64(max(1, limit))
    rate = CellRate(count: count, interval: window / count)
    self.key = HMACKey(key)
    table = Lock(BoundedTable(count: sourceCount))
  }

  /// Takes an attempt of a source.
  package func take(_ source: SourceAddress, now: Int64) -> Outcome { take(source.bytes, now: now) }

  /// Takes an attempt of whatever has a name: a source, an account.
  package func take(_ name: [UInt8], now: Int64) -> Outcome {
    let key = digest(name)
    return table.withLock { table in
      table.change(key) { entry -> Outcome in
        if rate.isSettled(entry.settled, now: now) { entry.accounts = 0 }
        let wait = rate.take(&entry.settled, now: now)
        return wait.map { Outcome.refused(wait: $0) } ?? .taken
      }
    }
  }

  /// Gives an attempt back: it was right, or did not come to be.
  package func giveBack(_ source: SourceAddress) { giveBack(source.bytes) }

  /// Gives an attempt back; see the other `giveBack`.
  package func giveBack(_ name: [UInt8]) {
    let key = digest(name)
    table.withLock { table in table.update(key) { rate.giveBack(&$0.settled) } }
  }

  /// Notes whose account an attempt was wrong for; true when that makes it many accounts.
  package func isGuessing(_ source: SourceAddress, account: [UInt8]) -> Bool {
    let (key, bit) = (digest(source.bytes), digest(account) % 64)
    return table.withLock { table -> Bool in
      var isGuessing = false
      table.update(key) { entry in
        let before = entry.accounts.nonzeroBitCount
        entry.accounts |= 1 << bit
        let after = entry.accounts.nonzeroBitCount
        isGuessing = before < Self.accountCountMax && after >= Self.accountCountMax
      }
      return isGuessing
    }
  }

  private func digest(_ bytes: [UInt8]) -> UInt64 {
    key.code(of: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
