import ProtoSchema

/// Prepares a `FileDescriptorSet` for protoc-c, so that the `.proto` files need not know of it.
///
/// - Fields, oneofs and values of enums get names that cannot mean anything else in C: see `CNames`.
/// - Each string field becomes length-delimited data in C (`string_as_bytes`).
/// - `optional` becomes the oneof that protoc makes of it, which protoc-c 1.4.1 can handle; it
///   refuses the `optional` of proto3. Floating-point fields without presence get such a oneof too:
///   protobuf-c would not write -0.0 otherwise.
/// - Services and per-message helper functions are left out: nothing calls them.
///
/// Field numbers are those of descriptor.proto.
enum DescriptorSetAnnotator {
  // protobuf-c.proto: the extension of all its options with `{gen_pack_helpers: false}`,
  // `{string_as_bytes: true}`.
  private static let noPackHelpers = WireWriting.bytes([0x10, 0], field: 1019)
  private static let stringAsBytes = WireWriting.bytes([0x08, 1], field: 1019)

  static func annotate(_ encoded: [UInt8]) throws(GeneratorError) -> [UInt8] {
    do throws(SchemaError) {
      return try WireWriting.rewritten(encoded[...]) { number, value throws(SchemaError) in
        guard number == 1, let bytes = value.bytes else { return nil }
        let file = try FileSchema(bytes, readsComments: false)
        // The others are only imported for options, whose defaults name values of their enums.
        guard file.syntax == "proto3" else { return nil }
        return WireWriting.bytes(try annotated(file), field: 1)
      }
    } catch {
      throw GeneratorError("standard input is not a FileDescriptorSet")
    }
  }

  private static func annotated(_ file: FileSchema) throws(SchemaError) -> [UInt8] {
    var messages = file.messages[...]
    // Options add up when they are there already (encoding guide, "Last One Wins").
    return try WireWriting.rewritten(file.descriptor) { number, value throws(SchemaError) in
      let bytes = value.bytes ?? []
      return switch number {
      case 4: WireWriting.bytes(try annotated(bytes, messages.removeFirst()), field: 4)
      case 5: WireWriting.bytes(try enumeration(bytes), field: 5)
      case 6: []
      default: nil
      }
    } + WireWriting.bytes(noPackHelpers, field: 8)
  }

  private static func annotated(
    _ bytes: ArraySlice<UInt8>,
    _ message: MessageSchema
  ) throws(SchemaError) -> [UInt8] {
    var fields = message.fields[...]
    var nested = message.messages[...]
    /// The names of all oneofs: the real ones, those of `optional` fields, those that are added.
    var oneofs = message.oneofs.enumerated().map { CNames.oneof($1.name, index: $0) }
    oneofs += message.fields.filter(\.isOptional).map(\.cPresence)
    let declared = oneofs.count
    var places = oneofs[...]
    let rewritten = try WireWriting.rewritten(bytes) { number, value throws(SchemaError) in
      let bytes = value.bytes ?? []
      switch number {
      case 2:
        let field = fields.removeFirst()
        var content = try annotated(bytes, field)
        if field.needsPresenceInC {
          content += WireWriting.varint(UInt64(oneofs.count), field: 9)
          oneofs.append(field.cPresence)
        }
        return WireWriting.bytes(content, field: 2)
      case 3: return WireWriting.bytes(try annotated(bytes, nested.removeFirst()), field: 3)
      case 4: return WireWriting.bytes(try enumeration(bytes), field: 4)
      case 7:
        // An entry must have a certain name and certain fields, which it has no more. To protoc-c a
        // map is a list of messages anyway.
        let options = try WireWriting.rewritten(bytes) { number, _ in number == 7 ? [] : nil }
        return WireWriting.bytes(options, field: 7)
      case 8: return WireWriting.bytes(try renamed(bytes, places.removeFirst()), field: 8)
      default: return nil
      }
    }
    return oneofs[declared...].reduce(rewritten) {
      $0 + WireWriting.bytes(WireWriting.text($1, field: 1), field: 8)
    }
  }

  private static func annotated(
    _ bytes: ArraySlice<UInt8>,
    _ field: FieldSchema
  ) throws(SchemaError) -> [UInt8] {
    let renamed = try WireWriting.rewritten(bytes) { number, _ in
      switch number {
      case 1: WireWriting.text(field.cName, field: 1)
      case 17: []
      default: nil
      }
    }
    return field.kind == .string
      ? renamed + WireWriting.bytes(stringAsBytes, field: 8) : renamed
  }

  private static func enumeration(_ bytes: ArraySlice<UInt8>) throws(SchemaError) -> [UInt8] {
    var index = 0
    return try WireWriting.rewritten(bytes) { number, value throws(SchemaError) in
      guard number == 2, let bytes = value.bytes else { return nil }
      defer { index += 1 }
      let name = CNames.enumValue(try WireFields.name(bytes), index: index)
      return WireWriting.bytes(try renamed(bytes, name), field: 2)
    }
  }

  /// A declaration with another name, its field 1.
  private static func renamed(
    _ bytes: ArraySlice<UInt8>,
    _ name: String
  ) throws(SchemaError) -> [UInt8] {
    try WireWriting.rewritten(bytes) { number, _ in
      number == 1 ? WireWriting.text(name, field: 1) : nil
    }
  }
}
