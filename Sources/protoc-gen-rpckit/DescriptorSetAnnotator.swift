import CProtobufC
import Glibc

/// Prepares a `FileDescriptorSet` for protoc-c, so that the `.proto` files need not know of it.
///
/// - Fields, oneofs and values of enums get names that cannot mean anything else in C: see `CNames`.
/// - Each string field becomes length-delimited data in C (`string_as_bytes`).
/// - `optional` becomes the oneof that protoc makes of it, which protoc-c 1.4.1 can handle; it
///   refuses the `optional` of proto3. Floating-point fields without presence get such a oneof too:
///   protobuf-c would not write -0.0 otherwise.
/// - Services and per-message helper functions are left out: nothing calls them.
enum DescriptorSetAnnotator {
  // protobuf-c.proto: the extension number of all its options, and `{gen_pack_helpers: false}`,
  // `{string_as_bytes: true}` encoded with their length.
  private static let extensionNumber: UInt32 = 1019
  private static let noPackHelpers: [UInt8] = [2, 0x10, 0]
  private static let stringAsBytes: [UInt8] = [2, 0x08, 1]

  static func annotate(_ encoded: [UInt8]) throws(GeneratorError) -> [UInt8] {
    let annotated = try unsafe DescriptorPointers.withUnpacked(
      encoded,
      rpckit_descriptor_google__protobuf__file_descriptor_set(),
      as: Google__Protobuf__FileDescriptorSet.self
    ) { set in
      let files = unsafe DescriptorPointers.list(set.pointee.file, set.pointee.n_file)
      for index in unsafe files.indices {
        // The others are only imported for options, whose defaults name values of their enums.
        guard unsafe DescriptorPointers.text(files[index].pointee.syntax) == "proto3" else {
          continue
        }
        unsafe annotate(files[index])
      }
      return unsafe DescriptorPointers.pack(set)
    }
    guard let annotated else {
      throw GeneratorError("standard input is not a FileDescriptorSet")
    }
    return annotated
  }

  private static func annotate(
    _ file: UnsafeMutablePointer<Google__Protobuf__FileDescriptorProto>
  ) {
    let services = unsafe DescriptorPointers.list(file.pointee.service, file.pointee.n_service)
    for index in unsafe services.indices {
      unsafe google__protobuf__service_descriptor_proto__free_unpacked(services[index], nil)
    }
    unsafe file.pointee.n_service = 0
    if unsafe file.pointee.options == nil {
      let options = UnsafeMutablePointer<Google__Protobuf__FileOptions>.allocate(capacity: 1)
      unsafe google__protobuf__file_options__init(options)
      unsafe file.pointee.options = unsafe options
    }
    unsafe add(noPackHelpers, to: &file.pointee.options.pointee.base)
    unsafe rename(DescriptorPointers.list(file.pointee.enum_type, file.pointee.n_enum_type))
    let messages = unsafe DescriptorPointers.list(
      file.pointee.message_type,
      file.pointee.n_message_type
    )
    for index in unsafe messages.indices { unsafe annotate(messages[index]) }
  }

  private static func annotate(_ message: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>) {
    if let options = unsafe message.pointee.options {
      // An entry must have a certain name and certain fields, which it has no more. To protoc-c a
      // map is a list of messages anyway.
      unsafe options.pointee.has_map_entry = 0
    }
    let oneofs = unsafe DescriptorPointers.list(
      message.pointee.oneof_decl,
      message.pointee.n_oneof_decl
    )
    for index in unsafe oneofs.indices {
      let name = unsafe DescriptorPointers.text(oneofs[index].pointee.name)
      unsafe rename(&oneofs[index].pointee.name, CNames.oneof(name, index: index))
    }
    let fields = unsafe DescriptorPointers.list(message.pointee.field, message.pointee.n_field)
    for index in unsafe fields.indices { unsafe annotate(fields[index], of: message) }
    unsafe rename(DescriptorPointers.list(message.pointee.enum_type, message.pointee.n_enum_type))
    let nested = unsafe DescriptorPointers.list(
      message.pointee.nested_type,
      message.pointee.n_nested_type
    )
    for index in unsafe nested.indices { unsafe annotate(nested[index]) }
  }

