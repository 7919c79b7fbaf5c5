import Testing

/// Whatever a contract calls its things, what is generated compiles.
@Suite(
  .enabled(if: Protoc.executable != nil && Protoc.plugin != nil, "needs protoc and the plugin"),
  .timeLimit(.minutes(10))
)
struct EveryNameTests {
  @Test("Every keyword, macro and name of generated code can be every name in C")
  func everyWord_inEveryPosition_compilesInC() throws {
    let words = try Words.all()
    // Some from each source: an empty one would make the test say nothing.
    for word in ["nonisolated", "co_await", "linux", "PROTOBUF_C_MESSAGE_INIT", "scratch", "n_x"] {
      #expect(words.contains(word))
    }
    #expect(words.count > 1000)
    let module = try GeneratedModule(NamesContract.files(words))
    defer { module.remove() }
    #expect(try module.generateC() == "")
    #expect(try module.compileC() == "")
  }

  @Test("Every keyword and name of generated code can be every name in Swift")
  func everyWord_inEveryPosition_compilesInSwift() throws {
    let words = try Words.forSwift()
    for word in ["nonisolated", "await", "co_await", "scratch", "StaticString", "n_x"] {
      #expect(words.contains(word))
    }
    #expect(words.count > 500)
    let module = try GeneratedModule(NamesContract.files(words))
    defer { module.remove() }
    #expect(try module.generateSwift() == "")
    #expect(try module.generateC() == "")
    #expect(try module.compileSwift() == "")
  }

  @Test("Names that clash with what a neighbour becomes compile")
  func neighbours_ofEachKind_compile() throws {
    let text = """
      syntax = "proto3";\r
      package neighbours.v1;\r
      import "gatehouse/options.proto";\r
      import "google/protobuf/descriptor.proto";\r
      import "google/protobuf/wrappers.proto";\r
      // A comment of two lines,\r
      // which end as on Windows.\r
      message Neighbours {\r
        int32 base = 1;
        bool await = 2;
        repeated int32 x = 3;
        int32 n_x = 4;
        bool has_x = 5;
        oneof kind {
          string none = 6;
          int32 some = 7;
          Neighbours kind_not_set = 8;
        }
        int32 kind_case = 9;
        int32 linux = 10;
        int32 unix = 11;
        Neighbours child = 12;
        repeated string child_storage = 13;
        string code = 14 [(gatehouse.field) = {pattern: "[a-z]{3}"}];
        string code_pattern = 15 [(gatehouse.field) = {pattern: "[a-z]{4}"}];
        optional double ratio = 16;
        float p16_ratio = 17;
        double ratio_case = 18;
        int32 f1_base = 19;
        int32 n_f3_x = 20;
        int32 o0_kind = 21;
        int32 o0_kind_case = 22;
        map<string, double> weights = 23;
        google.protobuf.StringValue nickname = 24;
        google.protobuf.DoubleValue weight = 25;
        repeated google.protobuf.BoolValue answers = 26;
      }
      message StaticString {}
      message Message {}
      message String { string string = 1; }
      enum Mood {
        option allow_alias = true;
        INIT = 0;
        NAME = 1;
        Name = 1;
        MOOD_1 = 2;
        MOOD_ = 3;
        none = 4;
      }
      message Holder {
        message Rich { int32 init = 1; }
        enum RichCase { NOT_SET = 0; }
        oneof rich { RichCase a = 1; Rich b = 2; }
      }
      """
    let module = try GeneratedModule(["neighbours.proto": text])
    defer { module.remove() }
    #expect(try module.generateSwift() == "")
    #expect(try module.generateC() == "")
    #expect(try module.compileC() == "")
    #expect(try module.compileSwift() == "")
  }
}
