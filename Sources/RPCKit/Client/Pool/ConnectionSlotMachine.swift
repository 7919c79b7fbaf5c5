/// One connection that a channel wants to have: whether it is there, being made, or waited for.
///
/// A connection that got GOAWAY leaves the slot at once, finishes its calls on its own,
/// and the slot makes the next.
enum ConnectionSlotMachine: ~Copyable {
  /// Not wanted yet.
  ///
  /// Next: `connecting`, `closed`.
  case idle
  /// Being made.
  ///
  /// Next: `ready`, `backingOff`, `draining`.
  case connecting(failures: Int)
  /// Calls may use it.
  ///
  /// Next: `connecting`, `backingOff`, `draining`.
  case ready(failures: Int)
  /// The last attempt failed.
  ///
  /// Next: `connecting`, `closed`.
  case backingOff(failures: Int)
  /// No longer wanted; its last calls finish.
  ///
  /// Next: `closed`.
  case draining
  /// Terminal.
  case closed

  enum OnConnect: Equatable { case connect, ignore }

  /// A call wants a connection, or the back-off is over.
  mutating func connect() -> OnConnect {
    switch consume self {
    case .idle:
      self = .connecting(failures: 0)
      return .connect
    case .backingOff(let failures):
      self = .connecting(failures: failures)
      return .connect
    case .connecting(let failures):
      self = .connecting(failures: failures)
      return .ignore
    case .ready(let failures):
      self = .ready(failures: failures)
      return .ignore
    case .draining:
      self = .draining
      return .ignore
    case .closed:
      self = .closed
      return .ignore
    }
  }

  enum OnConnected: Equatable { case announce, ignore }

  /// The connection can take calls.
  mutating func connected() -> OnConnected {
    switch consume self {
    case .connecting(let failures):
      self = .ready(failures: failures)
      return .announce
    case .draining:
      // A race: it was released while it was being made, and will close without a call.
      self = .draining
      return .ignore
    case .closed:
      self = .closed
      return .ignore
    case .idle:
      preconditionFailure("an idle slot has no connection")
    case .ready:
      preconditionFailure("a slot's connection became ready twice")
    case .backingOff:
      preconditionFailure("a slot in back-off has no connection")
    }
  }

  enum OnLost: Equatable {
    /// It had served: make another at once.
    case connect
    /// Wait; this many attempts in a row came to nothing.
    case backOff(failures: Int)
    /// It was no longer wanted.
    case closed
    case ignore
  }

  /// The slot's connection could not be made or is gone.
  ///
  /// `wasUseful`: it had answered something.
  mutating func lost(wasUseful: Bool) -> OnLost {
    switch consume self {
    case .connecting(let failures):
      self = .backingOff(failures: failures + 1)
      return .backOff(failures: failures + 1)
    case .ready(let failures):
      guard wasUseful else {
        self = .backingOff(failures: failures + 1)
        return .backOff(failures: failures + 1)
      }
      self = .connecting(failures: 0)
      return .connect
    case .draining:
      self = .closed
      return .closed
    case .closed:
      self = .closed
      return .ignore
    case .idle:
      preconditionFailure("an idle slot has no connection")
    case .backingOff:
      preconditionFailure("a slot in back-off has no connection")
    }
  }

  enum OnRetired: Equatable { case connect, backOff(failures: Int), ignore }

  /// The connection takes no more calls (GOAWAY, age, numbers used up) and finishes on its own.
  mutating func retired(wasUseful: Bool) -> OnRetired {
    switch consume self {
    case .ready(let failures):
      guard wasUseful || failures == 0 else {
        // A server that sends everyone away must not be asked again and again without a pause.
        self = .backingOff(failures: failures + 1)
        return .backOff(failures: failures + 1)
      }
      self = .connecting(failures: wasUseful ? 0 : 1)
      return .connect
    case .draining:
      self = .draining
      return .ignore
    case .closed:
      self = .closed
      return .ignore
    case .idle:
      preconditionFailure("an idle slot has no connection")
    case .connecting:
      preconditionFailure("a connection retires only after it was ready")
    case .backingOff:
      preconditionFailure("a slot in back-off has no connection")
    }
  }

  enum OnRelease: Equatable {
    /// Drain the connection; `lost` follows.
    case drainConnection
    /// There is none: the slot is closed.
    case closed
    case ignore
  }

  /// The slot is no longer wanted: its address vanished or the channel closes.
  mutating func release() -> OnRelease {
    switch consume self {
    case .idle:
      self = .closed
      return .closed
    case .backingOff:
      self = .closed
      return .closed
    case .connecting:
      self = .draining
      return .drainConnection
    case .ready:
      self = .draining
      return .drainConnection
    case .draining:
      self = .draining
      return .ignore
    case .closed:
      self = .closed
      return .ignore
    }
  }
}
