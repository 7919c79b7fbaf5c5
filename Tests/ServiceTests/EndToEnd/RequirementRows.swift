import Foundation
import ServiceKit
import Testing

/// A file of `Requirements/`: one chapter of docs/maintainers/requirements.md, and what its rows send.
struct RequirementChapter: Sendable {
  /// A table of the page.
  struct Section: Sendable {
    let title: String
    /// The most requests that a row may need, where that is bound.
    let requestsAtMost: Int?
    let rows: [Row]
  }

  /// A requirement.
  struct Row: Sendable {
    let requirement: String
    /// Sent first; the page does not count it.
    let given: [RequirementStep]
    /// What the app sends.
    let steps: [RequirementStep]
    /// The reason for having no steps.
    let why: String?
  }

  /// The longest file, and how deep its values may be.
  private static let limits = JSONLimits(byteCountMax: 1 << 20)

  let name: String
  /// The file in `policies/` that the services have.
  let policy: String
  /// Their accounts exist before the first step.
  let people: [String]
  let given: [RequirementStep]
  let sections: [Section]

  /// The files, in the order of the page.
  static let names = ["smart-home", "screens", "stables", "journal", "family"]

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Requirements")

  /// Reads `NAME.json`; a member that is not known here is refused.
  init(_ name: String) throws {
    let file = Self.folder.appending(path: "\(name).json")
    let value = try JSONReader.read(Array(try Data(contentsOf: file)), limits: Self.limits)
    let members = try RequirementMembers(
      value,
      of: ["chapter", "source", "policy", "people", "text", "given", "sections"]
    )
    self.name = name
    policy = try #require(members.object["policy"]?.string)
    people = members.array("people").compactMap(\.string)
    given = try members.steps("given")
    sections = try members.array("sections").map(Self.section)
  }

  private static func section(_ value: JSONValue) throws -> Section {
    let members = try RequirementMembers(value, of: ["title", "text", "requestsAtMost", "rows"])
    let title = try #require(members.object["title"]?.string)
    return Section(
      title: title,
      requestsAtMost: members.object["requestsAtMost"]?.integer.map { Int($0) },
      rows: try members.array("rows").map(row)
    )
  }

  private static func row(_ value: JSONValue) throws -> Row {
    let members = try RequirementMembers(
      value,
      of: ["requirement", "source", "calls", "shownBy", "given", "steps", "why"]
    )
    return Row(
      requirement: try #require(members.object["requirement"]?.string),
      given: try members.steps("given"),
      steps: try members.steps("steps"),
      why: members.object["why"]?.string
    )
  }
}

/// A step of a row: a request and its answer, or what an app cannot do by REST.
struct RequirementStep: Sendable {
  /// How a step is done.
  enum Kind: Sendable {
    /// A request to the service that has its path.
    case send(method: String, path: String)
    /// The code of a mail that has a link with this path.
    case mail(String, to: String)
    /// A transaction as Apple signs it, or a notification of this type about it.
    case sign(JSONObject, notification: String?)
    /// A receipt of the older kind, with one transaction.
    case receipt(transaction: String)
    /// A command of an operator.
    case shell(String)
  }

  let kind: Kind
  /// The person, or the service (`service:billing`); nil for nobody.
  let caller: String?
  let fields: JSONObject
  let body: JSONValue?
  let status: Int
  /// Patterns of the answer: the whole, and parts of it.
  let answer: JSONObject
  /// Names for values of the answer, by their paths in it.
  let saved: JSONObject
  /// Whether it is sent until the answer is the right one: another service has to hear of something first.
  let isRepeated: Bool

  init(_ value: JSONValue) throws {
    let members = try RequirementMembers(
      value,
      of: [
        "as", "send", "mail", "to", "sign", "notification", "receipt", "shell", "fields", "body",
        "status",
        "answer", "data", "reason", "save", "eventually",
      ]
    )
    let object = members.object
    kind = try Self.kind(object)
    caller = object["as"]?.string
    fields = object["fields"]?.object ?? [:]
    body = object["body"]
    status = Int(object["status"]?.integer ?? 200)
    var answer = object["answer"]?.object ?? [:]
    if let data = object["data"] { answer["data"] = data }
    if let reason = object["reason"] { answer["details"] = ["reason": reason] }
    self.answer = answer
    saved = object["save"]?.object ?? [:]
    isRepeated = object["eventually"]?.boolean ?? false
  }

  private static func kind(_ object: JSONObject) throws -> Kind {
    if let send = object["send"]?.string {
      let words = send.split(separator: " ", maxSplits: 1).map(String.init)
      try #require(words.count == 2 && words[1].hasPrefix("/"), "\(send) is no request")
      return .send(method: words[0], path: words[1])
    }
    if let mail = object["mail"]?.string { return .mail(mail, to: object["to"]?.string ?? "") }
    if let fields = object["sign"]?.object {
      return .sign(fields, notification: object["notification"]?.string)
    }
    if let id = object["receipt"]?.string { return .receipt(transaction: id) }
    return .shell(try #require(object["shell"]?.string, "a step without what it does"))
  }
}

/// The members of an object of a file, all of them known.
private struct RequirementMembers {
  let object: JSONObject

  init(_ value: JSONValue, of known: Set<String>) throws {
    object = try #require(value.object)
    let unknown = object.members.map(\.name).filter { !known.contains($0) }
    try #require(unknown.isEmpty, "unknown members \(unknown) in \(value.text)")
  }

  func array(_ name: String) -> [JSONValue] { object[name]?.array ?? [] }

  func steps(_ name: String) throws -> [RequirementStep] {
    try array(name).map { try RequirementStep($0) }
  }
}
