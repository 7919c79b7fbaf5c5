import Foundation

/// Contracts in a folder of their own, generated and compiled as in another package that uses RPCKit.
struct GeneratedModule {
  private let folder: URL
  private let names: [String]

  /// Writes the contracts; `remove()` takes everything away again.
  init(_ files: [String: String]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    names = files.keys.sorted()
    for (name, text) in files {
      let file = folder.appending(path: "proto/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    for name in ["swift", "include"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name),
        withIntermediateDirectories: true
      )
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  /// What went wrong on the way to Swift, or nothing.
  func generateSwift() throws -> String {
    guard let plugin = Protoc.plugin else { throw CocoaError(.executableNotLoadable) }
    let outcome = try Protoc.run(
      ["-I", path("proto"), "--plugin=protoc-gen-rpckit=\(plugin.path)"]
        + ["--rpckit_out=module=Names:\(path("swift"))"] + names
    )
    return outcome.status == 0 ? "" : outcome.errors
  }

  /// What went wrong on the way to C, or nothing.
  func generateC() throws -> String {
    guard let plugin = Protoc.plugin else { throw CocoaError(.executableNotLoadable) }
    let plain = try Protoc.run(
      ["-I", path("proto"), "--include_imports", "--descriptor_set_out=\(path("plain.pb"))"] + names
    )
    guard plain.status == 0 else { return plain.errors }
    let input = [UInt8](try Data(contentsOf: folder.appending(path: "plain.pb")))
    let annotated = try Protoc.run(plugin, ["annotate"], input: input)
    guard annotated.status == 0 else { return annotated.errors }
    try Data(annotated.output).write(to: folder.appending(path: "annotated.pb"))
    let structs = try Protoc.run(
      URL(filePath: "/usr/bin/protoc-c"),
      ["--descriptor_set_in=\(path("annotated.pb"))", "--c_out=\(path("include"))"] + names
    )
    guard structs.status == 0 else { return structs.errors }
    try writeModule()
    return ""
  }

  /// The module CProtobufC with these structs besides its own.
  private func writeModule() throws {
    let own = Protoc.root.appending(path: "Sources/CProtobufC/include")
    for name in try FileManager.default.contentsOfDirectory(atPath: own.path) {
      let target = folder.appending(path: "include/\(name)")
      guard name != "generated.h", !FileManager.default.fileExists(atPath: target.path) else {
        continue
      }
      try FileManager.default.createSymbolicLink(
        at: target,
        withDestinationURL: own.appending(path: name)
      )
    }
    var header = String(
      decoding: try Data(contentsOf: own.appending(path: "generated.h")),
      as: UTF8.self
    )
    var sources = ""
    for name in names {
      let base = name.dropLast(6)
      header += "#include \"\(base).pb-c.h\"\n"
      sources += "#include \"\(base).pb-c.c\"\n"
      let text = String(
        decoding: try Data(contentsOf: folder.appending(path: "include/\(base).pb-c.h")),
        as: UTF8.self
      )
      let descriptor = /extern const ProtobufCMessageDescriptor +([a-z0-9_]+)__descriptor;/
      for match in text.matches(of: descriptor) {
        header += """
          static inline const ProtobufCMessageDescriptor *rpckit_descriptor_\(match.output.1)(void) {
            return &\(match.output.1)__descriptor;
          }

          """
      }
    }
    try Data(header.utf8).write(to: folder.appending(path: "include/generated.h"))
    try Data(sources.utf8).write(to: folder.appending(path: "all.c"))
  }

  /// What C compilers say, or nothing: that of the package with its warnings, and the system's.
  func compileC() throws -> String {
    let input = ["-std=gnu17", "-Werror", "-fsyntax-only", "-I", path("include"), path("all.c")]
    let environment = URL(filePath: "/usr/bin/env")
    return try Protoc.run(environment, ["clang", "-Wall", "-Wextra"] + input).errors
      + Protoc.run(environment, ["cc"] + input).errors
  }

  /// What the Swift compiler says, with the settings of the package, or nothing.
  func compileSwift() throws -> String {
    let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "Modules")
    let features = [
      "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ]
    let sources = try FileManager.default.contentsOfDirectory(atPath: path("swift")).sorted()
    var arguments = ["swiftc", "-typecheck", "-wmo", "-parse-as-library", "-swift-version", "6"]
    arguments += ["-module-name", "Names", "-strict-memory-safety", "-warnings-as-errors"]
    for feature in features { arguments += ["-enable-upcoming-feature", feature] }
    // Of another package than RPCKit, as a contract elsewhere is: what is `package` there is not seen.
    arguments += ["-package-name", "elsewhere"]
    arguments += ["-I", modules.path, "-I", path("include")]
    for module in ["CLinux", "CZlib", "COpenSSL"] {
      arguments += ["-I", Protoc.root.appending(path: "Sources/\(module)").path]
    }
    arguments += sources.map { path("swift/\($0)") }
    return try Protoc.run(URL(filePath: "/usr/bin/env"), arguments).errors
  }
}
