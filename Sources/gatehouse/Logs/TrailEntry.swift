internal import Reflection
internal import ServiceKit

/// A line of a log or a record of an audit log, as far as it concerns one request.
struct TrailEntry {
  /// When it was written, in milliseconds since 1970.
  let time: Int64
  /// The entry as it was written, and its file.
  let json: JSONValue

  /// The members that every entry has, and that a reader knows already.
  private static let mainMembers: Set = [
    "source", "time", "level", "message", "request_id", "logger",
  ]

  /// A line of a log; nil unless it is one of the request.
  ///
  /// What stands before the first brace is skipped: journals and container engines put names there.
  init?(line: ArraySlice<UInt8>, request: String, source: String) {
    guard let start = line.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    let limits = JSONLimits(byteCountMax: LogLines.byteCountMax, depthMax: 16)
    // What is not JSON is not a line of ours.
    guard let object = try? JSONReader.read(Array(line[start...]), limits: limits).object,
      object["request_id"]?.string == request
    else { return nil }
    time = object["time"]?.string.flatMap { InstantText.milliseconds($0) } ?? 0
    var json: JSONObject = ["source": .string(source)]
    for member in object.members { json[member.name] = member.value }
    self.json = .object(json)
  }

  /// A record of an audit log.
  init(_ stored: StoredAuditRecord, source: String) {
    let record = stored.record
    time = stored.recordedAt
    json = [
      "source": .string(source), "time": .string(InstantText.text(stored.recordedAt)),
      "level": "audit", "message": .string(record.action), "object": .string(record.object),
      "outcome": .string(record.outcome.rawValue), "actor": .string(record.actor),
      "on_behalf_of": .string(record.onBehalfOf ?? ""), "scope": .string(record.scope),
      "detail": .string(record.detail), "request_id": .string(record.requestID),
    ]
  }

  /// One line for people, without its end.
  var text: String {
    let object = json.object ?? [:]
    let main = ["time", "source", "level", "message"].map { object[$0]?.string ?? "-" }
    let others = object.members.filter { !Self.mainMembers.contains($0.name) && $0.value != "" }
    let details = others.map { "\($0.name)=\($0.value.string ?? $0.value.text)" }
    return FailureText.printable((main + details).joined(separator: "  "))
  }
}
