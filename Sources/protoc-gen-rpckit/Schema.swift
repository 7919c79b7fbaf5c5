import ProtoSchema

/// All files of a request, with their types by full name.
struct Schema {
  let files: [FileSchema]
  /// The files to generate from.
  let generatedFiles: [FileSchema]
  private let importsModule: Bool
  private(set) var messages: [String: MessageSchema] = [:]
  private(set) var enums: [String: EnumSchema] = [:]
  /// The file of each message and enum.
  private(set) var declaringFiles: [String: FileSchema] = [:]
  /// Swift names from the outermost namespace: `Testing_V1.Rich.Part`.
  private var swiftNames: [String: String] = [:]

  /// Makes it; with `importsModule`, files that are neither generated nor RPCKit's come from another module.
  init(_ request: GenerationRequest, importsModule: Bool) {
    files = request.files
    generatedFiles = files.filter { request.names.contains($0.name) }
    self.importsModule = importsModule
    for file in files {
      let namespace = SwiftNames.namespace(package: file.package)
      for message in file.messages { add(message, of: file, in: namespace) }
      for enumeration in file.enums { add(enumeration, of: file, in: namespace) }
    }
  }

  /// Where the Swift for a file comes from.
  enum Origin {
    /// This run.
    case generated
    /// The module that the option `imported_module` names.
    case imported
    /// RPCKit.
    case library
    /// Nowhere: only options of the file are used.
    case elsewhere
  }

  func origin(of file: FileSchema) -> Origin {
    if generatedFiles.contains(where: { $0.name == file.name }) { return .generated }
    if Self.library.contains(file.name) { return .library }
    return importsModule && file.syntax == "proto3" ? .imported : .elsewhere
  }

  /// Files whose messages are a part of RPCKit.
  private static let library: Set<String> = [
    "google/protobuf/any.proto", "google/protobuf/duration.proto", "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto", "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto",
    "google/rpc/error_details.proto", "google/rpc/status.proto", "grpc/health/v1/health.proto",
    "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto",
  ]

  private mutating func add(_ message: MessageSchema, of file: FileSchema, in scope: String) {
    let name = "\(scope).\(SwiftNames.type(message.name, suffix: "Message"))"
    messages[message.fullName] = message
    swiftNames[message.fullName] = name
    declaringFiles[message.fullName] = file
    for nested in message.messages { add(nested, of: file, in: name) }
    for enumeration in message.enums { add(enumeration, of: file, in: name) }
  }

  private mutating func add(_ enumeration: EnumSchema, of file: FileSchema, in scope: String) {
    enums[enumeration.fullName] = enumeration
    declaringFiles[enumeration.fullName] = file
    swiftNames[enumeration.fullName] =
      "\(scope).\(SwiftNames.type(enumeration.name, suffix: "Enum"))"
  }

  /// The other files that declare what the fields and methods of `file` are made of, by name.
  ///
  /// What it imports for its options alone is not among them.
  func filesUsed(by file: FileSchema) -> [FileSchema] {
    var types: Set<String> = []
    func collect(_ message: MessageSchema) {
      for case .message(let name) in message.fields.map(\.type) { types.insert(name) }
      for case .enumeration(let name) in message.fields.map(\.type) { types.insert(name) }
      message.messages.forEach(collect)
    }
    file.messages.forEach(collect)
    for method in file.services.flatMap(\.methods) {
      types.formUnion([method.requestType, method.responseType])
    }
    var used: [String: FileSchema] = [:]
    for type in types {
      guard let other = declaringFiles[type], other.name != file.name else { continue }
      used[other.name] = other
    }
    return used.values.sorted { $0.name < $1.name }
  }

  /// The Swift name of a message or enum.
  func swiftName(_ fullName: String) -> String { swiftNames[fullName] ?? fullName }

  /// The Swift type of one value of a field.
  func swiftType(_ type: FieldType) -> String {
    switch type {
    case .double: "Swift.Double"
    case .float: "Swift.Float"
    case .int32: "Swift.Int32"
    case .int64: "Swift.Int64"
    case .uint32: "Swift.UInt32"
    case .uint64: "Swift.UInt64"
    case .bool: "Swift.Bool"
    case .string: "Swift.String"
    case .bytes: "[Swift.UInt8]"
    case .message(let name), .enumeration(let name): swiftName(name)
    case .group: "Swift.Never"
    }
  }

  /// The entry of a map field, or nil for any other field.
  func mapEntry(_ field: FieldSchema) -> MessageSchema? {
    guard field.isRepeated, case .message(let name) = field.type, let entry = messages[name],
      entry.isMapEntry, entry.fields.count == 2
    else { return nil }
    return entry
  }

  /// The type of a field's values: of a map, the one behind its keys.
  func valueType(of field: FieldSchema) -> FieldType {
    mapEntry(field)?.fields[1].type ?? field.type
  }

  /// Whether a message field is stored behind a pointer.
  ///
  /// It is when its message can contain itself, and when it is large: then a small encoding of an
  /// outer message cannot ask for a large struct, which is what the guard's estimate relies on.
  func isBoxed(_ name: String, in owner: String) -> Bool {
    var visited: Set<String> = []
    return canReach(owner, from: name, &visited) || estimatedSize(name) > Self.inlineSizeMax
  }

  /// A few numbers or three strings.
  private static let inlineSizeMax = 48

  private func canReach(_ target: String, from name: String, _ visited: inout Set<String>) -> Bool {
    if name == target { return true }
    guard visited.insert(name).inserted, let message = messages[name] else { return false }
    for field in message.fields where !field.isRepeated {
      if case .message(let next) = field.type, canReach(target, from: next, &visited) {
        return true
      }
    }
    return false
  }

  private func estimatedSize(_ name: String) -> Int {
    guard let message = messages[name] else { return 0 }
    var size = 0
    var oneofSizes: [Int: Int] = [:]
    for field in message.fields {
      let fieldSize = estimatedSize(of: field, in: name)
      if let oneof = field.realOneof {
        oneofSizes[oneof] = max(oneofSizes[oneof] ?? 0, fieldSize)
      } else {
        size += fieldSize
      }
    }
    return size + oneofSizes.values.reduce(0) { $0 + $1 + 8 }
  }

  private func estimatedSize(of field: FieldSchema, in owner: String) -> Int {
    if field.isRepeated { return 8 }
    switch field.type {
    case .bool: return 1
    case .float, .int32, .uint32, .enumeration: return 4
    case .string: return 16
    case .message(let name):
      var visited: Set<String> = []
      if canReach(owner, from: name, &visited) { return 8 }
      let size = estimatedSize(name)
      return size > Self.inlineSizeMax ? 8 : size + 8
    default: return 8
    }
  }

  /// Whether a message, or one inside it, has rules to validate.
  func hasRules(_ name: String) -> Bool {
    var visited: Set<String> = []
    return hasRules(name, &visited)
  }

  private func hasRules(_ name: String, _ visited: inout Set<String>) -> Bool {
    guard visited.insert(name).inserted, let message = messages[name] else { return false }
    for field in message.fields {
      if !field.rules.isEmpty { return true }
      if case .message(let next) = field.type, hasRules(next, &visited) { return true }
    }
    return false
  }
}
