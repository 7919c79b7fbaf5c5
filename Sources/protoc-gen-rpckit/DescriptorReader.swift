import CProtobufC

/// Turns the descriptor of one file into schema values, with comments and lines.
@safe struct DescriptorReader {
  private let descriptor: UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>
  private let locations: SourceLocations
  private let package: String

  // Field numbers of descriptor.proto: the parts of a location's path.
  private enum Part {
    static let filePackage: Int32 = 2
    static let fileMessage: Int32 = 4
    static let fileEnum: Int32 = 5
    static let fileService: Int32 = 6
    static let fileExtension: Int32 = 7
    static let messageField: Int32 = 2
    static let messageNested: Int32 = 3
    static let messageEnum: Int32 = 4
    static let messageOneof: Int32 = 8
    static let enumValue: Int32 = 2
    static let serviceMethod: Int32 = 2
  }

  init(_ descriptor: UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>) {
    unsafe self.descriptor = unsafe descriptor
    locations = unsafe SourceLocations(descriptor.pointee.source_code_info)
    package = unsafe DescriptorPointers.text(descriptor.pointee.package)
  }

  func file(names: Set<String>) throws(GeneratorError) -> SchemaFile {
    let file = unsafe descriptor.pointee
    let name = unsafe DescriptorPointers.text(file.name)
    var messages: [SchemaMessage] = []
    let messagePointers = unsafe DescriptorPointers.list(file.message_type, file.n_message_type)
    for index in unsafe messagePointers.indices {
      messages.append(
        try unsafe message(messagePointers[index], [Part.fileMessage, Int32(index)], in: package)
      )
    }
    var services: [SchemaService] = []
    let servicePointers = unsafe DescriptorPointers.list(file.service, file.n_service)
    for index in unsafe servicePointers.indices {
      services.append(
        try unsafe service(servicePointers[index], [Part.fileService, Int32(index)])
      )
    }
    let enums = unsafe enumerations(
      DescriptorPointers.list(file.enum_type, file.n_enum_type),
      [Part.fileEnum],
      in: package
    )
    return SchemaFile(
      name: name,
      package: package,
      packageLine: locations.line([Part.filePackage]),
      syntax: unsafe DescriptorPointers.text(file.syntax),
      origin: names.contains(name)
        ? .generated : SchemaFile.library.contains(name) ? .library : .elsewhere,
      messages: messages,
      enums: enums,
      services: services,
      extensionLines: unsafe (0..<file.n_extension).map {
        locations.line([Part.fileExtension, Int32($0)])
      },
      descriptor: withCommentsAlone()
    )
  }

  /// The encoded descriptor as reflection wants it: with the comments, which people read, but without
  /// the places of all other tokens, which would only make programs larger.
  private func withCommentsAlone() -> [UInt8] {
    guard let info = unsafe descriptor.pointee.source_code_info else {
      return unsafe DescriptorPointers.pack(descriptor)
    }
    let (all, count) = unsafe (info.pointee.location, info.pointee.n_location)
    defer { unsafe (info.pointee.location, info.pointee.n_location) = unsafe (all, count) }
    var commented: [UnsafeMutablePointer<Google__Protobuf__SourceCodeInfo__Location>?] = unsafe []
    let locations = unsafe DescriptorPointers.list(all, count)
    for index in unsafe locations.indices {
      let location = unsafe locations[index]
      let leading = unsafe DescriptorPointers.text(location.pointee.leading_comments)
      let trailing = unsafe DescriptorPointers.text(location.pointee.trailing_comments)
      if !leading.isEmpty || !trailing.isEmpty { unsafe commented.append(location) }
    }
    return unsafe commented.withUnsafeMutableBufferPointer { locations in
      unsafe info.pointee.location = locations.baseAddress
      unsafe info.pointee.n_location = locations.count
      return unsafe DescriptorPointers.pack(descriptor)
    }
  }

  private func message(
    _ pointer: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>,
    _ path: [Int32],
    in scope: String
  ) throws(GeneratorError) -> SchemaMessage {
    let message = unsafe pointer.pointee
    let name = unsafe DescriptorPointers.text(message.name)
    let fullName = Self.join(scope, name)

    let fieldPointers = unsafe DescriptorPointers.list(message.field, message.n_field)
    // protoc makes a oneof for each `optional` field and puts these after the real ones.
    var syntheticOneofs: Set<Int32> = []
    for index in unsafe fieldPointers.indices {
      let field = unsafe fieldPointers[index].pointee
      if unsafe field.proto3_optional != 0 { syntheticOneofs.insert(unsafe field.oneof_index) }
    }
    var fields: [SchemaField] = []
    for index in unsafe fieldPointers.indices {
      fields.append(
        try unsafe self.field(fieldPointers[index], path + [Part.messageField, Int32(index)])
      )
    }
    var oneofs: [SchemaOneof] = []
    let oneofPointers = unsafe DescriptorPointers.list(message.oneof_decl, message.n_oneof_decl)
    for index in unsafe oneofPointers.indices where !syntheticOneofs.contains(Int32(index)) {
      oneofs.append(
        SchemaOneof(
          name: unsafe DescriptorPointers.text(oneofPointers[index].pointee.name),
          comment: locations.comment(path + [Part.messageOneof, Int32(index)]),
          line: locations.line(path + [Part.messageOneof, Int32(index)])
        )
      )
    }
    var messages: [SchemaMessage] = []
    let nestedPointers = unsafe DescriptorPointers.list(message.nested_type, message.n_nested_type)
    for index in unsafe nestedPointers.indices {
      messages.append(
        try unsafe self.message(
          nestedPointers[index],
          path + [Part.messageNested, Int32(index)],
          in: fullName
        )
      )
    }
    return SchemaMessage(
      name: name,
      fullName: fullName,
      comment: locations.comment(path),
      line: locations.line(path),
      fields: fields,
      oneofs: oneofs,
      messages: messages,
      enums: unsafe enumerations(
        DescriptorPointers.list(message.enum_type, message.n_enum_type),
        path + [Part.messageEnum],
        in: fullName
      ),
      isMapEntry: unsafe message.options.map { unsafe $0.pointee.map_entry != 0 } ?? false,
      hasExtensions: unsafe message.n_extension > 0 || message.n_extension_range > 0
    )
  }

