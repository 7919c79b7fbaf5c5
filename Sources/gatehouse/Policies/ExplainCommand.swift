internal import AuthContracts
internal import PeerContracts
internal import RPCKit

extension Command {
  /// `gatehouse explain`: why somebody may or may not do an action, as `Permissions.Explain` says it.
  static let explain = Command(
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
  ) { context, words in
    var subject = words[0] == "me" ? "" : words[0]
    if subject.contains("@") {
      subject = try await Accounts.with(context) { try await $0.id(ofEmail: words[0]) }
    }
    let request = Tenancy_V1.ExplainRequest(
      subjectId: subject,
      action: words[1],
      entityId: words[2]
    )
    let explanation = try await context.signedIn(to: "tenancy") { channel, options in
      try await Tenancy_V1.PermissionsClient(channel).explain(request, options: options)
    }
    let json = try context.json(explanation)
    guard context.options.output != .json else {
      return try context.show(json, unlessAsked: .json)
    }
    for line in ExplanationText(json, style: context.console.outputStyle).lines {
      try context.console.line(line)
    }
  }
}
