import ProtoSchema

/// A file's descriptor as reflection wants it: with the comments, which people read, but without
/// the places of all other tokens, which would only make programs larger.
enum CommentedDescriptor {
  static func bytes(of file: FileSchema) -> [UInt8] {
    let bytes = try? WireWriting.rewritten(file.descriptor) { number, value throws(SchemaError) in
      guard number == 9, let info = value.bytes else { return nil }
      return WireWriting.bytes(try commented(info), field: 9)
    }
    guard let bytes else { preconditionFailure("a descriptor that was read") }
    return bytes
  }

  /// A `SourceCodeInfo` with the locations that have comments.
  private static func commented(_ info: ArraySlice<UInt8>) throws(SchemaError) -> [UInt8] {
    try WireWriting.rewritten(info) { number, value throws(SchemaError) in
      guard number == 1, let location = value.bytes else { return nil }
      return try isCommented(location) ? nil : []
    }
  }

  private static func isCommented(_ location: ArraySlice<UInt8>) throws(SchemaError) -> Bool {
    var fields = WireFields(location)
    while let (number, value) = try fields.next() {
      if number == 3 || number == 4, value.bytes?.isEmpty == false { return true }
    }
    return false
  }
}
