import Testing

/// What the plugin says about contracts that it cannot or will not generate.
@Suite(
  .enabled(if: Protoc.executable != nil && Protoc.plugin != nil, "needs protoc and the plugin")
)
struct GeneratorErrorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Behind `syntax`, `package` and the imports, which take four lines.
    var body: String
    var errors: [String]
  }

  private static let header = """
    syntax = "proto3";
    package bad.v1;
    import "gatehouse/options.proto";
    import "google/protobuf/descriptor.proto";

    """

  private static func ruled(_ field: String, _ rules: String) -> String {
    "message M {\n  \(field) = 1 [(gatehouse.field) = {\(rules)}];\n}"
  }

  static let cases: [Case] = [
    Case(
      testDescription: "a method without a caller class",
      body: "message M {}\nservice S {\n  rpc Do(M) returns (M);\n}",
      errors: [
        "bad.proto:7: S.Do does not say who may call it; add "
          + "`option (gatehouse.method) = {caller: …};`"
      ]
    ),
    Case(
      testDescription: "calling services of a public method",
      body: """
        message M {}
        service S {
          rpc Do(M) returns (M) {
            option (gatehouse.method) = {caller: CALLER_CLASS_PUBLIC, calling_services: "auth"};
          }
        }
        """,
      errors: ["bad.proto:7: calling_services says nothing when anyone may call"]
    ),
    Case(
      testDescription: "a step-up of a public method",
      body: """
        message M {}
        service S {
          rpc Do(M) returns (M) {
            option (gatehouse.method) = {caller: CALLER_CLASS_PUBLIC, step_up: "pin"};
          }
        }
        """,
      errors: ["bad.proto:7: step_up needs `caller: CALLER_CLASS_USER`"]
    ),
    Case(
      testDescription: "an extension",
      body: "extend google.protobuf.FieldOptions {\n  string mine = 50999;\n}",
      errors: ["bad.proto:6: extensions are not supported"]
    ),
    Case(
      testDescription: "a field and a oneof of one Swift name",
      body: "message M {\n  int32 user_id = 1;\n  oneof userId {\n    bool a = 2;\n  }\n}",
      errors: ["bad.proto:5: `userId` and `user_id` are both `userId` in Swift"]
    ),
    Case(
      testDescription: "two messages of one Swift name",
      body: "message UserName {}\nmessage User_Name {}",
      errors: ["bad.proto:6: `User_Name` and `UserName` are both `UserName` in Swift"]
    ),
    Case(
      testDescription: "a message with the name of a client",
      body: "message UsersClient {}\nservice Users {}",
      errors: ["bad.proto:6: `Users` and `UsersClient` are both `UsersClient` in Swift"]
    ),
    Case(
      testDescription: "a length of a number",
      body: ruled("int32 n", "max_len: 3"),
      errors: ["bad.proto:6: min_len and max_len are for string and bytes; M.n is neither"]
    ),
    Case(
      testDescription: "a range that is empty",
      body: ruled("int32 n", "gte: 3, lte: 2"),
      errors: ["bad.proto:6: gte of M.n is larger than its lte"]
    ),
    Case(
      testDescription: "bounds of a string",
      body: ruled("string s", "gte: 3"),
      errors: ["bad.proto:6: gte and lte are for numbers; M.s is not one"]
    ),
    Case(
      testDescription: "an item count of one item",
      body: ruled("string s", "min_items: 3"),
      errors: ["bad.proto:6: min_items and max_items are for repeated fields and maps"]
    ),
    Case(
      testDescription: "named values of a string",
      body: ruled("string s", "defined_only: true"),
      errors: ["bad.proto:6: defined_only is for enums; M.s is not one"]
    ),
    Case(
      testDescription: "a pattern with a group",
      body: ruled("string s", "pattern: \"(a|b)\""),
      errors: ["bad.proto:6: pattern of M.s: groups are not supported"]
    ),
    Case(
      testDescription: "a class that is not closed",
      body: ruled("string s", "pattern: \"[a-z\""),
      errors: ["bad.proto:6: pattern of M.s: a class is not closed with ]"]
    ),
    Case(
      testDescription: "a repetition of nothing",
      body: ruled("string s", "pattern: \"+a\""),
      errors: ["bad.proto:6: pattern of M.s: nothing stands in front of a repetition"]
    ),
    Case(
      testDescription: "a repetition that runs backwards",
      body: ruled("string s", "pattern: \"a{3,2}\""),
      errors: ["bad.proto:6: pattern of M.s: {3,2} runs backwards or past 10000"]
    ),
    Case(
      testDescription: "everything wrong at once",
      body: """
        message M {
          string s = 1 [(gatehouse.field) = {gte: 1, min_items: 2}];
        }
        service S {
          rpc Do(M) returns (M);
        }
        """,
      errors: [
        "bad.proto:6: min_items and max_items are for repeated fields and maps",
        "bad.proto:6: gte and lte are for numbers; M.s is not one",
        "bad.proto:9: S.Do does not say who may call it; add "
          + "`option (gatehouse.method) = {caller: …};`",
      ]
    ),
  ]

  /// protoc puts the plugin's name in front of what the plugin says.
  private func problems(_ text: String) throws -> [String] {
    let outcome = try Protoc.generate(text)
    #expect(outcome.status != 0)
    #expect(outcome.output.isEmpty)
    return outcome.errors
      .replacing("--rpckit_out: ", with: "")
      .split(separator: "\n")
      .map(String.init)
      .filter { !$0.contains("warning:") }
  }

  @Test("A wrong contract is refused with file, line and reason", arguments: cases)
  func contract_wrong_isRefused(_ example: Case) throws {
    #expect(try problems(Self.header + example.body) == example.errors)
  }

  @Test("proto2 and a missing package are refused")
  func file_wrongKind_isRefused() throws {
    #expect(
      try problems("syntax = \"proto2\";\npackage a;\nmessage M {}\n") == [
        "bad.proto:1: proto2 is not supported; write `syntax = \"proto3\";`"
      ]
    )
    #expect(
      try problems("syntax = \"proto3\";\nmessage M {}\n") == [
        "bad.proto:1: a package is required; it becomes the Swift namespace"
      ]
    )
  }

  @Test("The same contract is generated to the same bytes")
  func contract_generatedTwice_isEqual() throws {
    let text = """
      syntax = "proto3";
      package good.v1;
      // Says hello.
      message Hello {
        // To whom.
        string name = 1;
        map<string, Hello> others = 2;
      }
      """
    let first = try Protoc.generate(text, name: "good.proto")
    #expect(first.status == 0, "\(first.errors)")
    let generated = String(decoding: first.output, as: UTF8.self)
    #expect(generated.contains("/// Says hello.\n  public struct Hello: Message {"))
    #expect(generated.contains("/// To whom.\n    public var name: String = \"\""))
    #expect(try Protoc.generate(text, name: "good.proto").output == first.output)
  }
}
