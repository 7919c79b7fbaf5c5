internal import ServiceKit

/// Writes the one JSON document of an export, piece by piece, with a record in each line.
///
/// Throws where its parts do not fit together, so that nothing looks whole that is not.
struct ExportDocument {
  /// A mistake in the parts of a service.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private var text: String
  private var service: String?
  private var section: String?
  private var services: Set<String> = []
  private var sections: Set<String> = []
  private var hasRecords = false

  /// Bytes after which a piece is taken.
  private static let byteCountMax = 64 << 10

  /// Begins the document of a user.
  init(userID: String, now: Int64) {
    let header: [(String, JSONValue)] = [
      ("format", "gatehouse-account-export"), ("version", 1), ("user_id", .string(userID)),
      ("exported_at", .string(InstantText.text(now))),
    ]
    let members = header.map { "\(JSONValue.string($0).text):\($1.text)" }
    text = "{" + members.joined(separator: ",\n")
  }

  /// Begins what a service tells.
  mutating func begin(service name: String) throws(Fault) {
    guard service == nil, services.insert(name).inserted else {
      throw Fault(description: "\(name) comes twice, or before the end of another service")
    }
    (service, sections) = (name, [])
    text += ",\n\(JSONValue.string(name).text):{"
  }

  /// Adds records to a section of the service, each the text of a JSON object; the section begins with
  /// its first part, and ends with the first part of another one.
  mutating func add(_ records: [String], to name: String) throws(Fault) {
    guard let service else { throw Fault(description: "records of no service") }
    if section != name {
      guard !name.isEmpty, sections.insert(name).inserted else {
        throw Fault(description: "\(service) tells \(name) twice")
      }
      if section != nil { text += "]," }
      text += "\n\(JSONValue.string(name).text):["
      (section, hasRecords) = (name, false)
    }
    for record in records {
      text += hasRecords ? ",\n" : "\n"
      text += record
      hasRecords = true
    }
  }

  /// Ends what a service tells.
  mutating func end() throws(Fault) {
    guard service != nil, section != nil else {
      throw Fault(description: "\(service ?? "no service") tells nothing")
    }
    text += "]}"
    (service, section) = (nil, nil)
  }

  /// Ends the document.
  mutating func finish() throws(Fault) {
    guard service == nil else { throw Fault(description: "a service is not at its end") }
    text += "}\n"
  }

  /// A piece that is long enough to be sent, or whatever there is.
  mutating func take(all: Bool = false) -> String? {
    guard all ? !text.isEmpty : text.utf8.count >= Self.byteCountMax else { return nil }
    defer { text = "" }
    return text
  }
}
