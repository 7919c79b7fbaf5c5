/// The comments of a file's declarations, by path (descriptor.proto, `SourceCodeInfo`).
struct DescriptorComments {
  private var comments: [[UInt64]: String] = [:]

  /// No comments.
  init() {}

  /// Reads a `SourceCodeInfo`.
  init(_ bytes: ArraySlice<UInt8>) throws(ReflectionError) {
    var comments: [[UInt64]: String] = [:]
    try WireFields(bytes).forEach { (number, value) throws(ReflectionError) in
      guard number == 1, let location = value.bytes else { return }
      var path: [UInt64] = []
      var (leading, trailing) = ("", "")
      try WireFields(location).forEach { (number, value) throws(ReflectionError) in
        switch number {
        case 1:
          let values = try value.bytes.map { bytes throws(ReflectionError) in
            try PackedFields.values(bytes, .int32)
          }
          path += (values ?? [value]).compactMap(\.number)
        case 3: leading = try value.validText()
        case 4: trailing = try value.validText()
        default: break
        }
      }
      comments[path] = Self.trimmed(leading.isEmpty ? trailing : leading)
    }
    self.comments = comments
  }

  /// The comment of a declaration, or nothing.
  subscript(path: [UInt64]) -> String { comments[path] ?? "" }

  /// The lines without the space behind the slashes, and without empty lines around them.
  private static func trimmed(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.first == " " ? line.dropFirst() : line
    }
    let rest = lines.drop { $0.isEmpty }.reversed().drop { $0.isEmpty }.reversed()
    return rest.joined(separator: "\n")
  }
}
