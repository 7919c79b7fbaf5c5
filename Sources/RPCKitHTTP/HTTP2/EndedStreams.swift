/// The streams of a connection that its client has ended and that were closed last: a frame on one of them is an
/// error (RFC 9113 section 5.1), which nobody could tell of a stream that was forgotten.
///
/// Bounded, as a client may open as many as it likes one after another.
struct EndedStreams {
  private var ids: [UInt32] = []
  private var next = 0

  /// Streams that are remembered: a client that sends on one closed before these has slept.
  static let countMax = 32

  mutating func insert(_ id: UInt32) {
    guard ids.count == Self.countMax else { return ids.append(id) }
    ids[next] = id
    next = (next + 1) % Self.countMax
  }

  func contains(_ id: UInt32) -> Bool { ids.contains(id) }
}
