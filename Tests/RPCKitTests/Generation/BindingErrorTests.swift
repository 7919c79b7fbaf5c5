import Testing

/// What the plugin says about ways to call methods by HTTP that it refuses.
@Suite(
  .enabled(if: Protoc.executable != nil && Protoc.plugin != nil, "needs protoc and the plugin")
)
struct BindingErrorTests {
  /// The contract around the options of one method, whose problems are reported at line 13.
  private static func contract(_ options: String, takes request: String = "M") -> String {
    """
    syntax = "proto3";
    package bad.v1;
    import "gatehouse/options.proto"; import "google/api/annotations.proto";
    import "google/protobuf/struct.proto";
    message Part { string id = 1 [(gatehouse.field) = {max_len: 9}]; }
    message M {
      string id = 1 [(gatehouse.field) = {max_len: 9}];
      repeated string ids = 2 [(gatehouse.field) = {max_len: 9, max_items: 9}];
      Part part = 3;
    }
    message Free { google.protobuf.Struct any = 1 [(gatehouse.field) = {max_size: 9}]; }
    service S {
      rpc Do(\(request)) returns (M) {
        option (gatehouse.method) = {caller: CALLER_CLASS_PUBLIC};
        \(options)
      }
    }
    """
  }

  private static func rule(_ rule: String) -> String {
    "option (google.api.http) = {\(rule)};"
  }

  private static let cases: [(options: String, problem: String)] = [
    (rule("body: \"*\""), "(google.api.http) needs get, put, post, delete or patch"),
    (
      rule("custom: {kind: \"LOCK\" path: \"/a\"}"),
      "(google.api.http) needs get, put, post, delete or patch"
    ),
    (rule("get: \"a\""), "the path `a` does not begin with a slash"),
    (rule("get: \"/a/\""), "the path `/a/` has an empty segment or verb"),
    (rule("get: \"/a//b\""), "the path `/a//b` has an empty segment or verb"),
    (rule("get: \"/a/../b\""), "the path `/a/../b` has the segment `..`, which no path keeps"),
    (rule("get: \"/a:\""), "the path `/a:` has an empty segment or verb"),
    (rule("get: \"/a b\""), "the path `/a b` has ` b` where it should end"),
    (
      rule("get: \"/**/a\""),
      "the path `/**/a` has something behind `**`, which takes all that follows"
    ),
    (
      rule("get: \"/{id={ids}}\""),
      "the path `/{id={ids}}` has a variable inside a variable"
    ),
    (rule("get: \"/{id\""), "the path `/{id` has a variable that is not closed with }"),
    (rule("get: \"/{}\""), "the path `/{}` has a variable without the name of a field"),
    (rule("get: \"/{id}/{id}\""), "the path `/{id}/{id}` names `id` twice"),
    (rule("get: \"/{no}\""), "`{no}`: `bad.v1.M` has no field `no`"),
    (rule("get: \"/{ids}\""), "`{ids}`: `ids` is repeated, and a path has one value"),
    (rule("get: \"/{part}\""), "`{part}` is a message, and a path has one value"),
    (rule("get: \"/{id.x}\""), "`{id.x}`: `id` is not a message"),
    (rule("get: \"/{part.no}\""), "`{part.no}`: `bad.v1.Part` has no field `no`"),
    (
      rule("get: \"/a\" body: \"*\""),
      "GET has no body; its fields are in the path and the query"
    ),
    (
      rule("delete: \"/a\" body: \"part\""),
      "DELETE has no body; its fields are in the path and the query"
    ),
    (rule("put: \"/a\" body: \"no\""), "body: `bad.v1.M` has no field `no`"),
    (rule("put: \"/{id}\" body: \"id\""), "`id` is in the path and in the body"),
    (rule("put: \"/{part.id}\" body: \"part\""), "`part` is in the path and in the body"),
    (
      rule("get: \"/a\" response_body: \"no\""),
      "response_body: `bad.v1.M` has no `no`"
    ),
    (
      rule("get: \"/a\" additional_bindings {get: \"/b\" additional_bindings {get: \"/c\"}}"),
      "an additional binding has no additional bindings of its own"
    ),
    (
      rule("get: \"/{id}/b\" additional_bindings {get: \"/{id=*}/b\"}"),
      "GET /{id=*}/b is the path of S.Do (/{id}/b) too"
    ),
    (
      rule("get: \"/a/{id}\" additional_bindings {get: \"/{id}/b\"}"),
      "GET /{id}/b and S.Do (/a/{id}) share paths, and neither is the more special one"
    ),
    (
      rule("get: \"/a/b/**\" additional_bindings {get: \"/a/{id}/c\"}"),
      "GET /a/{id}/c and S.Do (/a/b/**) share paths, and neither is the more special one"
    ),
    (
      rule("get: \"/a\"") + " option (gatehouse.rest) = {form: true};",
      "form needs a body"
    ),
    (
      rule("post: \"/a\" body: \"part\"") + " option (gatehouse.rest) = {form: true};",
      "form needs `body: \"*\"`"
    ),
    (
      rule("get: \"/a\"") + " option (gatehouse.rest) = {ignore_unknown: true};",
      "ignore_unknown needs a body"
    ),
    (
      rule("post: \"/a\" body: \"part\"") + " option (gatehouse.rest) = {extra_members: \"part\"};",
      "extra_members needs `body: \"*\"`, and not ignore_unknown"
    ),
    (
      rule("post: \"/a\" body: \"*\"") + " option (gatehouse.rest) = {extra_members: \"part\"};",
      "extra_members: `bad.v1.M` has no google.protobuf.Struct `part`"
    ),
    (
      rule("get: \"/a\"") + " option (gatehouse.rest) = {events: true};",
      "events needs GET and a stream of responses"
    ),
    (
      rule("put: \"/a\" body: \"part\"") + " option (gatehouse.rest) = {current: \"id\"};",
      "current needs `body: \"*\"`"
    ),
    (
      rule("put: \"/a\" body: \"*\"") + " option (gatehouse.rest) = {current: \"id\"};",
      "current: `bad.v1.M` has no field `id` of type `bad.v1.M`"
    ),
  ]

