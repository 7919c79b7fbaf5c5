/// How many bytes a loop reads at once from each connection.
///
/// A turn reads from every connection that has sent something. If many send as much as they can, reading,
/// and refusing what cannot be served, would make turns so long that everybody else waits for them. So
/// less is read at once while turns take long, and more again when they do not. What is not read stays
/// with the kernel, which pushes the senders back.
struct ReadBudget {
  /// The most bytes read in one go while turns are short.
  static let byteCountMax = 64 << 10
  /// The fewest bytes read in one go: a few small requests.
  static let byteCountMin = 4 << 10
  /// A turn that takes longer is long; handlers alone may use 5 ms of it.
  static let longTurnNanoseconds: Int64 = 8_000_000
  /// A turn that takes less is short.
  static let shortTurnNanoseconds: Int64 = 4_000_000

  private(set) var byteCount = ReadBudget.byteCountMax

  /// Notes how long a turn took.
  mutating func turnTook(nanoseconds: Int64) {
    if nanoseconds > Self.longTurnNanoseconds {
      byteCount = max(Self.byteCountMin, byteCount / 2)
    } else if nanoseconds < Self.shortTurnNanoseconds {
      byteCount = min(Self.byteCountMax, byteCount * 2)
    }
  }
}
