internal import TextEncodings

/// The descriptor of one `.proto` file, built into the program for reflection and JSON.
///
/// Kept as a string literal: it costs nothing until `bytes` is read.
public struct EmbeddedDescriptor: Sendable {
  /// Path of the file: `tenancy/v1/permissions.proto`.
  public let name: StaticString
  /// The files that declare types which this file uses, by themselves.
  public var imports: [EmbeddedDescriptor] { importedFiles() }
  private let importedFiles: @Sendable () -> [EmbeddedDescriptor]
  private let base64: StaticString

  /// Makes a descriptor of an encoded `google.protobuf.FileDescriptorProto`; `imports` is asked when somebody
  /// needs the types.
  public init(
    name: StaticString,
    imports: @escaping @Sendable () -> [EmbeddedDescriptor] = { [] },
    base64: StaticString
  ) {
    self.name = name
    importedFiles = imports
    self.base64 = base64
  }

  /// The encoded `google.protobuf.FileDescriptorProto`, decoded again by each read.
  public var bytes: [UInt8] {
    guard let bytes = Base64.decodeExact("\(base64)".utf8.span, .standard, isPadded: true) else {
      preconditionFailure("the descriptor of \(name) is not base64; generate it again")
    }
    return bytes
  }
}

extension [EmbeddedDescriptor] {
  /// These and all that they import, each once and behind what it imports.
  package var withImports: [EmbeddedDescriptor] {
    var seen: Set<String> = []
    var files: [EmbeddedDescriptor] = []
    // Imports cannot go round in circles.
    func add(_ file: EmbeddedDescriptor) {
      guard seen.insert("\(file.name)").inserted else { return }
      for other in file.imports { add(other) }
      files.append(file)
    }
    for file in self { add(file) }
    return files
  }
}