  private func problems(_ text: String) throws -> [String] {
    let outcome = try Protoc.generate(text)
    #expect(outcome.output.isEmpty)
    return outcome.errors
      .replacing("--rpckit_out: ", with: "")
      .split(separator: "\n")
      .map(String.init)
      .filter { !$0.contains("warning:") }
  }

  @Test("A wrong way to call a method is refused with its reason", arguments: cases.indices)
  func binding_wrong_isRefused(_ index: Int) throws {
    let (options, problem) = Self.cases[index]
    #expect(try problems(Self.contract(options)) == ["bad.proto:13: S.Do: \(problem)"])
  }

  @Test("What fits into no query needs a body")
  func query_unspeakable_isRefused() throws {
    let problems = try problems(Self.contract(Self.rule("get: \"/a\""), takes: "Free"))
    #expect(
      problems == ["bad.proto:13: S.Do: `any` fits into no query; the method needs a body"]
    )
  }

  @Test("A stream of requests has no way to be sent")
  func requests_streamed_areRefused() throws {
    let rule = Self.rule("post: \"/a\" body: \"*\"")
    let problems = try problems(Self.contract(rule, takes: "stream M"))
    #expect(
      problems == ["bad.proto:13: S.Do takes a stream, which HTTP with JSON cannot send"]
    )
  }

  @Test("Errors that a standard has go with answers that it has")
  func errors_ofStandard_needPlainAnswers() throws {
    let options = " option (gatehouse.rest) = {errors: REST_ERRORS_TEXT};"
    let problems = try problems(Self.contract(Self.rule("get: \"/a\"") + options))
    #expect(
      problems == ["bad.proto:13: S.Do has errors of a standard, which need plain answers"]
    )
  }

  @Test("How a method answers by HTTP means nothing without a way to call it")
  func rest_withoutRule_isRefused() throws {
    let problems = try problems(Self.contract("option (gatehouse.rest) = {creates: true};"))
    #expect(
      problems == [
        "bad.proto:13: S.Do has (gatehouse.rest), which needs (google.api.http)"
      ]
    )
  }

  @Test("A path that is a special case of another one is accepted")
  func paths_nested_areAccepted() throws {
    let rule = Self.rule(
      "get: \"/a/{id}\" additional_bindings {get: \"/a/me\"} "
        + "additional_bindings {get: \"/a/**\"} additional_bindings {get: \"/a/{id}:do\"}"
    )
    let outcome = try Protoc.generate(Self.contract(rule))
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
