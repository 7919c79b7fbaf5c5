import Foundation

/// Runs a program that somebody else wrote, as an independent witness.
enum ForeignProgram {
  /// What the program wrote to its standard output; nil when it is missing or fails.
  ///
  /// `input` must fit a pipe (64 KiB), because nobody reads while it is written.
  static func run(
    _ arguments: [String],
    input: [UInt8] = [],
    directory: URL? = nil
  ) -> [UInt8]? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    let standardInput = Pipe()
    let standardOutput = Pipe()
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = FileHandle.nullDevice
    // A missing program is a legitimate answer here, not an error of the test.
    guard (try? process.run()) != nil else { return nil }
    standardInput.fileHandleForWriting.write(Data(input))
    standardInput.fileHandleForWriting.closeFile()
    let output = standardOutput.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? Array(output) : nil
  }
}
