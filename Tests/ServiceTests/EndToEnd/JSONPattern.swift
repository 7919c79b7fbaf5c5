import ServiceKit

/// The part of an answer that a row demands; what the answer has besides is not looked at.
///
/// Members that the pattern has must match, and a list must have as many elements. Special are
/// - `"<any>"`: a value that is neither empty nor null,
/// - `"<absent-or-empty>"`: no value, or an empty one,
/// - `{"<some>": [P, …]}`: a list with an element like each P,
/// - `{"<none>": P}`, `{"<each>": P}`: a list of which no element is like P, or each is,
/// - `{"<count>": N}`: a list of N elements,
/// - `{"<not>": P}`, `{"<either>": [P, …]}`: a value that is not like P, or like one of several.
enum JSONPattern {
  /// The differences between a value and its pattern, by their places.
  static func differences(_ value: JSONValue?, _ pattern: JSONValue, at place: String) -> [String] {
    switch pattern {
    case .string("<any>"):
      return isEmpty(value) ? ["\(place) is empty"] : []
    case .string("<absent-or-empty>"):
      return isEmpty(value) ? [] : ["\(place) is \(text(value))"]
    case .object(let object):
      if let special = special(object) { return differences(value, special, at: place) }
      // An empty object may be left out.
      guard let members = isEmpty(value) ? [:] : value?.object else {
        return ["\(place) is \(text(value))"]
      }
      return object.members.flatMap {
        differences(members[$0.name], $0.value, at: "\(place).\($0.name)")
      }
    case .array(let patterns):
      guard let elements = value?.array, elements.count == patterns.count else {
        return ["\(place) is \(text(value)), not \(patterns.count) elements"]
      }
      return zip(elements, patterns).enumerated().flatMap { index, pair in
        differences(pair.0, pair.1, at: "\(place).\(index)")
      }
    case .number(let number):
      let isEqual = value?.number?.double == number.double
      return isEqual ? [] : ["\(place) is \(text(value)), not \(number.text)"]
    case .null, .boolean, .string:
      return value == pattern ? [] : ["\(place) is \(text(value)), not \(pattern.text)"]
    }
  }

  /// A pattern that is about a list or another value as a whole.
  private enum Special {
    case some([JSONValue])
    case none(JSONValue)
    case each(JSONValue)
    case count(Int64)
    case not(JSONValue)
    case either([JSONValue])
  }

  private static func special(_ object: JSONObject) -> Special? {
    guard object.members.count == 1, let member = object.members.first else { return nil }
    switch member.name {
    case "<some>": return .some(member.value.array ?? [])
    case "<none>": return .none(member.value)
    case "<each>": return .each(member.value)
    case "<count>": return .count(member.value.integer ?? 0)
    case "<not>": return .not(member.value)
    case "<either>": return .either(member.value.array ?? [])
    default: return nil
    }
  }

  private static func differences(
    _ value: JSONValue?,
    _ special: Special,
    at place: String
  ) -> [String] {
    switch special {
    case .not(let pattern):
      return differences(value, pattern, at: place).isEmpty ? ["\(place) is \(text(value))"] : []
    case .either(let patterns):
      let isOne = patterns.contains { differences(value, $0, at: place).isEmpty }
      return isOne ? [] : ["\(place) is \(text(value))"]
    case .some, .none, .each, .count:
      // An empty list may be left out.
      guard let elements = isEmpty(value) ? [] : value?.array else {
        return ["\(place) is \(text(value)), not a list"]
      }
      return differences(elements, special, at: place)
    }
  }

  private static func differences(
    _ elements: [JSONValue],
    _ special: Special,
    at place: String
  ) -> [String] {
    func matches(_ pattern: JSONValue) -> [JSONValue] {
      elements.filter { differences($0, pattern, at: "").isEmpty }
    }
    switch special {
    case .some(let patterns):
      return patterns.filter { matches($0).isEmpty }.map {
        "\(place) has no \($0.text): \(JSONValue.array(elements).text)"
      }
    case .none(let pattern):
      return matches(pattern).map { "\(place) has \($0.text)" }
    case .each(let pattern):
      return elements.enumerated().flatMap {
        differences($0.element, pattern, at: "\(place).\($0.offset)")
      }
    case .count(let count):
      return elements.count == Int(count) ? [] : ["\(place) has \(elements.count), not \(count)"]
    case .not, .either: return []
    }
  }

  private static func isEmpty(_ value: JSONValue?) -> Bool {
    switch value {
    case nil, .null, .string(""): true
    case .array(let elements): elements.isEmpty
    case .object(let object): object.members.isEmpty
    case .boolean, .number, .string: false
    }
  }

  private static func text(_ value: JSONValue?) -> String { value?.text ?? "absent" }
}
