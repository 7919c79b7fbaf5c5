public import RPCKit

/// Types and services by name.
public struct SchemaRegistry: Sendable {
  private let messages: [String: MessageSchema]
  private let enums: [String: EnumSchema]
  /// All services, sorted by name.
  public let services: [ServiceSchema]

  /// Reads descriptors; throws when one is not a descriptor.
  ///
  /// Comments are more than half of the work and of the memory: programs that only convert messages leave them
  /// out with `readsComments`, and every comment is empty then.
  public init(
    _ files: [EmbeddedDescriptor],
    readsComments: Bool = true
  ) throws(SchemaError) {
    var schemas: [FileSchema] = []
    for file in files {
      schemas.append(try FileSchema(file.bytes[...], readsComments: readsComments))
    }
    try self.init(schemas, messages: [:], enums: [:], services: [])
  }

  /// The declarations of files, besides the known ones: of two with one name, the known one counts.
  private init(
    _ files: [FileSchema],
    messages: [String: MessageSchema],
    enums: [String: EnumSchema],
    services: [ServiceSchema]
  ) throws(SchemaError) {
    let declared = files.flatMap(\.allMessages)
    guard !declared.contains(where: { $0.fields.contains { $0.kind == .group } }) else {
      throw SchemaError("a field of a kind that proto3 does not have")
    }
    self.messages = messages.merging(declared.map { ($0.fullName, $0) }) { first, _ in first }
    self.enums = enums.merging(files.flatMap(\.allEnums).map { ($0.fullName, $0) }) { first, _ in
      first
    }
    let known = Set(services.map(\.fullName))
    self.services = (services + files.flatMap(\.services).filter { !known.contains($0.fullName) })
      .sorted { $0.fullName < $1.fullName }
  }

  /// This and what a `google.protobuf.FileDescriptorSet` declares, as protoc writes it for
  /// `--descriptor_set_out`.
  ///
  /// Throws when the bytes are something else, or declare no service.
  public func adding(descriptorSet bytes: [UInt8]) throws(SchemaError) -> SchemaRegistry {
    var files: [FileSchema] = []
    do throws(SchemaError) {
      var fields = WireFields(bytes[...])
      while let (number, value) = try fields.next() {
        if number == 1, let file = value.bytes { files.append(try FileSchema(file)) }
      }
    } catch {
      throw SchemaError("is not a set of descriptors")
    }
    guard files.contains(where: { !$0.services.isEmpty }) else {
      throw SchemaError("declares no service")
    }
    return try SchemaRegistry(files, messages: messages, enums: enums, services: services)
  }

  /// A message type.
  public func message(_ name: String) throws(SchemaError) -> MessageSchema {
    guard let schema = messages[name] else { throw SchemaError("unknown message type \(name)") }
    return schema
  }

  /// Whether there is a message of that name.
  func hasMessage(_ name: String) -> Bool { messages[name] != nil }

  /// The type of the entries of a map field; nil for other fields.
  public func mapEntry(of field: FieldSchema) -> MessageSchema? {
    guard field.kind == .message, let schema = messages[field.typeName] else { return nil }
    return schema.isMapEntry ? schema : nil
  }

  /// An enum.
  public func enumeration(_ name: String) throws(SchemaError) -> EnumSchema {
    guard let schema = enums[name] else { throw SchemaError("unknown enum \(name)") }
    return schema
  }

  /// An enum; nil when nothing is called so, or a message is.
  public func enumeration(named name: String) -> EnumSchema? { enums[name] }

  /// The full names of all messages and enums, sorted.
  public var typeNames: [String] {
    (messages.values.filter { !$0.isMapEntry }.map(\.fullName) + enums.keys).sorted()
  }

  /// The full names of messages and enums that `name` can mean, sorted: itself, or what ends in it
  /// after a dot.
  public func typeNames(matching name: String) -> [String] {
    if messages[name] != nil || enums[name] != nil { return [name] }
    return typeNames.filter { $0.hasSuffix(".\(name)") }
  }

  /// A method: `tenancy.v1.Permissions/Check`, or without the package when that is clear.
  public func method(_ path: String) -> MethodSchema? {
    let parts = path.split(separator: "/")
    guard parts.count == 2 else { return nil }
    let matches = services.filter {
      $0.fullName == parts[0] || $0.fullName.hasSuffix(".\(parts[0])")
    }
    guard matches.count == 1 else { return nil }
    return matches[0].methods.first { $0.name == parts[1] }
  }
}
