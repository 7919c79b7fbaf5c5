/// Writes one log line: a JSON object without line feeds inside, and one at its end.
///
/// The line is bounded. What does not fit is cut: a text ends with the mark, later fields are
/// left out, and the object ends with `"truncated":true`.
struct LogLineEncoder {
  /// Bytes of a line, its line feed included.
  static let byteCountMax = 16 * 1024
  /// Ends a text that was cut.
  static let truncationMark = "…[truncated]"

  /// Room kept for the mark, the closing quote and the last field.
  private static let reservedByteCount = 64
  /// A message may take half of the line, so that fields such as the trace id still fit.
  private static let messageByteCountMax = byteCountMax / 2
  private static let keyByteCountMax = 128
  private static let labelByteCountMax = 256

  private var bytes: [UInt8] = []
  private var isTruncated = false

  /// Encodes a whole line.
  static func line(
    time: Int64,
    level: LogLevel,
    label: String,
    message: String,
    fields: LogFields
  ) -> [UInt8] {
    var encoder = LogLineEncoder()
    encoder.bytes.reserveCapacity(256)
    encoder.bytes += #"{"time":""#.utf8
    Timestamp.append(time, to: &encoder.bytes)
    encoder.bytes += #"","level":""#.utf8
    encoder.bytes += level.name.utf8
    encoder.bytes += #"","logger":"#.utf8
    encoder.append(text: label, byteCountMax: labelByteCountMax)
    encoder.bytes += #","message":"#.utf8
    encoder.append(text: Redaction.cleaned(message: message), byteCountMax: messageByteCountMax)
    for field in fields.entries { encoder.append(field) }
    if encoder.isTruncated { encoder.bytes += #","truncated":true"#.utf8 }
    encoder.bytes += "}\n".utf8
    return encoder.bytes
  }

  private mutating func append(_ field: LogFields.Field) {
    // Keys are the program's own; one that is too long is treated like one that does not fit.
    let room = Self.byteCountMax - Self.reservedByteCount - bytes.count
    guard field.key.utf8.count <= Self.keyByteCountMax,
      field.key.utf8.count * 6 + Self.reservedByteCount < room
    else {
      isTruncated = true
      return
    }
    bytes.append(UInt8(ascii: ","))
    append(text: Self.unreserved(field.key), byteCountMax: room)
    bytes.append(UInt8(ascii: ":"))
    guard !Redaction.isSecret(key: field.key) else {
      append(text: Redaction.mark, byteCountMax: room)
      return
    }
    switch field.value {
    case .string(let text): append(text: Redaction.cleaned(value: text), byteCountMax: .max)
    case .integer(let number): bytes += String(number).utf8
    case .boolean(let value): bytes += String(value).utf8
    case .double(let number) where number.isFinite: bytes += number.description.utf8
    case .double(let number): append(text: number.description, byteCountMax: room)
    }
  }

  /// Fields cannot replace what every line has.
  private static func unreserved(_ key: String) -> String {
    switch key {
    case "time", "level", "logger", "message", "truncated": "field_\(key)"
    default: key
    }
  }

  /// Appends a JSON string of at most `byteCountMax` bytes that still fits the line.
  private mutating func append(text: String, byteCountMax: Int) {
    let room = Self.byteCountMax - Self.reservedByteCount - bytes.count
    let end = bytes.count + min(room, byteCountMax)
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      let before = bytes.count
      JSONText.append(scalar, to: &bytes)
      guard bytes.count <= end else {
        bytes.removeLast(bytes.count - before)
        bytes += Self.truncationMark.utf8
        isTruncated = true
        break
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
