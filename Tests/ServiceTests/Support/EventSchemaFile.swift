import Foundation
package import ServiceKit
package import StrictJSON

/// The JSON Schema of a type of events, from `schemas/events`.
///
/// Of JSON Schema it knows what those files have: texts, required members and enumerations.
package struct EventSchemaFile {
  private static let limits = JSONLimits(byteCountMax: 1 << 16)

  private let properties: JSONObject
  private let required: Set<String>

  /// Reads the file of a type; throws for a type without one.
  package init(of type: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../..").standardizedFileURL
    let file = root.appendingPathComponent("schemas/events/\(type).v1.json")
    let bytes = Array(try Data(contentsOf: file))
    let object = try JSONReader.read(bytes, limits: Self.limits).object ?? [:]
    properties = object["properties"]?.object ?? [:]
    required = Set(object["required"]?.array?.compactMap { $0.string } ?? [])
  }

  /// What is wrong with `data` of an event.
  package func mistakes(in data: JSONObject) -> [String] {
    var mistakes = required.filter { data[$0] == nil }.map { "\($0) is missing" }
    for member in data.members {
      guard let property = properties[member.name]?.object else {
        mistakes.append("\(member.name) is not in the schema")
        continue
      }
      guard let text = member.value.string else {
        mistakes.append("\(member.name) is not a text")
        continue
      }
      let values = property["enum"]?.array?.compactMap { $0.string }
      if let values, !values.contains(text) {
        mistakes.append("\(member.name) is none of its values: \(text)")
      }
    }
    return mistakes.sorted()
  }

  /// What is wrong with the members of an event, a JSON object.
  package static func mistakes(in data: String, of type: String) throws -> [String] {
    let object = try JSONReader.read(Array(data.utf8), limits: limits).object ?? [:]
    return try EventSchemaFile(of: type).mistakes(in: object)
  }

  /// What is wrong with the events that the rules of a service make.
  package static func mistakes(in rules: EventRules) throws -> [String] {
    try rules.sorted { $0.key < $1.key }.flatMap { action, rule in
      try mistakes(in: rule.data, of: rule.type).map { "\(action): \($0)" }
    }
  }
}
