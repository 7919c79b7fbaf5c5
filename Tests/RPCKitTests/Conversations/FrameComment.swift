import RPCKit
import RPCKitTesting

/// Says what a frame means, for the reader of a transcript; knows nothing of the library's framing.
enum FrameComment {
  private static let flagNames: [(UInt8, String)] = [
    (0x01, "closed"), (0x02, "open"), (0x04, "no data"), (0x10, "deflated"),
  ]

  static func text(_ frame: WireFrame) -> String {
    var name = WireFrame.name(frame.type)
    if frame.type == WireFrame.ping, frame.flags & 1 == 1 { name = "answer to ping" }
    if frame.stream != WireFrame.connectionStream { name += " \(frame.stream)" }
    let parts = flags(frame) + details(frame)
    return parts.isEmpty ? name : name + ": " + parts.joined(separator: ", ")
  }

  private static func flags(_ frame: WireFrame) -> [String] {
    guard frame.type != WireFrame.ping else { return [] }
    var names = flagNames.filter { frame.flags & $0.0 != 0 }.map(\.1)
    let unknown = frame.flags & ~(0x01 | 0x02 | 0x04 | 0x10)
    if unknown != 0 { names.append("flags " + WireFrame.hexadecimal([unknown])) }
    return names.isEmpty ? [] : ["[" + names.joined(separator: ", ") + "]"]
  }

  private static func details(_ frame: WireFrame) -> [String] {
    switch frame.type {
    case WireFrame.request: request(frame)
    case WireFrame.response: response(frame)
    case WireFrame.data: frame.flags & 0x04 != 0 ? [] : [message(frame.payload, frame.flags)]
    case WireFrame.hello: settings(frame.payload)
    case WireFrame.goAway: numbers(frame.payload, ["up to"])
    case WireFrame.credit: numbers(frame.payload, ["bytes"])
    default: []
    }
  }

  private static func request(_ frame: WireFrame) -> [String] {
    guard let fields = WireMessage.fields(frame.payload) else { return ["malformed"] }
    var service = ""
    var method = ""
    var parts: [String] = []
    for (field, value) in fields {
      switch (field, value) {
      case (1, .bytes(let text)): service = Self.text(text)
      case (2, .bytes(let text)): method = Self.text(text)
      case (3, .bytes(let payload)): parts.append(message(payload, frame.flags))
      case (4, .number(let nanoseconds)):
        let count = Int64(bitPattern: nanoseconds)
        parts.append(count % 1_000_000 == 0 ? "\(count / 1_000_000) ms" : "\(count) ns")
      case (5, .bytes(let pair)): parts.append(keyValue(pair))
      default: parts.append("field \(field)")
      }
    }
    return [service + "/" + method] + parts
  }

  private static func response(_ frame: WireFrame) -> [String] {
    guard let outcome = frame.outcome else { return ["malformed"] }
    var parts = ["\(StatusCode(rawValue: outcome.code))"]
    if !outcome.message.isEmpty { parts.append("\"\(outcome.message)\"") }
    if outcome.isNotProcessed { parts.append("not processed") }
    parts += outcome.metadata
    if let payload = outcome.payload { parts.append(message(payload, frame.flags)) }
    return parts
  }

  private static func settings(_ payload: [UInt8]) -> [String] {
    numbers(payload, ["version", "features", "frame bytes", "streams", "window"])
  }

  /// Number fields by their names, which are in the order of the field numbers.
  private static func numbers(_ payload: [UInt8], _ names: [String]) -> [String] {
    (WireMessage.fields(payload) ?? []).map { field, value in
      guard case .number(let number) = value, (1...names.count).contains(field) else {
        return "field \(field)"
      }
      return "\(names[field - 1]) \(number)"
    }
  }

  /// Field 1 as text, which is all that the messages of the transcripts have.
  private static func message(_ bytes: [UInt8], _ flags: UInt8) -> String {
    if flags & 0x10 != 0 { return "\(bytes.count) deflated bytes" }
    guard let fields = WireMessage.fields(bytes) else { return "no message" }
    guard case .bytes(let text) = fields.first?.value else { return "empty message" }
    return text.count > 40 ? "text of \(text.count) bytes" : "\"\(Self.text(text))\""
  }

  private static func keyValue(_ pair: [UInt8]) -> String {
    (WireMessage.fields(pair) ?? []).map { _, value in
      if case .bytes(let text) = value { Self.text(text) } else { "?" }
    }.joined(separator: ": ")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
