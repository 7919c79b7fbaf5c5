internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.AuthZen`: AuthZEN's words for what `PermissionsHandler` answers.
struct AuthZenHandler: Tenancy_V1.AuthZenService {
  let core: TenancyCore

  /// The only type of subjects.
  static let subjectType = "user"

  /// The same answers by the method for them.
  let permissions: PermissionsHandler

  func evaluate(
    _ request: Tenancy_V1.AuthZenEvaluation,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AuthZenDecision {
    if let problem = problem(of: request) {
      throw ErrorCatalog.tenancy.invalid(problem, "REQUIRED", "must be set")
    }
    return try await decisions(on: [request], call)[0]
  }

  func evaluateAll(
    _ request: Tenancy_V1.AuthZenEvaluationsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.AuthZenEvaluationsResponse {
    guard !request.evaluations.isEmpty else {
      let question = Tenancy_V1.AuthZenEvaluation(
        subject: request.subject,
        action: request.action,
        resource: request.resource
      )
      let decision = try await evaluate(question, call)
      return .init(decision: decision.decision, context: decision.context)
    }
    let decisions = try await decisions(
      on: request.evaluations.map { question in
        // What a question says replaces what is said for all, and is not mixed with it.
        .init(
          subject: question.subject ?? request.subject,
          action: question.action ?? request.action,
          resource: question.resource ?? request.resource
        )
      },
      call
    )
    let answered = Self.answered(decisions, request.options?.evaluationsSemantic ?? "")
    return .init(evaluations: .init(values: answered.map(Self.value)))
  }

  /// The answers that are given: those up to the one that decides everything.
  ///
  /// To decide more than that changes nothing, and so all are decided at one revision.
  private static func answered(
    _ decisions: [Tenancy_V1.AuthZenDecision],
    _ semantic: String
  ) -> ArraySlice<Tenancy_V1.AuthZenDecision> {
    let last: Int? =
      switch semantic {
      case "deny_on_first_deny": decisions.firstIndex { !$0.decision }
      case "permit_on_first_permit": decisions.firstIndex(where: \.decision)
      default: nil
      }
    return decisions[...(last ?? decisions.count - 1)]
  }

  /// Which field of a question is missing; nil if it is whole.
  private func problem(of question: Tenancy_V1.AuthZenEvaluation) -> String? {
    guard let subject = question.subject else { return "subject" }
    guard let action = question.action else { return "action" }
    guard let resource = question.resource else { return "resource" }
    let fields = [
      ("subject.type", subject.type), ("subject.id", subject.id), ("action.name", action.name),
      ("resource.type", resource.type), ("resource.id", resource.id),
    ]
    return fields.first { $0.1.isEmpty }?.0
  }

  /// One decision for each question, all at one revision.
  ///
  /// PERMISSION_DENIED for users who ask about others.
  private func decisions(
    on questions: [Tenancy_V1.AuthZenEvaluation],
    _ call: CallContext
  ) async throws -> [Tenancy_V1.AuthZenDecision] {
    var decisions: [Tenancy_V1.AuthZenDecision] = []
    var (checks, places): ([Tenancy_V1.CheckRequest], [Int]) = ([], [])
    for (index, question) in questions.enumerated() {
      switch try await check(question, call) {
      case .asked(let check):
        checks.append(check)
        places.append(index)
        decisions.append(.init())
      case .answered(let decision): decisions.append(decision)
      }
    }
    guard !checks.isEmpty else { return decisions }
    let answers = try await permissions.batchCheck(.init(checks: checks), call).decisions
    for (place, answer) in zip(places, answers) {
      decisions[place] =
        answer.allowed
        ? .init(decision: true) : Self.denial(Self.name(of: answer.reason))
    }
    return decisions
  }

  /// The state of a question.
  private enum Question {
    case asked(Tenancy_V1.CheckRequest)
    /// It is a denial already, because it is about what there is not.
    case answered(Tenancy_V1.AuthZenDecision)
  }

  private func check(
    _ question: Tenancy_V1.AuthZenEvaluation,
    _ call: CallContext
  ) async throws -> Question {
    guard problem(of: question) == nil, let subject = question.subject,
      let action = question.action?.name, let resource = question.resource
    else {
      let message = "\(problem(of: question) ?? "question"): must be set"
      return .answered(
        .init(context: .init(error: .init(status: 400, message: message)))
      )
    }
    guard subject.type == Self.subjectType else {
      return .answered(Self.denial(Self.name(of: .noAssociation)))
    }
    _ = try call.caller.subject(subject.id)
    guard core.policy.action(named: action) != nil else {
      return .answered(Self.denial("ACTION_UNKNOWN"))
    }
    let entityID = try await entityID(resource)
    return .asked(.init(subjectId: subject.id, action: action, entityId: entityID))
  }

  /// The entity that a resource is, and an identifier that none has if it has another type: of that the same
  /// is said as of what is not there, and by the same code.
  func entityID(_ resource: Tenancy_V1.AuthZenResource) async throws -> String {
    let type = try await core.retrying {
      try await core.ask(PartQuestion(subjects: [], entities: [resource.id])) { forest, _ in
        forest.entity(resource.id).map { forest.policy[forest.type($0)].name }
      }
    }
    return type == resource.type ? resource.id : ""
  }

  private static func denial(_ reason: String) -> Tenancy_V1.AuthZenDecision {
    .init(decision: false, context: .init(reason: reason))
  }

  /// `ROLE_LACKS_ACTION`, without what is in front of all values of the enum.
  private static func name(of reason: Tenancy_V1.Reason) -> String {
    reason.description.split(separator: "_").dropFirst().joined(separator: "_")
  }

  /// A decision as JSON, for a list that is absent when there is one decision only.
  private static func value(_ decision: Tenancy_V1.AuthZenDecision) -> Google_Protobuf.Value {
    var fields = ["decision": Google_Protobuf.Value(kind: .boolValue(decision.decision))]
    if let error = decision.context?.error {
      fields["context"] = object([
        "error": object([
          "status": .init(kind: .numberValue(Double(error.status))),
          "message": .init(kind: .stringValue(error.message)),
        ])
      ])
    } else if let reason = decision.context?.reason {
      fields["context"] = object(["reason": .init(kind: .stringValue(reason))])
    }
    return object(fields)
  }

  private static func object(
    _ fields: [String: Google_Protobuf.Value]
  ) -> Google_Protobuf.Value {
    .init(kind: .structValue(.init(fields: fields)))
  }
}
