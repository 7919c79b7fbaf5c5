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
      errors: [
        "bad.proto:7: step_up needs `caller: CALLER_CLASS_USER`, `CALLER_CLASS_SUPPORT` or "
          + "`CALLER_CLASS_ADMIN`"
      ]
    ),
    Case(
      testDescription: "an extension",
      body: "extend google.protobuf.FieldOptions {\n  string mine = 50999;\n}",
      errors: ["bad.proto:6: extensions are not supported"]
    ),
    Case(
      testDescription: "a field and a oneof of one Swift name",
      body: "message M {\n  int32 user_id = 1;\n  oneof userId {\n    bool a = 2;\n  }\n}",
      errors: ["bad.proto:7: `userId` and `user_id` are both `userId` in Swift"]
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
        "bad.proto:6: M.s may be of any length, and S.Do takes it from its caller; add `max_len`",
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

  /// A method that takes M, behind M's fields, which begin in line 6.
  private static func taken(_ fields: String, besides: String = "") -> String {
    """
    message M {
    \(fields)
    }
    service S {
      rpc Do(M) returns (M) { option (gatehouse.method) = {caller: CALLER_CLASS_PUBLIC}; }
    }
    \(besides)
    """
  }

  static let boundCases: [Case] = [
    Case(
      testDescription: "a string without a bound",
      body: taken("  string s = 1;"),
      errors: [
        "bad.proto:6: M.s may be of any length, and S.Do takes it from its caller; add `max_len`"
      ]
    ),
    Case(
      testDescription: "bytes in a oneof without a bound",
      body: taken("  oneof o {\n    bytes b = 1;\n  }"),
      errors: [
        "bad.proto:7: M.b may be of any length, and S.Do takes it from its caller; add `max_len`"
      ]
    ),
    Case(
      testDescription: "a pattern without an end",
      body: taken("  string s = 1 [(gatehouse.field) = {pattern: \"a+\"}];"),
      errors: [
        "bad.proto:6: M.s may be of any length, and S.Do takes it from its caller; add `max_len`"
      ]
    ),
    Case(
      testDescription: "a list without a bound",
      body: taken("  repeated string s = 1 [(gatehouse.field) = {max_len: 3}];"),
      errors: [
        "bad.proto:6: M.s may have any number of items, and S.Do takes it from its caller; "
          + "add `max_items`"
      ]
    ),
    Case(
      testDescription: "a map without bounds",
      body: taken("  map<string, int32> m = 1;"),
      errors: [
        "bad.proto:6: M.m may have any number of items, and S.Do takes it from its caller; "
          + "add `max_items`",
        "bad.proto:6: M.m may be of any length, and S.Do takes it from its caller; add `max_len`",
      ]
    ),
    Case(
      testDescription: "a string far inside, of a message that contains itself",
      body: taken(
        "  N n = 1;",
        besides:
          "message N {\n  N n = 1;\n  map<int32, O> m = 2 [(gatehouse.field) = {max_items: 1}];\n"
          + "}\nmessage O { string s = 1; }"
      ),
      errors: [
        "bad.proto:15: O.s may be of any length, and S.Do takes it from its caller; add `max_len`"
      ]
    ),
    Case(
      testDescription: "a message of somebody else",
      body: taken("  google.protobuf.Struct s = 1;"),
      errors: [
        "bad.proto:6: M.s may be of any size, and S.Do takes it from its caller; add `max_size`"
      ]
    ),
    Case(
      testDescription: "a request of somebody else",
      body: """
        service S {
          rpc Do(google.protobuf.Struct) returns (google.protobuf.Struct) {
            option (gatehouse.method) = {caller: CALLER_CLASS_USER};
          }
        }
        """,
      errors: [
        "bad.proto:6: S.Do takes `google.protobuf.Struct`, which may be of any size; take a message "
          + "of your own with a field of it and `max_size`"
      ]
    ),
  ]

  @Test("What a request can hold without a bound is refused", arguments: boundCases)
  func request_withoutBound_isRefused(_ example: Case) throws {
    #expect(try problems(Self.structHeader + example.body) == example.errors)
  }

  @Test("A request with a bound for everything is generated, and a response needs none")
  func request_withBounds_isGenerated() throws {
    let text =
      Self.structHeader + """
        message M {
          string s = 1 [(gatehouse.field) = {max_len: 3}];
          string p = 2 [(gatehouse.field) = {pattern: "a|b{1,9}"}];
          repeated bytes b = 3 [(gatehouse.field) = {max_items: 3, max_len: 3}];
          map<string, bytes> m = 4 [(gatehouse.field) = {max_items: 3, max_len: 3}];
          google.protobuf.Struct t = 5 [(gatehouse.field) = {max_size: 3}];
          R r = 6 [(gatehouse.field) = {max_size: 3}];
        }
        message R { repeated string s = 1; }
        service S {
          rpc Do(M) returns (R) { option (gatehouse.method) = {caller: CALLER_CLASS_PUBLIC}; }
        }
        """
    let outcome = try Protoc.generate(text)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private static let structHeader = header.replacing("descriptor.proto", with: "struct.proto")

  static let nameCases: [Case] = [
    Case(
      testDescription: "names without a letter",
      body:
        "message _1 {\n  int32 _ = 1;\n  oneof _2 {\n    bool a = 2;\n  }\n}\nenum E {\n  _3 = 0;\n}",
      errors: [
        "bad.proto:5: `_1` has no name in Swift; begin it with a letter",
        "bad.proto:6: `_` has no name in Swift; begin it with a letter",
        "bad.proto:7: `_2` has no name in Swift; begin it with a letter",
        "bad.proto:12: `_3` has no name in Swift; begin it with a letter",
      ]
    ),
    Case(
      testDescription: "two values of one Swift name",
      body: "enum Mood {\n  MOOD_ZERO = 0;\n  MOOD_1 = 1;\n  MOOD_MOOD_1 = 2;\n}",
      errors: ["bad.proto:8: `MOOD_MOOD_1` and `MOOD_1` are both `mood1` in Swift"]
    ),
    Case(
      testDescription: "two messages of one name in C",
      body: "message FOOBar {}\nmessage Foobar {}",
      errors: ["bad.proto:6: `bad.v1.Foobar` and `bad.v1.FOOBar` are both `bad__v1__foobar` in C"]
    ),
    Case(
      testDescription: "an enum with the name of what a oneof becomes in C",
      body:
        "message M {\n  enum O0KindCase {\n    ZERO = 0;\n  }\n  oneof kind {\n    bool a = 1;\n  }\n}",
      errors: [
        "bad.proto:6: `bad.v1.M.O0KindCase` and `bad.v1.M.o0_kindCase` are both "
          + "`Bad__V1__M__O0KindCase` in C"
      ]
    ),
    Case(
      testDescription: "a message with the name of what Any becomes",
      body: "message Any {}\nmessage AnyMessage {}",
      errors: ["bad.proto:6: `AnyMessage` and `Any` are both `AnyMessage` in Swift"]
    ),
    Case(
      testDescription: "required in a oneof",
      body:
        "message M {\n  oneof o {\n    bool a = 1 [(gatehouse.field) = {required: true}];\n  }\n}",
      errors: ["bad.proto:7: required says nothing in a oneof, whose choice is the setting"]
    ),
    Case(
      testDescription: "a type of a file that is not proto3",
      body: "message M {\n  google.protobuf.FileOptions o = 1;\n}",
      errors: [
        "bad.proto:6: M.o uses `google.protobuf.FileOptions`, for which there is no Swift; "
          + "google/protobuf/descriptor.proto is not proto3"
      ]
    ),
    Case(
      testDescription: "a type of a file that is not generated",
      body: "message M {\n  gatehouse.FieldRules r = 1;\n}",
      errors: [
        "bad.proto:6: M.r uses `gatehouse.FieldRules`, for which there is no Swift; "
          + "generate gatehouse/options.proto in the same run"
      ]
    ),
    Case(
      testDescription: "a kind of text that is a number",
      body: ruled("int32 n", "text: SINGLE_LINE"),
      errors: ["bad.proto:6: text is for string; M.n is not one"]
    ),
    Case(
      testDescription: "a field that is left out anyway",
      body: "message M {\n  optional bool b = 1 [(gatehouse.json) = {omit_empty: true}];\n}",
      errors: ["bad.proto:6: omit_empty says nothing of M.b, which is absent by itself"]
    ),
    Case(
      testDescription: "a spelling of a number",
      body: "message M {\n  int32 n = 1 [(gatehouse.json) = {spelling: SPELLING_CAMEL}];\n}",
      errors: ["bad.proto:6: spelling is for string; M.n is not one"]
    ),
    Case(
      testDescription: "a flag that is none",
      body: "message M {\n  string s = 1 [(gatehouse.json) = {absent_if: \"s\"}];\n}",
      errors: ["bad.proto:6: absent_if: M has no bool `s`"]
    ),
    Case(
      testDescription: "a further name that another field has",
      body: "message M {\n  bool a_b = 1;\n  bool c = 2 [(gatehouse.json) = {also: \"aB\"}];\n}",
      errors: ["bad.proto:7: also: `aB` is M.a_b too"]
    ),
    Case(
      testDescription: "a size of a string",
      body: ruled("string s", "max_size: 3"),
      errors: ["bad.proto:6: max_size is for messages; M.s is not one"]
    ),
    Case(
      testDescription: "a length in a map of numbers",
      body: ruled("map<int32, int32> m", "max_len: 3"),
      errors: ["bad.proto:6: min_len and max_len are for string and bytes; M.m is neither"]
    ),
  ]

  @Test("A name, a type or a rule that has no Swift is refused", arguments: nameCases)
  func declaration_withoutSwift_isRefused(_ example: Case) throws {
    #expect(try problems(Self.header + example.body) == example.errors)
  }

  @Test("A package or a file without a name in Swift is refused")
  func file_withoutName_isRefused() throws {
    #expect(
      try problems("syntax = \"proto3\";\n\npackage bad._1;\nmessage M {}\n") == [
        "bad.proto:3: `_1` has no name in Swift; begin it with a letter"
      ]
    )
    let outcome = try Protoc.generate("syntax = \"proto3\";\npackage a;\n", name: "1+1.proto")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("1+1.proto:1: the file's name becomes a name in Swift"))
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
    #expect(generated.contains("/// Says hello.\n  public struct Hello: RPCKit.GeneratedMessage {"))
    #expect(generated.contains("/// To whom.\n    public var name: Swift.String = \"\""))
    #expect(try Protoc.generate(text, name: "good.proto").output == first.output)
  }
}
