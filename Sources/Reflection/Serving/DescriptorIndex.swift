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
  init(_ descriptors: [EmbeddedDescriptor]) throws(ReflectionError) {
    let names = Set(descriptors.map { "\($0.name)" })
    for descriptor in descriptors {
      try add(descriptor.bytes, name: "\(descriptor.name)", known: names)
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

  // MARK: - Reading

  /// Adds a `google.protobuf.FileDescriptorProto`.
  ///
  /// Imports that the program does not have are left out: they declare options only, which stay in the file as
  /// fields that nobody knows, while a client could not use a file whose imports it cannot get.
  private mutating func add(
    _ bytes: [UInt8],
    name: String,
    known: Set<String>
  ) throws(ReflectionError) {
    var package = ""
    var imports: [String] = []
    var kept = ByteBuffer()
    var declarations: [(number: Int, bytes: ArraySlice<UInt8>)] = []
    try WireFields(bytes[...]).forEach { (number, value) throws(ReflectionError) in
      switch (number, value) {
      case (3, .bytes):
        let name = try value.validText()
        guard known.contains(name) else { return }
        imports.append(name)
        kept.append(field: 3, utf8: name)
      // Public and weak imports are counted by their places, which may be others now; ours has none.
      case (10, _), (11, _): return
      case (_, .bytes(let content)):
        if number == 2 { package = try value.validText() }
        if (4...6).contains(number) { declarations.append((number, content)) }
        kept.append(varint: UInt64(number) << 3 | 2)
        kept.append(varint: UInt64(content.count))
        kept.append(Array(content).span)
      case (_, .varint(let content)):
        kept.append(varint: UInt64(number) << 3)
        kept.append(varint: content)
      case (_, .fixed32), (_, .fixed64):
        throw ReflectionError("a file has a field of no known type")
      }
    }
    files[name] = File(
      bytes: kept.withBytes { bytes in bytes.indices.map { bytes[$0] } },
      imports: imports
    )
    for (number, content) in declarations {
      switch number {
      case 4: try declareMessage(content, in: package, file: name)
      case 5: try declare(content, in: package, members: nil, file: name)
      default: try declare(content, in: package, members: 2, file: name)
      }
    }
  }

  private mutating func declareMessage(
    _ bytes: ArraySlice<UInt8>,
    in scope: String,
    file: String
  ) throws(ReflectionError) {
    let name = try declare(bytes, in: scope, members: 2, file: file)
    messages.insert(name)
    var nested: [(number: Int, bytes: ArraySlice<UInt8>)] = []
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      guard number == 3 || number == 4, let content = value.bytes else { return }
      nested.append((number, content))
    }
    for (number, content) in nested {
      if number == 3 {
        try declareMessage(content, in: name, file: file)
      } else {
        try declare(content, in: name, members: nil, file: file)
      }
    }
  }

  /// Notes a declaration, whose field 1 is its name, and its members, whose field is `members`; returns the
  /// full name.
  @discardableResult
  private mutating func declare(
    _ bytes: ArraySlice<UInt8>,
    in scope: String,
    members: Int?,
    file: String
  ) throws(ReflectionError) -> String {
    var name = ""
    var memberNames: [String] = []
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      if number == 1 { name = try value.validText() }
      guard number == members, let content = value.bytes else { return }
      try WireFields(content).forEach { (number, value) throws(ReflectionError) in
        if number == 1 { memberNames.append(try value.validText()) }
      }
    }
    let fullName = scope.isEmpty ? name : "\(scope).\(name)"
    fileNames[fullName] = file
    for member in memberNames { fileNames["\(fullName).\(member)"] = file }
    return fullName
  }
}
