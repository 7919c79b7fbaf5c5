public import Foundation

/// The clocks that the kit reads and waits by; tests replace them.
public protocol Timekeeper: Sendable {
  /// The device's idea of the time, which a person may set.
  var wall: Date { get }

  /// Time since some fixed moment, which goes on while the device sleeps and never goes back.
  var uptime: Duration { get }

  /// Returns once `uptime` has reached an instant; throws `CancellationError` if cancelled.
  func wait(until uptime: Duration) async throws
}

/// The clocks of the device.
public struct SystemTimekeeper: Timekeeper {
  private let start = ContinuousClock.now

  /// Reads the clocks of the device.
  public init() {}

  /// The time of the device.
  public var wall: Date { Date() }

  /// Time since the start, with sleep.
  public var uptime: Duration { ContinuousClock.now - start }

  /// Returns at an instant of `uptime`.
  public func wait(until uptime: Duration) async throws {
    try await ContinuousClock().sleep(until: start + uptime)
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
