internal import RPCKit
public import StrictJSON

/// Where settings come from: a JSON file, and variables of the environment that go before it.
///
/// A variable names a setting by its path in capitals, levels separated by two underscores:
/// `GATEHOUSE_LOG__LEVEL=debug` is `{"log": {"level": "debug"}}`. Its value is JSON if it reads as
/// JSON, otherwise a string. So everything can be set either way, and what nobody knows is an error
/// either way.
public enum ConfigurationReader {
  /// Largest file, in bytes.
  public static let fileByteCountMax = 1 << 20
  private static let prefix = "GATEHOUSE_"
  /// Variables of the command line client and of the container set-up, which somebody may have set
  /// in the same shell.
  ///
  /// No setting has such a name.
  private static let variablesOfOthers: Set = [
    "GATEHOUSE_PASSWORD", "GATEHOUSE_AUTH", "GATEHOUSE_TENANCY", "GATEHOUSE_ENTITLEMENT",
    "GATEHOUSE_IMAGE", "GATEHOUSE_KEYS",
  ]

  /// Reads the settings of `path`, or none without a path, and lays the environment over them.
  public static func read(
    path: String?,
    environment: [String: String]
  ) throws(ConfigurationError) -> JSONValue {
    var settings = JSONObject()
    if let path {
      settings = try readFile(path)
    }
    // Sorted, so that of two variables that contradict each other always the same one wins.
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix(prefix) && !variablesOfOthers.contains(name) {
      let keys = name.dropFirst(prefix.count).lowercased().split("__")
      settings = try overlay(settings, keys[...], value(text), variable: name)
    }
    return .object(settings)
  }

  /// Decodes settings, and names the file or variable's path of what is wrong.
  public static func decode<Settings>(
    _ settings: JSONValue,
    _ body: (inout JSONMembers) throws(JSONDecodingError) -> Settings
  ) throws(ConfigurationError) -> Settings {
    do throws(JSONDecodingError) {
      var members = try JSONField(settings).members()
      let decoded = try body(&members)
      try members.finish()
      return decoded
    } catch {
      throw ConfigurationError("setting \(error)")
    }
  }

  /// As `decode`, but finds all mistakes: what is wrong, a line each, with what the settings are without
  /// it, as far as they can be read, and whether what a path names is among what is wrong.
  static func decodeAll<Settings>(
    _ settings: JSONValue,
    _ body: (inout JSONMembers) throws(JSONDecodingError) -> Settings
  ) -> (settings: Settings?, problems: [String], isWrong: @Sendable (_ path: String) -> Bool) {
    var repair = ConfigurationRepair(settings)
    let decoded = repair.decode { (json) throws(JSONDecodingError) in
      var members = try JSONField(json).members()
      let decoded = try body(&members)
      try members.finish()
      return decoded
    }
    let found = repair
    return (decoded, found.problems.map { "setting \($0)" }, { found.hasReplaced($0) })
  }

  private static func readFile(_ path: String) throws(ConfigurationError) -> JSONObject {
    do {
      let bytes = try FileBytes.read(path, byteCountMax: fileByteCountMax)
      let limits = JSONLimits(byteCountMax: fileByteCountMax)
      guard let object = try JSONReader.read(bytes, limits: limits).object else {
        throw ConfigurationError("\(path): the settings must be one JSON object")
      }
      return object
    } catch let error as ConfigurationError {
      throw error
    } catch let error as JSONError {
      throw ConfigurationError("\(path): \(error)")
    } catch {
      throw ConfigurationError("\(error)")
    }
  }

  private static func value(_ text: String) -> JSONValue {
    let limits = JSONLimits(byteCountMax: fileByteCountMax)
    let value = try? JSONReader.read([UInt8](text.utf8), limits: limits)
    return value ?? .string(text)
  }

  private static func overlay(
    _ settings: JSONObject,
    _ keys: ArraySlice<String>,
    _ value: JSONValue,
    variable: String
  ) throws(ConfigurationError) -> JSONObject {
    guard let key = keys.first, !key.isEmpty else {
      throw ConfigurationError("\(variable) is not a setting")
    }
    var settings = settings
    guard keys.count > 1 else {
      settings[key] = value
      return settings
    }
    let inner = settings[key]?.object ?? JSONObject()
    settings[key] = .object(try overlay(inner, keys.dropFirst(), value, variable: variable))
    return settings
  }
}

extension String {
  /// The parts between occurrences of `separator`, empty ones included.
  fileprivate func split(_ separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let place = rest.firstRange(of: separator) {
      parts.append(String(rest[..<place.lowerBound]))
      rest = rest[place.upperBound...]
    }
    return parts + [String(rest)]
  }
}
