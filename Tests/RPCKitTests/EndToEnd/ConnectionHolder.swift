import Foundation
import RPCKit

/// `rpcload --hold`: a process with many connections that made one call each and rest.
final class ConnectionHolder {
  private let process = Process()
  private let output = Pipe()

  /// Starts it; the program is built beside the tests.
  init(_ count: Int, to address: SocketAddress) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("rpcload")
    process.arguments = [
      "--target", "\(address)", "--connections", "\(count)", "--hold", "120", "--quiet",
      "--service", "testing.v1.RichService", "--method", "Echo", "--template", "",
    ]
    process.standardOutput = output
    try process.run()
  }

  /// Waits until every connection has made its call; false when the process failed.
  var isHolding: Bool {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "holding\n"
  }

  /// Ends the process, if it runs.
  func end() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }
}
