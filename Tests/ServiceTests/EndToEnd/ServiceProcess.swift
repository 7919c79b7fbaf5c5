import Foundation
import Glibc
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceTesting

/// One service of an installation: its program, when it runs, and a channel to it.
final class ServiceProcess: Sendable {
  let name: String
  /// Where it listens, as clients are told.
  let target: String
  let channel: Channel
  /// A client that speaks HTTP/1.1 to it.
  let http: HTTPClient
  private let folder: TemporaryFolder
  private let loop: any EventLoop
  private let current = Lock<ChildProcess?>(nil)

  /// Knows where the service will be; nothing runs yet.
  init(_ name: String, port: UInt16, in folder: TemporaryFolder, on loops: EventLoopGroup) throws {
    self.name = name
    self.folder = folder
    loop = loops.loops[0]
    var configuration = ChannelConfiguration(loops: loops)
    configuration.connectionsPerAddress = 1
    // Restarts are timed, and the pause before connecting again is no part of them.
    configuration.reconnect = BackOff(initial: .milliseconds(5), maximum: .milliseconds(20))
    // What is tested is the answer of the service, not that of asking five times.
    configuration.retry = .never
    target = "tcp://127.0.0.1:\(port)"
    http = HTTPClient(address: .ipv4([127, 0, 0, 1], port: port), loop: loop)
    channel = try Channel(target, configuration)
  }

  /// As many descriptors as a shell gives a program nearly everywhere.
  static let descriptorCount = 1024

  /// The limits of the running program, by their names in proc_pid_limits(5).
  var limits: [String: (soft: String, hard: String)] {
    guard let child = current.withLock({ $0 }),
      let text = try? String(contentsOfFile: "/proc/\(child.id)/limits", encoding: .utf8)
    else { return [:] }
    var limits: [String: (soft: String, hard: String)] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      // The name has 25 columns, and blanks in it.
      let values = line.dropFirst(25).split(separator: " ")
      guard values.count >= 2 else { continue }
      let name = line.prefix(25).trimmingCharacters(in: .whitespaces)
      limits[name] = (String(values[0]), String(values[1]))
    }
    return limits
  }

  /// Starts the program and waits until it is ready; returns how long that took.
  @discardableResult
  func start() async throws -> Duration {
    let began = ContinuousClock.now
    // A write past a limit is an error then, like one to a full disk, and not the end
    // (setrlimit(2)).
    let child = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"trap "" XFSZ; ulimit -Sn \#(Self.descriptorCount); exec "$0" "$@""#,
        try Self.program(name), "--config", folder.file("\(name).json"),
      ],
      output: folder.file("\(name).log")
    )
    current.withLock { $0 = child }
    let health = Grpc_Health_V1.HealthClient(channel)
    let isReady = await eventually(within: .seconds(30)) {
      guard child.ending == nil else { return true }
      let options = CallOptions(timeout: .seconds(5), waitsForReady: true)
      // What fails is not ready yet.
      return (try? await health.check(.init(), options: options))?.status == .serving
    }
    guard isReady, child.ending == nil else {
      let log = folder.end(of: "\(name).log")
      throw ChildProcess.Failure(description: "\(name)-service does not get ready:\n\(log)")
    }
    return ContinuousClock.now - began
  }

  /// Runs one of the program's commands; how it ended and what it said.
  func command(_ arguments: [String]) async throws -> (ending: ChildProcess.Ending?, text: String) {
    let output = "\(name).command.\(UInt32.random(in: 0...(.max)))"
    let child = try ChildProcess(
      try Self.program(name),
      arguments + ["--config", folder.file("\(name).json")],
      output: folder.file(output)
    )
    _ = await eventually(within: .seconds(30)) { child.ending != nil }
    return (child.ending, folder.end(of: output))
  }

  /// The process of the running program.
  var processID: Int32? { current.withLock { $0?.id } }

  /// Sends a signal, if the program runs.
  func send(_ signal: Int32) { current.withLock { $0 }?.send(signal) }

  /// Waits until the program has ended; nil when it does not in time.
  func ending(within limit: Duration = .seconds(20)) async -> ChildProcess.Ending? {
    guard let child = current.withLock({ $0 }) else { return nil }
    _ = await eventually(within: limit) { child.ending != nil }
    return child.ending
  }

  /// Ends the program as a power failure would, as far as a signal can.
  func kill() async throws {
    send(SIGKILL)
    try #require(await ending() == .killed(SIGKILL))
  }

  /// Lets the program write no more to any file, or as much as it wants to again.
  func setDiskFull(_ isFull: Bool) async throws {
    guard let child = current.withLock({ $0 }) else { return }
    let limit = try ChildProcess(
      "/usr/bin/prlimit",
      ["--pid", "\(child.id)", "--fsize=\(isFull ? "0" : "unlimited"):"],
      output: folder.file("prlimit.log")
    )
    _ = await eventually { limit.ending != nil }
    try #require(limit.ending == .exited(0), "\(folder.end(of: "prlimit.log"))")
  }

  /// Tries again and again until `condition` holds, and says whether it came in time.
  func eventually(
    within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
  ) async rethrows -> Bool {
    try await loop.eventually(within: limit, condition)
  }

  /// Tries until the services have found one another again.
  func again<Result>(_ body: () async throws -> Result) async throws -> Result {
    var last: Result?
    let worked = try await eventually {
      do {
        last = try await body()
        return true
      } catch let error as RPCError where error.code == .unavailable {
        return false
      }
    }
    return try #require(worked ? last : nil)
  }

  /// The programs are built beside the tests.
  static func program(_ name: String) throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: own).deletingLastPathComponent()
      .appendingPathComponent("\(name)-service").path
  }
}
