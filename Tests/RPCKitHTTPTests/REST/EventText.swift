import StrictJSON

/// Server-sent events of a text, as the standard has a client read them.
struct EventText {
  var id = ""
  var type = ""
  var data = JSONObject()

  /// The events that a text holds, in order; what does not end with a blank line is none.
  static func events(_ text: String) throws -> [EventText] {
    var events: [EventText] = []
    var event = EventText()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      guard !line.isEmpty else {
        if !event.data.members.isEmpty { events.append(event) }
        event = EventText()
        continue
      }
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
      switch parts.first {
      case "id": event.id = String(value)
      case "event": event.type = String(value)
      case "data":
        let json = try JSONReader.read(Array(value.utf8), limits: JSONLimits(byteCountMax: 1 << 20))
        event.data = json.object ?? JSONObject()
      default: break
      }
    }
    return events
  }
}
