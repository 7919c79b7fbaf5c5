/// Comments and lines of a file's declarations, by path (descriptor.proto, `SourceCodeInfo`).
struct SourceLocations {
  private var comments: [[Int]: String] = [:]
  private var lines: [[Int]: Int] = [:]

  /// None.
  init() {}

  /// Reads a `SourceCodeInfo`.
  init(_ bytes: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      if number == 1 { try add(value.bytes ?? []) }
    }
  }

  private mutating func add(_ location: ArraySlice<UInt8>) throws(SchemaError) {
    var path: [Int] = []
    var span: [Int] = []
    var (leading, trailing) = ("", "")
    var fields = WireFields(location)
    while let (number, value) = try fields.next() {
      switch number {
      case 1: path += try Self.numbers(value)
      case 2: span += try Self.numbers(value)
      case 3: leading = try value.text()
      case 4: trailing = try value.text()
      default: break
      }
    }
    // Lines count from 0 there and from 1 in every editor.
    if let line = span.first { lines[path] = line + 1 }
    let comment = Self.trimmed(leading.isEmpty ? trailing : leading)
    if !comment.isEmpty { comments[path] = comment }
  }

  /// Small numbers, packed or each in a field of its own.
  private static func numbers(_ value: WireFields.Value) throws(SchemaError) -> [Int] {
    guard let bytes = value.bytes else { return [value.count] }
    var numbers: [Int] = []
    var packed = WireFields(bytes)
    while !packed.isAtEnd { numbers.append(try packed.value(.varint).count) }
    return numbers
  }

  /// The comment above a declaration, or behind it; empty if there is none.
  func comment(_ path: [Int]) -> String { comments[path] ?? "" }

  /// The line of a declaration, from 1; 1 when protoc did not say.
  func line(_ path: [Int]) -> Int { lines[path] ?? 1 }

  /// The lines without the space behind the slashes, and without empty lines around them.
  private static func trimmed(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.first == " " ? line.dropFirst() : line
    }
    let rest = lines.drop { $0.isEmpty }.reversed().drop { $0.isEmpty }.reversed()
    return rest.joined(separator: "\n")
  }
}
