internal import RPCKit

/// The fields of an encoded message, one after another.
struct WireFields {
  /// A field as it is on the wire.
  enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// Runs `body` for each field in its order; throws when the bytes are not a message.
  func forEach(
    _ body: (_ number: Int, _ value: Value) throws(ReflectionError) -> Void
  ) throws(ReflectionError) {
    var cursor = WireCursor(0..<bytes.count)
    while !cursor.isAtEnd {
      let (number, value) = try next(&cursor)
      try body(number, value)
    }
  }

  private func next(_ cursor: inout WireCursor) throws(ReflectionError) -> (Int, Value) {
    let span = bytes.span
    do throws(WireFormatError) {
      let (number, type) = try cursor.tag(span)
      switch type {
      case .varint: return (number, .varint(try cursor.varint(span)))
      case .lengthDelimited:
        let range = try cursor.lengthDelimited(span)
        let start = bytes.startIndex
        return (number, .bytes(bytes[start + range.lowerBound..<start + range.upperBound]))
      case .fixed32, .fixed64:
        let begin = cursor.offset
        try cursor.skip(type, span)
        var value: UInt64 = 0
        for index in (begin..<cursor.offset).reversed() { value = value << 8 | UInt64(span[index]) }
        return (number, type == .fixed32 ? .fixed32(UInt32(value)) : .fixed64(value))
      }
    } catch {
      throw ReflectionError("the bytes are not a protobuf message")
    }
  }
}

extension WireFields.Value {
  /// The text, if this is valid UTF-8.
  var text: String? {
    guard case .bytes(let bytes) = self else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text; throws when this is none.
  func validText() throws(ReflectionError) -> String {
    guard let text else { throw ReflectionError("a text is not valid UTF-8") }
    return text
  }

  /// The number, if this is a varint.
  var number: UInt64? {
    guard case .varint(let number) = self else { return nil }
    return number
  }

  /// The bytes, if these are some.
  var bytes: ArraySlice<UInt8>? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }
}

/// A message or a JSON text that does not fit its schema.
public struct ReflectionError: Error, Equatable, CustomStringConvertible {
  /// Where and what, for people.
  public let description: String
  /// The field, as a path of JSON names: `guests[2].email`; empty when it is no single one.
  public let field: String
  /// The problem, to be read behind its name; a sentence of its own without a field.
  public let problem: String

  /// Makes an error.
  public init(_ description: String) {
    self.description = description
    field = ""
    problem = description
  }

  /// Makes an error of a field; of the whole with an empty path.
  init(at field: String, _ problem: String) {
    description = field.isEmpty ? problem : "\(field): \(problem)"
    self.field = field
    self.problem = problem
  }

  /// Makes an error of a member that is no field of the message at `path`, of a type that has those of `known`.
  init(unknown name: String, of type: String, at path: String, known: String) {
    let place = path.isEmpty ? "" : "\(path): "
    description = "\(place)\(type) has no field \"\(name)\"; it has: \(known)"
    field = path.isEmpty ? name : "\(path).\(name)"
    problem = "is no field of \(type); it has: \(known)"
  }
}
