internal import ProtoSchema
internal import RPCKit

/// The files of a program by name and by what they declare, as reflection hands them out.
struct DescriptorIndex: Sendable {
  private struct File {
    var bytes: [UInt8]
    var imports: [String]
  }

  private var files: [String: File] = [:]
  /// Names of files by what they declare: services, methods, messages, enums, fields.
  private var fileNames: [String: String] = [:]
  private var messages: Set<String> = []

  /// Reads descriptors; throws when one is not a descriptor.
  init(_ descriptors: [EmbeddedDescriptor]) throws(SchemaError) {
    let names = Set(descriptors.map { "\($0.name)" })
    for descriptor in descriptors {
      let file = try FileSchema(descriptor.bytes[...], readsComments: false)
      files["\(descriptor.name)"] = File(
        bytes: try Self.bytes(of: file, known: names),
        imports: file.imports.filter(names.contains)
      )
      declare(file, as: "\(descriptor.name)")
    }
  }

  /// A file, and before it those that it imports, each once; nil when there is none of that name.
  func files(named name: String) -> [[UInt8]]? {
    guard files[name] != nil else { return nil }
    var order: [String] = []
    var seen: Set<String> = []
    collect(name, &seen, &order)
    return order.compactMap { files[$0]?.bytes }
  }

  /// The same for the file that declares something; nil when none does.
  func files(declaring symbol: String) -> [[UInt8]]? {
    fileNames[symbol].flatMap { files(named: $0) }
  }

  /// Whether there is a message of this name.
  func hasMessage(_ name: String) -> Bool { messages.contains(name) }

  /// Imports cannot go round in circles, and nothing is visited twice.
  private func collect(_ name: String, _ seen: inout Set<String>, _ order: inout [String]) {
    guard seen.insert(name).inserted, let file = files[name] else { return }
    for other in file.imports { collect(other, &seen, &order) }
    order.append(name)
  }

  /// A file's descriptor, with those of its imports that the program has.
  ///
  /// The others declare options only, which stay in the file as fields that nobody knows, while a client could not
  /// use a file whose imports it cannot get. Public and weak imports are counted by their places, which may be others
  /// now; ours has none.
  private static func bytes(
    of file: FileSchema,
    known: Set<String>
  ) throws(SchemaError) -> [UInt8] {
    try WireWriting.rewritten(file.descriptor) { number, value throws(SchemaError) in
      switch number {
      case 3: known.contains(try value.text()) ? nil : []
      case 10, 11: []
      default: nil
      }
    }
  }

  private mutating func declare(_ file: FileSchema, as name: String) {
    for message in file.allMessages {
      messages.insert(message.fullName)
      declare(message.fullName, members: message.fields.map(\.name), in: name)
    }
    for enumeration in file.allEnums { declare(enumeration.fullName, members: [], in: name) }
    for service in file.services {
      declare(service.fullName, members: service.methods.map(\.name), in: name)
    }
  }

  private mutating func declare(_ name: String, members: [String], in file: String) {
    fileNames[name] = file
    for member in members { fileNames["\(name).\(member)"] = file }
  }
}
