import RPCKitTesting

/// The messages of `SimulatedService` as JSON, written without the library's own mapping.
enum SimulatedJSON {
  static let conversions = ConnectJSON(text: text, response: response)

  private static let before = Array(#"{"reason":""#.utf8)
  private static let after = Array(#""}"#.utf8)

  /// A request; its texts have nothing that JSON would have to escape.
  private static func text(_ request: [UInt8]) -> [UInt8] {
    var members: [String] = []
    for (field, value) in WireMessage.fields(request) ?? [] {
      guard case .bytes(let text) = value else { continue }
      let name = field == 1 ? "subject" : "entity"
      members.append("\"\(name)\": \"\(String(decoding: text, as: UTF8.self))\"")
    }
    return Array("{\(members.joined(separator: ", "))}".utf8)
  }

  private static func response(_ text: [UInt8]) -> [UInt8]? {
    if text == Array("{}".utf8) { return [] }
    guard text.starts(with: before), text.suffix(after.count) == after[...] else { return nil }
    return WireMessage().field(2, Array(text.dropFirst(before.count).dropLast(after.count))).bytes
  }
}
