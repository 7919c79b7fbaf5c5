/// Finds every mistake of some settings: what is wrong is taken out, or something is put in its place,
/// and the rest is read again.
///
/// Decoding stops at the first mistake, which is what one wants of it everywhere else. Of several
/// mistakes in one list the first is found.
struct ConfigurationRepair {
  /// The problems, in the order in which they were found.
  private(set) var problems: [JSONDecodingError] = []
  /// The settings, as far as they can be read.
  private(set) var settings: JSONValue

  /// More are not looked for.
  static let problemCountMax = 100
  /// Put where something is missing or wrong, until it is taken for a value of the right kind.
  private static let substitutes: [JSONValue] = ["substitute", [:], [], 1, true]

  init(_ settings: JSONValue) { self.settings = settings }

  /// Reads the settings with `body`; nil when a mistake is found that cannot be worked around.
  mutating func decode<Settings>(
    _ body: (JSONValue) throws(JSONDecodingError) -> Settings
  ) -> Settings? {
    var pending = Self.attempt(settings, body)
    while case .failure(let error) = pending {
      problems.append(error)
      guard problems.count < Self.problemCountMax,
        let (mended, result) = mend(error.path, body)
      else { return nil }
      settings = mended
      pending = result
    }
    guard case .success(let settings) = pending else { return nil }
    return settings
  }

  /// Whether something at a path, or in it, was not what the settings say.
  func hasReplaced(_ path: String) -> Bool {
    problems.contains { $0.path == path || $0.path.isBelow(path) || path.isBelow($0.path) }
  }

  /// The settings without the mistake at a path, and what they are read as; nil when it stays whatever is
  /// there.
  private func mend<Settings>(
    _ path: String,
    _ body: (JSONValue) throws(JSONDecodingError) -> Settings
  ) -> (settings: JSONValue, Result<Settings, JSONDecodingError>)? {
    var path = path
    while !path.isEmpty {
      for substitute in [nil] + Self.substitutes.map(Optional.some) {
        guard let mended = settings.replacing(path, "", with: substitute) else { continue }
        let result = Self.attempt(mended, body)
        guard case .failure(let error) = result, error.path == path else { return (mended, result) }
      }
      path = path.parent
    }
    return nil
  }

  private static func attempt<Settings>(
    _ settings: JSONValue,
    _ body: (JSONValue) throws(JSONDecodingError) -> Settings
  ) -> Result<Settings, JSONDecodingError> {
    do throws(JSONDecodingError) {
      return .success(try body(settings))
    } catch {
      return .failure(error)
    }
  }
}

extension String {
  /// Whether it is the path of something in what `path` names.
  fileprivate func isBelow(_ path: String) -> Bool {
    hasPrefix("\(path).") || hasPrefix("\(path)[")
  }

  /// The path of what this is in; empty for the outermost value.
  fileprivate var parent: String {
    lastIndex { $0 == "." || $0 == "[" }.map { String(self[..<$0]) } ?? ""
  }
}

extension JSONValue {
  /// This value, which is at `own`, with another one at `path`, or none; nil when nothing can be there.
  fileprivate func replacing(_ path: String, _ own: String, with value: JSONValue?) -> JSONValue? {
    switch self {
    case .object(var object):
      for member in object.members {
        let place = own.isEmpty ? member.name : "\(own).\(member.name)"
        guard path == place || path.isBelow(place) else { continue }
        if path != place {
          guard let inner = member.value.replacing(path, place, with: value) else { continue }
          object[member.name] = inner
        } else {
          object[member.name] = value
        }
        return .object(object)
      }
      // A member that is missing.
      guard let value, path.parent == own else { return nil }
      object[String(path.dropFirst(own.isEmpty ? 0 : own.count + 1))] = value
      return .object(object)
    case .array(var elements):
      for index in elements.indices {
        let place = "\(own)[\(index)]"
        guard path == place || path.isBelow(place) else { continue }
        // Taken out, those behind it would get other numbers.
        let inner = path == place ? value : elements[index].replacing(path, place, with: value)
        guard let inner else { return nil }
        elements[index] = inner
        return .array(elements)
      }
      return nil
    default: return nil
    }
  }
}
