internal import RPCKit

/// A request whose head was read, before it is known which exchange it becomes.
package struct HTTPArrival {
  let head: HTTPRequestHead
  /// Its number on the connection.
  let id: UInt32
  /// When its first byte was read.
  let received: MonotonicInstant
  let connection: HTTPConnection
}
