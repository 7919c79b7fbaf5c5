import Foundation
import Testing

/// The two programs on containerd's own ttrpc library (interop/README.md), built once per run.
struct GoPrograms {
  let folder: String

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Whether the tests can run here.
  ///
  /// Under CI they must, so there a missing Go is a failure of the tests and not a reason to leave
  /// them out.
  static var isExpected: Bool {
    let environment = ProcessInfo.processInfo.environment
    if environment["CI"] == "true" || environment["RPCKIT_INTEROP_DIRECTORY"] != nil { return true }
    if ForeignProgram.run(["go", "version"]) != nil { return true }
    print("interop: Go is not installed, so nothing was tried against it; run scripts/setup")
    return false
  }

  static let shared = Result { try GoPrograms() }

  private init() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let environment = ProcessInfo.processInfo.environment
    folder =
      environment["RPCKIT_INTEROP_DIRECTORY"] ?? root.appendingPathComponent(".build-interop").path
    guard ForeignProgram.run(["interop/build", folder], directory: root) != nil else {
      throw Missing(description: "interop/build \(folder) fails; run it to see why")
    }
  }

  /// What the Go client said of one case.
  struct Verdict: Decodable {
    var `case`: String
    var ok: Bool
    var detail: String
  }

  /// Runs every case of the Go client against `target`.
  ///
  /// Blocks, so not on a loop or in the pool of tasks.
  func runClient(against target: String) throws -> [Verdict] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "\(folder)/ttrpc-client")
    process.arguments = ["--target", target]
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try text.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Verdict.self, from: Data($0))
    }
  }

  /// Runs `body` with the address of a Go server, which ends with it.
  func withServer(
    at address: String,
    _ body: (_ target: String) async throws -> Void
  ) async throws {
    let (process, output, input) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "\(folder)/ttrpc-server")
    process.arguments = ["--listen", address, "--until-stdin-closes"]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    defer {
      input.fileHandleForWriting.closeFile()
      process.waitUntilExit()
    }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == "listening" else {
      throw Missing(description: "the Go server said \(line)")
    }
    try await body(String(words[1]))
  }
}