  private func field(
    _ pointer: UnsafeMutablePointer<Google__Protobuf__FieldDescriptorProto>,
    _ path: [Int32]
  ) throws(GeneratorError) -> SchemaField {
    let field = unsafe pointer.pointee
    let hasPresence = unsafe field.proto3_optional != 0
    let isInOneof = unsafe field.has_oneof_index != 0 && !hasPresence
    return SchemaField(
      name: unsafe DescriptorPointers.text(field.name),
      jsonName: unsafe DescriptorPointers.text(field.json_name),
      number: unsafe field.number,
      comment: locations.comment(path),
      line: locations.line(path),
      type: Self.type(
        unsafe field.type.rawValue,
        name: String(unsafe DescriptorPointers.text(field.type_name).drop { $0 == "." })
      ),
      isRepeated: unsafe field.label.rawValue == 3,
      hasPresence: hasPresence,
      oneofIndex: isInOneof ? Int(unsafe field.oneof_index) : nil,
      rules: try unsafe OptionsReader.fieldRules(field.options)
    )
  }

  /// The numbers are those of FieldDescriptorProto.Type.
  private static func type(_ number: UInt32, name: String) -> SchemaType {
    switch number {
    case 1: .double
    case 2: .float
    case 3, 16, 18: .int64
    case 4, 6: .uint64
    case 5, 15, 17: .int32
    case 7, 13: .uint32
    case 8: .bool
    case 9: .string
    case 11: .message(name)
    case 12: .bytes
    case 14: .enumeration(name)
    default: .group
    }
  }

  private func enumerations(
    _ pointers: [UnsafeMutablePointer<Google__Protobuf__EnumDescriptorProto>],
    _ path: [Int32],
    in scope: String
  ) -> [SchemaEnum] {
    unsafe pointers.indices.map { index in
      let path = path + [Int32(index)]
      let enumeration = unsafe pointers[index].pointee
      let values = unsafe DescriptorPointers.list(enumeration.value, enumeration.n_value)
      let name = unsafe DescriptorPointers.text(enumeration.name)
      return SchemaEnum(
        name: name,
        fullName: Self.join(scope, name),
        comment: locations.comment(path),
        line: locations.line(path),
        values: unsafe values.indices.map { index in
          SchemaEnumValue(
            name: unsafe DescriptorPointers.text(values[index].pointee.name),
            number: unsafe values[index].pointee.number,
            comment: locations.comment(path + [Part.enumValue, Int32(index)]),
            line: locations.line(path + [Part.enumValue, Int32(index)])
          )
        }
      )
    }
  }

  private func service(
    _ pointer: UnsafeMutablePointer<Google__Protobuf__ServiceDescriptorProto>,
    _ path: [Int32]
  ) throws(GeneratorError) -> SchemaService {
    let service = unsafe pointer.pointee
    let name = unsafe DescriptorPointers.text(service.name)
    var methods: [SchemaMethod] = []
    let methodPointers = unsafe DescriptorPointers.list(service.method, service.n_method)
    for index in unsafe methodPointers.indices {
      let method = unsafe methodPointers[index].pointee
      let path = path + [Part.serviceMethod, Int32(index)]
      methods.append(
        SchemaMethod(
          name: unsafe DescriptorPointers.text(method.name),
          comment: locations.comment(path),
          line: locations.line(path),
          input: String(unsafe DescriptorPointers.text(method.input_type).drop { $0 == "." }),
          output: String(unsafe DescriptorPointers.text(method.output_type).drop { $0 == "." }),
          isClientStreaming: unsafe method.client_streaming != 0,
          isServerStreaming: unsafe method.server_streaming != 0,
          hasNoSideEffects: unsafe OptionsReader.hasNoSideEffects(method.options),
          rules: try unsafe OptionsReader.methodRules(method.options),
          bindings: try unsafe OptionsReader.bindings(method.options),
          rest: try unsafe OptionsReader.restRules(method.options)
        )
      )
    }
    return SchemaService(
      name: name,
      fullName: Self.join(package, name),
      comment: locations.comment(path),
      line: locations.line(path),
      methods: methods
    )
  }

  private static func join(_ scope: String, _ name: String) -> String {
    scope.isEmpty ? name : "\(scope).\(name)"
  }
}
