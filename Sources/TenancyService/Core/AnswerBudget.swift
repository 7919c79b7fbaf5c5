internal import RPCKit

/// How much of a page fits into one answer.
///
/// 1000 devices with all the attributes they may have are more than a frame takes: without this, such a
/// page could never be read. It ends early instead, and the next one begins where it ends.
struct AnswerBudget {
  /// Bytes of the items of a page together, unless the first one alone is larger.
  ///
  /// Half of what a frame takes, so that there is room for what stands beside them.
  static let byteCountMax = 2 << 20
  /// What an item costs besides its own bytes, at most: its tag and its length.
  private static let itemByteCount = 8

  private var byteCount = 0

  /// Takes an item; false when it does not fit any more.
  mutating func takes(_ item: some Message) -> Bool {
    let isFirst = byteCount == 0
    byteCount += item.protobufBytes.count + Self.itemByteCount
    return isFirst || byteCount <= Self.byteCountMax
  }
}
