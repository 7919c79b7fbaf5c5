import Foundation

/// Runs protoc as an independent peer: it has its own parser, encoder and rules.
enum Protoc {
  struct Outcome {
    var status: Int32
    var output: [UInt8]
    var errors: String
  }

  /// The top of the package.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Our plugin, which is built next to the tests; nil when it was not.
  static let plugin: URL? = {
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let plugin = folder.appending(path: "protoc-gen-rpckit")
    return FileManager.default.isExecutableFile(atPath: plugin.path) ? plugin : nil
  }()

  /// Where Debian's protoc is, or nil.
  static let executable: URL? = {
    let path = "/usr/bin/protoc"
    return FileManager.default.isExecutableFile(atPath: path) ? URL(filePath: path) : nil
  }()

  /// Runs protoc on the package's contracts.
  static func run(_ arguments: [String], input: [UInt8] = []) throws -> Outcome {
    guard let executable else { throw CocoaError(.executableNotLoadable) }
    return try run(executable, imports + arguments, input: input)
  }

  /// Where the package's contracts and Google's are.
  static var imports: [String] {
    ["-I", root.appending(path: "proto").path, "-I", "/usr/include"]
  }

  /// Runs any program to its end.
  static func run(
    _ executable: URL,
    _ arguments: [String],
    input: [UInt8] = []
  ) throws -> Outcome {
    // Files instead of pipes: nothing can fill up and wait.
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["input", "output", "errors"].map { folder.appending(path: $0) }
    try Data(input).write(to: files[0])
    try Data().write(to: files[1])
    try Data().write(to: files[2])
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: [UInt8](try Data(contentsOf: files[1])),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
    )
  }

  /// Runs our plugin on a file of this text; the outcome holds the errors, or all that was written.
  static func generate(_ text: String, name: String = "bad.proto") throws -> Outcome {
    guard let plugin else { throw CocoaError(.executableNotLoadable) }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let output = folder.appending(path: "output")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(text.utf8).write(to: folder.appending(path: name))
    var outcome = try run([
      "-I", folder.path, "--plugin=protoc-gen-rpckit=\(plugin.path)",
      "--rpckit_out=\(output.path)", name,
    ])
    let names = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
    for name in names {
      outcome.output += [UInt8](try Data(contentsOf: output.appending(path: name)))
    }
    return outcome
  }
}
