internal import RPCKit
internal import Reflection

/// The content of an answer that is the text of a field, message after message (`raw`).
///
/// Makes content on the loop or in the call's task; the type, which the first message may have, is asked for on the loop
/// when its content is there.
final class RESTRawAnswer: Sendable {
  private let text: FieldSchema
  private let type: String
  private let typeField: FieldSchema?
  private let found = Lock<String?>(nil)

  /// Nil for a route whose answers are JSON.
  init?(_ route: RESTRoute) {
    guard let (text, typeField) = route.raw else { return nil }
    (self.text, self.typeField) = (text, typeField)
    type = route.binding.contentType
  }

  /// The `content-type` of the answer.
  var contentType: String {
    guard typeField != nil else { return type }
    return found.withLock { $0 } ?? "application/octet-stream"
  }

  /// The content that a message has.
  func content(of protobuf: [UInt8]) throws(RPCError) -> [UInt8] {
    do throws(SchemaError) {
      var content: ArraySlice<UInt8> = []
      var fields = WireFields(protobuf[...])
      while let (number, value) = try fields.next() {
        if number == text.number { content = value.bytes ?? [] }
        if number == typeField?.number { note(type: try value.text()) }
      }
      return Array(content)
    } catch {
      throw RPCError(.internal, .internalError, "the answer cannot be read", cause: error)
    }
  }

  /// Keeps the first type; one that no header field can have is none.
  private func note(type: String) {
    guard !type.isEmpty, type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return }
    found.withLock { $0 = $0 ?? type }
  }
}
