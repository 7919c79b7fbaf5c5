internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// `tenancy.v1.Policies`: the workbench, where policies are looked at before they are loaded.
struct PoliciesHandler: Tenancy_V1.PoliciesService {
  let core: TenancyCore
  /// Whether the setting `workbench` offers it.
  let isOffered: Bool

  func check(
    _ request: Tenancy_V1.CheckPolicyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.CheckPolicyResponse {
    let review = PolicyReview(try await sources(request.files, call), zones: TimeZoneFiles())
    var response = Tenancy_V1.CheckPolicyResponse(
      problems: problems(of: review).map { .init($0) },
      decisions: review.answers.sorted { !$0.isExpected && $1.isExpected }.map { .init($0) }
    )
    guard let policy = review.policy, let coverage = review.coverage else { return response }
    response.types = UInt32(policy.types.count - 1)
    response.roles = UInt32(policy.roles.count { !Policy.builtInRoles.contains($0.name) })
    response.actions = UInt32(policy.actions.count)
    response.assertions = UInt32(coverage.assertionCount)
    response.untouched = coverage.untouched.map {
      .init(role: $0.role, action: $0.action, type: $0.type, granted: $0.isGranted)
    }
    return response
  }

  func compare(
    _ request: Tenancy_V1.ComparePolicyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ComparePolicyResponse {
    let (user, sources) = (try call.requireUser(), try await sources(request.files, call))
    let review = PolicyReview(sources, zones: TimeZoneFiles())
    guard let policy = review.policy else {
      return .init(problems: review.problems.map { .init($0) })
    }
    let (core, current) = (core, core.policy)
    let difference = PolicyDifference(from: current, to: policy)
    let binding = TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [call.method.fullName] + sources.map { "\($0.text.hashValue)" }
    )
    let asked = try core.tokens.page(
      .init(size: request.pageSize, token: request.pageToken),
      cursorCount: 1,
      binding
    )
    let effects = PolicyEffects(difference, from: current, to: policy)
    let page = try await effects.page(after: asked.cursor?[0] ?? "", limit: asked.size, core)
    for look in page.looks {
      core.operatorLooks.note(user.userID, on: look.entityID) { look.rootID }
    }
    return .init(
      problems: problems(of: review).map { .init($0) },
      newRoles: difference.roles.filter { $0.before == nil }.map(\.name),
      lostRoles: difference.roles.filter { $0.after == nil }.map(\.name),
      changes: asked.cursor == nil ? difference.grants.map { .init($0) } : [],
      effects: try await core.named(page.effects),
      nextPageToken: page.last.map { asked.token(after: [$0]) } ?? ""
    )
  }

  func getInForce(
    _ request: Tenancy_V1.GetPolicyInForceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.PolicyInForce {
    try await requireOffer(call)
    let sources = try await core.read { tx in try PastPolicyTable.last(in: tx)?.sources ?? [] }
    let names = Self.shortNames(of: sources.map(\.name))
    return .init(
      files: zip(names, sources).map { name, source in
        .init(name: name, text: String(decoding: source.text, as: UTF8.self))
      }
    )
  }

  /// The names of files without their folders, numbered where two are alike.
  static func shortNames(of paths: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return paths.map { path in
      let name = String(path.split(separator: "/").last ?? "policy.json")
      let count = counts[name, default: 0] + 1
      counts[name] = count
      return count == 1 ? name : "\(count)-\(name)"
    }
  }

  /// Refuses all but operators, and all where the workbench is not offered.
  private func requireOffer(_ call: CallContext) async throws {
    _ = try await core.requireAdministrator(call)
    guard isOffered else { throw PolicyWorkbenchError.off }
  }

  /// The files of a request, from an operator, where the workbench is offered.
  func sources(
    _ files: [Tenancy_V1.PolicyFile],
    _ call: CallContext
  ) async throws -> [PolicySource] {
    try await requireOffer(call)
    let byteCount = files.reduce(0) { $0 + $1.text.utf8.count }
    guard byteCount <= Policy.byteCountMax else { throw PolicyWorkbenchError.tooLarge }
    return files.map { PolicySource(name: $0.name, text: Array($0.text.utf8)) }
  }

  /// The mistakes of the files, and what the products that are served would miss in them.
  func problems(of review: PolicyReview) -> [PolicyError.Problem] {
    guard let policy = review.policy else { return review.problems }
    let served = core.products.parts(of: core.policy)
    return review.problems + Products.all.missing(in: policy, serving: served)
  }
}

enum PolicyWorkbenchError {
  static let off = ErrorCatalog.tenancy.precondition(
    "WORKBENCH_OFF",
    "this installation offers no policy workbench; an operator turns it on by the setting workbench"
  )

  static let tooLarge = ErrorCatalog.tenancy.invalid(
    "files",
    "POLICY_TOO_LARGE",
    "have more than 1 MiB together"
  )
}

extension Tenancy_V1.PolicyProblem {
  init(_ problem: PolicyError.Problem) {
    self.init(file: problem.source, path: problem.path, problem: problem.problem)
  }
}

extension Tenancy_V1.AssertedDecision {
  fileprivate init(_ answer: PolicyReview.Answer) {
    self.init(
      file: answer.source,
      path: answer.path,
      who: answer.who,
      action: answer.action,
      on: answer.on,
      allowed: answer.explanation.isAllowed,
      reason: answer.explanation.reason.rawValue,
      asExpected: answer.isExpected,
      sufficientRoles: answer.explanation.sufficientRoles,
      role: answer.explanation.role ?? "",
      via: answer.explanation.viaEntityID ?? ""
    )
  }
}
