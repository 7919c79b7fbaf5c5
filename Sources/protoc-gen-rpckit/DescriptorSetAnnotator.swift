import CProtobufC

/// Prepares a `FileDescriptorSet` for protoc-c, so that the `.proto` files need not know of it.
///
/// - Each string field becomes length-delimited data in C (`string_as_bytes`).
/// - `optional` becomes the oneof that protoc makes of it, which protoc-c 1.4.1 can handle; it
///   refuses the `optional` of proto3.
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
      for index in unsafe files.indices { unsafe annotate(files[index]) }
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
    // What is taken off or put on leaks until the program ends, which is at once.
    unsafe file.pointee.n_service = 0
    if unsafe file.pointee.options == nil {
      let options = UnsafeMutablePointer<Google__Protobuf__FileOptions>.allocate(capacity: 1)
      unsafe google__protobuf__file_options__init(options)
      unsafe file.pointee.options = unsafe options
    }
    unsafe add(noPackHelpers, to: &file.pointee.options.pointee.base)
    let messages = unsafe DescriptorPointers.list(
      file.pointee.message_type,
      file.pointee.n_message_type
    )
    for index in unsafe messages.indices { unsafe annotate(messages[index]) }
  }

  private static func annotate(_ message: UnsafeMutablePointer<Google__Protobuf__DescriptorProto>) {
    let fields = unsafe DescriptorPointers.list(message.pointee.field, message.pointee.n_field)
    for index in unsafe fields.indices {
      let field = unsafe fields[index]
      unsafe field.pointee.has_proto3_optional = 0
      guard unsafe field.pointee.type.rawValue == 9 else { continue }
      if unsafe field.pointee.options == nil {
        let options = UnsafeMutablePointer<Google__Protobuf__FieldOptions>.allocate(capacity: 1)
        unsafe google__protobuf__field_options__init(options)
        unsafe field.pointee.options = unsafe options
      }
      unsafe add(stringAsBytes, to: &field.pointee.options.pointee.base)
    }
    let nested = unsafe DescriptorPointers.list(
      message.pointee.nested_type,
      message.pointee.n_nested_type
    )
    for index in unsafe nested.indices { unsafe annotate(nested[index]) }
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
    unsafe options.unknown_fields = unsafe fields
    unsafe options.n_unknown_fields = UInt32(count + 1)
  }
}
