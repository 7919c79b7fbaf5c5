/// Contracts with given words in every position where a `.proto` has a name.
///
/// Words that a scope cannot have side by side, because they differ in case or underscores only, come
/// in different groups with packages of their own.
enum NamesContract {
  /// Path to text.
  static func files(_ words: [String]) -> [String: String] {
    var files: [String: String] = [:]
    for (index, group) in groups(words).enumerated() {
      files["messages\(index).proto"] = text(package: "messages.v\(index)", messages(group))
      files["enums\(index).proto"] = text(package: "enums.v\(index)", enums(group))
      files["services\(index).proto"] = text(package: "services.v\(index)", services(group))
      for (part, some) in chunks(group, of: 60).enumerated() {
        let imports = ["messages\(index).proto", "enums\(index).proto"]
        files["members\(index)_\(part).proto"] = text(
          package: "members.v\(index).part\(part)",
          imports: imports,
          members(some, in: index, holder: ".members.v\(index).part\(part)")
        )
      }
      for (part, some) in chunks(group, of: 8).enumerated() {
        // The file is called like a word as well.
        files["packages/\(some[0])/v\(index)_\(part).proto"] = text(
          package: (some + ["v\(index)"]).joined(separator: "."),
          message
        )
      }
    }
    for word in ["swift", "RPCKit", "string", "message", "self", "any", "linux", "int", "error"] {
      files["single/\(word).proto"] = text(package: word, message)
    }
    return files
  }

  private static func groups(_ words: [String]) -> [[String]] {
    var groups: [[String]] = []
    var counts: [String: Int] = [:]
    for word in words {
      var key = word.lowercased().filter { $0 != "_" }
      // What the protocol of a service ends with anyway.
      if key.hasSuffix("service") { key.removeLast(7) }
      let group = counts[key, default: 0]
      counts[key] = group + 1
      if group == groups.count { groups.append([]) }
      groups[group].append(word)
    }
    return groups
  }

  private static func chunks(_ words: [String], of count: Int) -> [[String]] {
    stride(from: 0, to: words.count, by: count).map {
      Array(words[$0..<min($0 + count, words.count)])
    }
  }

  private static func text(package: String, imports: [String] = [], _ body: String) -> String {
    let imports = (["gatehouse/options.proto"] + imports).map { "import \"\($0)\";\n" }.joined()
    return "syntax = \"proto3\";\npackage \(package);\n\(imports)\(body)\n"
  }

  private static let length =
    "[(.gatehouse.field) = {required: true, max_len: 9, text: SINGLE_LINE}]"
  private static let pattern = "[(.gatehouse.field) = {pattern: \"[a-z]{1,9}\"}]"
  private static let count = "[(.gatehouse.field) = {max_items: 9}]"
  private static let anyone = "option (.gatehouse.method) = {caller: CALLER_CLASS_PUBLIC};"

  private static let message = """
    message M {
      string a = 1 \(length);
    }
    service S {
      rpc Do(M) returns (M) { \(anyone) }
    }
    """

  private static func messages(_ words: [String]) -> String {
    words.map { "message \($0) {}" }.joined(separator: "\n")
  }

  private static func enums(_ words: [String]) -> String {
    words.enumerated().map { "enum \($1) {\n  ZERO\($0) = 0;\n  ONE\($0) = 1;\n}" }
      .joined(separator: "\n")
  }

  private static func services(_ words: [String]) -> String {
    words.map { "service \($0) {}" }.joined(separator: "\n")
  }

  /// What is inside of messages, enums and services.
  private static func members(
    _ words: [String],
    in group: Int,
    holder: String
  ) -> String {
    func all(_ line: (Int, String) -> String) -> String {
      words.enumerated().map { "  " + line($0, $1) }.joined(separator: "\n")
    }
    func messageType(_ word: String) -> String { ".messages.v\(group).\(word)" }
    func enumType(_ word: String) -> String { ".enums.v\(group).\(word)" }
    let fields = (0..<2).map { turn in
      "message Fields\(turn) {\n"
        + all { index, word in
          let number = index + 1
          return switch (index + turn * 9) % 18 {
          case 0: "int32 \(word) = \(number);"
          case 1: "string \(word) = \(number) \(length);"
          case 2: "bytes \(word) = \(number) [(.gatehouse.field) = {max_len: 9}];"
          case 3: "bool \(word) = \(number);"
          case 4: "double \(word) = \(number) [(.gatehouse.field) = {gte: 0}];"
          case 5: "repeated int32 \(word) = \(number) \(count);"
          case 6: "Fields\(turn) \(word) = \(number);"
          case 7: "optional int32 \(word) = \(number);"
          case 8: "optional string \(word) = \(number) \(pattern);"
          case 9: "\(messageType(word)) \(word) = \(number);"
          case 10: "repeated string \(word) = \(number) \(count);"
          case 11: "map<string, int32> \(word) = \(number) \(count);"
          case 12: "map<int32, \(messageType(word))> \(word) = \(number) \(count);"
          case 13: "\(enumType(word)) \(word) = \(number);"
          case 14: "repeated bytes \(word) = \(number) \(count);"
          case 15: "repeated \(messageType(word)) \(word) = \(number) \(count);"
          case 16: "float \(word) = \(number);"
          default: "string \(word) = \(number) \(pattern);"
          }
        } + "\n}"
    }
    let cases =
      "message Cases {\n  oneof any_of_these {\n"
      + all { index, word in
        let type = [
          "int32", "string", "bytes", "bool", "double", messageType(word), enumType(word), "Cases",
        ][index % 8]
        return "  \(type) \(word) = \(index + 1);"
      } + "\n  }\n}"
    let choices =
      "message Choices {\n"
      + all { "oneof \($1) { int32 a\($0) = \($0 + 1); }" }
      + "\n}"
    // `option` and `reserved` begin a statement there.
    // Values are names of the scope around their enum, so this has one of its own. `option` and
    // `reserved` begin a statement there.
    let values =
      "message Values {\n enum Sorts {\n  NOT_A_WORD = 0;\n"
      + all { ["option", "reserved"].contains($1) ? "" : "\($1) = \($0 + 1);" } + "\n }\n}"
    let methods =
      "service Methods {\n"
      + all { index, word in
        let input = (index % 2 == 0 ? "" : "stream ") + messageType(word)
        let output = (index / 2 % 2 == 0 ? "" : "stream ") + messageType(word)
        return "rpc \(word)(\(input)) returns (\(output)) { \(anyone) }"
      } + "\n}"
    let nested =
      "message Nested {\n"
      + all { "message \($1) {}" } + "\n"
      + all { "\(holder).Nested.\($1) a\($0) = \($0 + 1);" }
      + "\n}"
    let nestedEnums =
      "message NestedEnums {\n"
      + all { "enum \($1) { ZERO\($0) = 0; }" } + "\n"
      + all { "\(holder).NestedEnums.\($1) a\($0) = \($0 + 1);" } + "\n}"
    return (fields + [cases, choices, values, methods, nested, nestedEnums]).joined(separator: "\n")
  }
}