  private static func annotate(
    _ field: UnsafeMutablePointer<Google__Protobuf__FieldDescriptorProto>,
    of message: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>
  ) {
    let name = unsafe DescriptorPointers.text(field.pointee.name)
    let number = unsafe field.pointee.number
    let presence = CNames.presence(name, number: number)
    unsafe rename(&field.pointee.name, CNames.field(name, number: number))
    if unsafe field.pointee.has_proto3_optional != 0, unsafe field.pointee.proto3_optional != 0 {
      let oneof = unsafe message.pointee.oneof_decl[Int(field.pointee.oneof_index)]
      if let oneof = unsafe oneof { unsafe rename(&oneof.pointee.name, presence) }
    }
    unsafe field.pointee.has_proto3_optional = 0
    // The numbers are those of FieldDescriptorProto.Type and Label.
    let type = unsafe field.pointee.type.rawValue
    let isRepeated = unsafe field.pointee.label.rawValue == 3
    if type == 1 || type == 2, !isRepeated, unsafe field.pointee.has_oneof_index == 0 {
      unsafe field.pointee.has_oneof_index = 1
      unsafe field.pointee.oneof_index = Int32(message.pointee.n_oneof_decl)
      unsafe addOneof(presence, to: message)
    }
    guard type == 9 else { return }
    if unsafe field.pointee.options == nil {
      let options = UnsafeMutablePointer<Google__Protobuf__FieldOptions>.allocate(capacity: 1)
      unsafe google__protobuf__field_options__init(options)
      unsafe field.pointee.options = unsafe options
    }
    unsafe add(stringAsBytes, to: &field.pointee.options.pointee.base)
  }

  private static func rename(
    _ enumerations: [UnsafeMutablePointer<Google__Protobuf__EnumDescriptorProto>]
  ) {
    for index in unsafe enumerations.indices {
      let enumeration = unsafe enumerations[index]
      let values = unsafe DescriptorPointers.list(
        enumeration.pointee.value,
        enumeration.pointee.n_value
      )
      for index in unsafe values.indices {
        let name = unsafe DescriptorPointers.text(values[index].pointee.name)
        unsafe rename(&values[index].pointee.name, CNames.enumValue(name, index: index))
      }
    }
  }

  /// Gives something another name, and frees the one that protobuf-c made.
  private static func rename(_ name: inout UnsafeMutablePointer<CChar>?, _ text: String) {
    unsafe free(name)
    unsafe name = strdup(text)
  }

  private static func addOneof(
    _ name: String,
    to message: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>
  ) {
    let oneof = UnsafeMutablePointer<Google__Protobuf__OneofDescriptorProto>.allocate(capacity: 1)
    unsafe google__protobuf__oneof_descriptor_proto__init(oneof)
    unsafe oneof.pointee.name = strdup(name)
    let count = unsafe Int(message.pointee.n_oneof_decl)
    let oneofs =
      UnsafeMutablePointer<UnsafeMutablePointer<Google__Protobuf__OneofDescriptorProto>?>
      .allocate(capacity: count + 1)
    for index in 0..<count { unsafe oneofs[index] = unsafe message.pointee.oneof_decl[index] }
    unsafe oneofs[count] = unsafe oneof
    unsafe free(message.pointee.oneof_decl)
    unsafe message.pointee.oneof_decl = unsafe oneofs
    unsafe message.pointee.n_oneof_decl = count + 1
  }

  /// Appends an extension to options, in the form in which protobuf-c keeps what it does not know.
  private static func add(_ payload: [UInt8], to options: inout ProtobufCMessage) {
    let count = unsafe Int(options.n_unknown_fields)
    let fields = UnsafeMutablePointer<ProtobufCMessageUnknownField>.allocate(capacity: count + 1)
    for index in 0..<count { unsafe fields[index] = unsafe options.unknown_fields[index] }
    let data = UnsafeMutablePointer<UInt8>.allocate(capacity: payload.count)
    for index in payload.indices { unsafe data[index] = payload[index] }
    unsafe fields[count] = unsafe ProtobufCMessageUnknownField(
      tag: extensionNumber,
      wire_type: PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
      len: payload.count,
      data: data
    )
    unsafe free(options.unknown_fields)
    unsafe options.unknown_fields = unsafe fields
    unsafe options.n_unknown_fields = UInt32(count + 1)
  }
}
