/// So many attempts at once, which come back evenly over a window: the generic cell rate algorithm, where
/// one instant says when all of them are back.
///
/// Times are in milliseconds since 1970.
struct CellRate: Sendable {
  /// How long an attempt takes to come back.
  let interval: Int64
  /// How long all of them take.
  let window: Int64

  /// Makes a rate of `count` attempts, one of which comes back each `interval`.
  init(count: Int64, interval: Int64) {
    self.interval = max(1, interval)
    window = self.interval * max(1, count)
  }

  /// Whether all attempts of somebody are back.
  func isSettled(_ settled: Int64, now: Int64) -> Bool {
    // A longer time than there is comes from a clock that was set back since.
    settled <= now || settled.subtractingSaturated(now) > window
  }

  /// Takes an attempt of somebody whose attempts are all back at `settled`; how long there is none when
  /// it could not be taken.
  func take(_ settled: inout Int64, now: Int64) -> Int64? {
    let next = (isSettled(settled, now: now) ? now : settled).addingSaturated(interval)
    let wait = next.subtractingSaturated(now) - window
    guard wait <= 0 else { return wait }
    settled = next
    return nil
  }

  /// Gives an attempt back.
  func giveBack(_ settled: inout Int64) { settled = settled.subtractingSaturated(interval) }
}
