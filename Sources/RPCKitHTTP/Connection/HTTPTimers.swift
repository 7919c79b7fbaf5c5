internal import RPCKit

/// The timers that every HTTP connection has beside the deadlines of its calls.
struct HTTPTimers {
  /// Output that the client does not take.
  var stall = TimerID.none
  /// The age at which the connection is asked to move on.
  var age = TimerID.none
  /// The client may still read.
  var linger = TimerID.none
  /// Bounds the whole end of the connection.
  var close = TimerID.none

  /// Which timer fired: above every number of a call, which are tokens too.
  ///
  /// Tokens from `firstOfVersion` on are for the versions of the protocol.
  enum Token: UInt64 {
    case stall = 0x1_0000_0000
    case age
    case linger
    case close
  }

  static let firstOfVersion: UInt64 = 0x2_0000_0000

  mutating func cancelAll(_ loop: any EventLoop) {
    cancelUse(loop)
    for timer in [stall, linger, close] where timer != .none { loop.cancel(timer) }
    self = HTTPTimers()
  }

  /// Cancels those that watch a connection in use, and not how it ends.
  mutating func cancelUse(_ loop: any EventLoop) {
    if age != .none { loop.cancel(age) }
    age = .none
  }
}
