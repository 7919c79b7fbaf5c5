import AllContracts
import PeerContracts
import TenancyContracts
import TestingContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("What the command line says of methods and types")
struct DescribeTests {
  @Test("A method is shown with comments, rules, and an example to start from")
  func describe_ofMethod_showsRulesAndExample() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("describe", "Portfolios/Create")
      #expect(outcome.code == 0)
      #expect(
        outcome.output.hasPrefix(
          """
          tenancy.v1.Portfolios/Create
            Creates a portfolio. Any user may if the policy enables self-service. The caller becomes owner.

            takes       tenancy.v1.CreatePortfolioRequest
            answers     tenancy.v1.Portfolio
            callers     signed-in user
            step-up     none
            idempotent  no

          message tenancy.v1.CreatePortfolioRequest
            Creates a portfolio.
            name                  string, required, at most 200 bytes, one line of text
                Display name.
            administratorUserIds  list of string, at most 100 elements, each at most 64 bytes
                Users who become administrators; the caller becomes owner.

          """
        ),
        "\(outcome.output)"
      )
      #expect(
        outcome.output.hasSuffix(
          #"""

          example
            gatehouse call Portfolios/Create '{"name":"NAME"}'

          """#
        )
      )
      // Nothing is set off where nobody looks at a terminal.
      #expect(!outcome.output.contains("\u{1B}"))
    }
  }

  @Test(
    "Every rule of the contracts has its words",
    arguments: [
      ("name", "string, required, 2 to 8 bytes, matching [a-z][a-z0-9-]*"),
      ("stars", "int32, 1 to 5"),
      ("mood", "testing.v1.Mood, required, one of"),
      ("tags", "list of string, 1 to 3 elements, each at most 4 bytes"),
      ("named", "map of string to testing.v1.Ruled, at most 2 elements"),
      ("key", "bytes, optional, exactly 16 bytes"),
      ("ratio", "double, optional, 0 to 1"),
      ("since", "google.protobuf.Timestamp, required"),
      ("note", "string, optional, at most 64 bytes, text"),
      ("extra", "google.protobuf.Struct, at most 32 bytes when encoded"),
    ]
  )
  func describe_ofField_showsItsRules(_ field: String, _ rules: String) throws {
    let text = SchemaText(registry: RichRegistry.registry, style: TextStyle(isOn: false))
    let lines = try text.lines(ofType: "testing.v1.Ruled")
    let line = try #require(lines.first { $0.hasPrefix("  \(field) ") })
    #expect(line.drop { $0 == " " }.dropFirst(field.count).drop { $0 == " " }.hasPrefix(rules))
  }

  @Test("Choices of a text and values of an enum are listed, with what they mean")
  func describe_ofChoices_listsThem() async throws {
    try await CommandStage.run([]) { stage in
      let request = await stage.gatehouse("describe", "ListPortfoliosRequest")
      #expect(request.output.contains("string, one of name, -name, created_at, "))
      let kind = await stage.gatehouse("describe", "tenancy.v1.Reason")
      #expect(kind.output.contains("\n  REASON_ALLOWED = 1\n      Allowed.\n"))
    }
  }

  @Test("An example keeps every rule that there is")
  func example_ofRuledMessage_isValid() throws {
    let json = try ExampleRequest(registry: RichRegistry.registry).value(of: "testing.v1.Ruled")
    let message = try RichRegistry.message(Testing_V1.Ruled.self, json.text)
    var violations: [FieldViolation] = []
    message.validate(path: "", into: &violations)
    #expect(violations == [])
    #expect(message.name == "name" && message.key?.count == 16)
  }

  @Test("Every method that can be called has an example that can be sent")
  func examples_ofAllMethods_canBeEncoded() throws {
    let registry = SchemaRegistry.gatehouse
    let examples = ExampleRequest(registry: registry)
    var exampleCount = 0
    for method in registry.services.flatMap(\.methods) {
      let value = try examples.value(of: method.requestType)
      #expect(throws: Never.self, "\(method.path)") {
        try MessageJSON(registry).encode(value, as: method.requestType)
      }
      guard let line = try examples.commandLine(of: method) else {
        #expect(method.caller == "service" || method.isClientStreaming, "\(method.path)")
        continue
      }
      exampleCount += 1
      // What is in quotes is the request, and the words before it find the method again.
      let words = line.prefix { $0 != "'" }.split(separator: " ").dropFirst(2).map(String.init)
      #expect(throws: Never.self, "\(line)") { try MethodArguments(words) }
      #expect(registry.method(words.last ?? "")?.path == method.path)
    }
    #expect(exampleCount > 50)
  }

  @Test("Examples of well-known requests keep the rules of their contracts")
  func examples_ofRequests_areValid() throws {
    try check(Auth_V1.SignUpRequest.self)
    try check(Auth_V1.SignInRequest.self)
    try check(Tenancy_V1.CreatePortfolioRequest.self)
    try check(Tenancy_V1.UpdatePortfolioRequest.self)
    try check(Tenancy_V1.CreateEntityRequest.self)
    try check(Tenancy_V1.GrantRoleRequest.self)
    try check(Tenancy_V1.BatchGrantRolesRequest.self)
    try check(Tenancy_V1.BatchCheckRequest.self)
    try check(Tenancy_V1.RegisterDeviceRequest.self)
    try check(Tenancy_V1.ListPortfoliosRequest.self)
    try check(Entitlement_V1.GetEntitlementsRequest.self)
  }

  private func check<Request: Message>(_ type: Request.Type) throws {
    let registry = SchemaRegistry.gatehouse
    let value = try ExampleRequest(registry: registry).value(of: Request.protobufName)
    let bytes = try MessageJSON(registry).encode(value, as: Request.protobufName)
    var violations: [FieldViolation] = []
    try Request(protobuf: bytes.span, limits: MessageLimits())
      .validate(path: "", into: &violations)
    #expect(violations == [], "\(Request.protobufName): \(value.text)")
  }
}
