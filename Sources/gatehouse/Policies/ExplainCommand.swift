internal import AuthContracts
internal import PeerContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse explain`: why somebody may or may not do an action, as `Permissions.Explain` says it.
struct ExplainCommand: Command {
  static let description = CommandDescription(
    name: "explain",
    arguments: "USER|EMAIL|me ACTION OBJECT",
    summary: "say why somebody may or may not do an action to an object",
    details: """
      Prints the decision with what it follows from: the roles that were looked at and where they are
      held, the rules that can forbid it, and the conditions. To ask about others, you must be allowed
      to list the roles on OBJECT; an address instead of an id is for operators.

        gatehouse explain me device.unlock dev_06gzt47ebk7am2948s4kyvhwzc
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    ExplainCommand(try words.checked(["USER", "ACTION", "OBJECT"]))
  }

  private let user: String
  private let action: String
  private let object: String

  /// The word for the signed-in user.
  private static let me = "me"

  /// Of the words USER, an identifier, an address or `me`, then ACTION and OBJECT.
  init(_ words: [String]) { (user, action, object) = (words[0], words[1], words[2]) }

  func run(_ context: CommandContext) async throws {
    let options = CallOptions(
      timeout: context.callTimeout,
      metadata: try await SessionKeeper(context).requiredMetadata()
    )
    var subject = user == Self.me ? "" : user
    if user.contains("@") {
      subject = try await context.withChannel(to: "auth") { channel in
        let client = Auth_V1.OperatorsClient(channel)
        return try await Accounts(client: client, options: options).id(ofEmail: user)
      }
    }
    let request = Tenancy_V1.ExplainRequest(
      subjectId: subject,
      action: action,
      entityId: object
    )
    let explanation = try await context.withChannel(to: "tenancy") { channel in
      try await Tenancy_V1.PermissionsClient(channel).explain(request, options: options)
    }
    let json = try MessageJSON(context.registry, unset: .all).decode(
      explanation.protobufBytes,
      as: Tenancy_V1.Explanation.protobufName
    )
    guard context.options.output != .json else {
      return try context.show(json, unlessAsked: .json)
    }
    for line in ExplanationText(json, style: context.console.outputStyle).lines {
      try context.console.line(line)
    }
  }
}
