import CProtobufC

/// Reads the C structs of descriptors: the only place where the generator touches their pointers.
enum DescriptorPointers {
  /// A C string, or the empty string where the field is not set.
  static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }

  /// The messages of a repeated field.
  static func list<Element>(
    _ base: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?,
    _ count: Int
  ) -> [UnsafeMutablePointer<Element>] {
    guard let base = unsafe base else { return unsafe [] }
    return unsafe UnsafeBufferPointer(start: base, count: count).compactMap { unsafe $0 }
  }

  /// The strings of a repeated field.
  static func texts(
    _ base: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ count: Int
  ) -> [String] {
    guard let base = unsafe base else { return [] }
    return unsafe UnsafeBufferPointer(start: base, count: count).map { unsafe text($0) }
  }

  /// The numbers of a repeated field.
  static func numbers(_ base: UnsafeMutablePointer<Int32>?, _ count: Int) -> [Int32] {
    guard let base = unsafe base else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: base, count: count))
  }

  /// Unpacks a message and hands it to `body`; nil when the bytes are not such a message.
  static func withUnpacked<Struct, Result>(
    _ bytes: [UInt8],
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>?,
    as type: Struct.Type,
    _ body: (UnsafeMutablePointer<Struct>) throws(GeneratorError) -> Result
  ) throws(GeneratorError) -> Result? {
    let message = unsafe bytes.withUnsafeBufferPointer {
      unsafe protobuf_c_message_unpack(descriptor, nil, $0.count, $0.baseAddress)
    }
    guard let message = unsafe message else { return nil }
    defer { unsafe protobuf_c_message_free_unpacked(message, nil) }
    return try unsafe body(UnsafeMutableRawPointer(message).assumingMemoryBound(to: Struct.self))
  }

  /// Encodes a message.
  static func pack<Struct>(_ message: UnsafeMutablePointer<Struct>) -> [UInt8] {
    let base = unsafe UnsafeMutableRawPointer(message)
      .assumingMemoryBound(to: ProtobufCMessage.self)
    let count = unsafe protobuf_c_message_get_packed_size(base)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
      written =
        count == 0 ? 0 : unsafe protobuf_c_message_pack(base, target.baseAddress)
    }
  }

  /// The payload of the last extension field `number` in a set of options.
  static func extensionPayload(of options: ProtobufCMessage, number: UInt32) -> [UInt8]? {
    var payload: [UInt8]?
    for index in unsafe 0..<Int(options.n_unknown_fields) {
      let field = unsafe options.unknown_fields[index]
      guard unsafe field.tag == number, unsafe field.wire_type.rawValue == 2 else { continue }
      var bytes = unsafe Array(UnsafeBufferPointer(start: field.data, count: field.len))[...]
      // protobuf-c keeps the length in front of the payload.
      while let byte = bytes.popFirst(), byte >= 0x80 {}
      payload = (payload ?? []) + bytes
    }
    return payload
  }
}
