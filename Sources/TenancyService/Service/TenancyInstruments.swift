internal import AccessEngine
internal import RPCKit

/// The metrics of TenancyService.
final class TenancyInstruments: Sendable {
  private let droppedAttempts: Counter
  private let policyLoads: MetricFamily<Counter>
  private let policyVersion: MetricFamily<Gauge>
  private let documentRefusals: MetricFamily<Counter>
  private let invitationRefusals: MetricFamily<Counter>
  private let letters: MetricFamily<Counter>
  private let letterCount: Gauge
  private let reviewedRoles: MetricFamily<Counter>
  private let holders: MetricFamily<Counter>
  private let holderCount: Gauge
  private let wrongCodes: MetricFamily<Counter>
  private let codeRefusals: MetricFamily<Counter>
  private let pairingRefusals: MetricFamily<Counter>
  private let commands: MetricFamily<Counter>
  private let gatewayAnswers: MetricFamily<Counter>
  private let reportLines: Counter
  private let droppedRefusalCount: Counter

  /// Registers the metrics.
  init(_ registry: MetricRegistry) {
    droppedAttempts = registry.counter(
      "gatehouse_tenancy_history_dropped_total",
      help: "Attempts of users without a role that were dropped from a history for newer ones."
    )
    policyLoads = registry.counters(
      "gatehouse_tenancy_policy_reloads_total",
      help: "Policy reloads, by outcome.",
      labels: ["outcome"]
    )
    policyVersion = registry.gauges(
      "gatehouse_tenancy_policy_version",
      help: "Version of the policy in force; 0 for a former one.",
      labels: ["policy"]
    )
    documentRefusals = registry.counters(
      "gatehouse_tenancy_document_refusals_total",
      help: "Calls about documents of users that were refused at a limit, by the limit.",
      labels: ["limit"]
    )
    invitationRefusals = registry.counters(
      "gatehouse_tenancy_invitation_refusals_total",
      help: "Invitations refused because too many were pending: of the entity, of the inviter.",
      labels: ["limit"]
    )
    letters = registry.counters(
      "gatehouse_tenancy_invitation_mails_total",
      help: "What became of mails to invited people: taken by AuthService, postponed, dropped.",
      labels: ["outcome"]
    )
    letterCount = registry.gauge(
      "gatehouse_tenancy_invitation_mails_waiting",
      help: "Mails to invited people that AuthService has not taken yet."
    )
    reviewedRoles = registry.counters(
      "gatehouse_tenancy_reviewed_roles_total",
      help: "Roles that one user had from another at the upgrade, by what became of them.",
      labels: ["outcome"]
    )
    holders = registry.counters(
      "gatehouse_tenancy_ended_holders_total",
      help: "Deleted entities reported to EntitlementService: ended there, or postponed.",
      labels: ["outcome"]
    )
    holderCount = registry.gauge(
      "gatehouse_tenancy_ended_holders_waiting",
      help: "Deleted entities whose subscriptions and points EntitlementService has not ended yet."
    )
    wrongCodes = registry.counters(
      "gatehouse_tenancy_wrong_codes_total",
      help: "Wrong codes that were tried, by what they were for.",
      labels: ["kind"]
    )
    codeRefusals = registry.counters(
      "gatehouse_tenancy_code_attempt_refusals_total",
      help: "Attempts refused because too many codes were wrong: the user's, or all.",
      labels: ["kind", "limit"]
    )
    pairingRefusals = registry.counters(
      "gatehouse_tenancy_pairing_refusals_total",
      help: "Calls about devices of families that a limit refused, by the limit.",
      labels: ["limit"]
    )
    commands = registry.counters(
      "gatehouse_tenancy_commands_total",
      help: "Commands for devices, by what became of them.",
      labels: ["event"]
    )
    gatewayAnswers = registry.counters(
      "gatehouse_tenancy_gateway_answers_total",
      help: "Requests that a gateway asked about: passed, denied, or undecided, which denies them.",
      labels: ["outcome"]
    )
    reportLines = registry.counter(
      "gatehouse_tenancy_report_lines_total",
      help: "Lines of compliance reports that were sent."
    )
    droppedRefusalCount = registry.counter(
      "gatehouse_tenancy_report_refusals_dropped_total",
      help:
        "Refused calls that no report counts, because too many different ones waited to be stored."
    )
    for limit in InvitationLimit.allCases { _ = invitationRefusals.series([limit.rawValue]) }
    for outcome in LetterMetric.allCases { _ = letters.series([outcome.rawValue]) }
    for outcome in RoleReview.Outcome.allCases { _ = reviewedRoles.series([outcome.rawValue]) }
    for outcome in HolderMetric.allCases { _ = holders.series([outcome.rawValue]) }
    for outcome in GatewayMetric.allCases { _ = gatewayAnswers.series([outcome.rawValue]) }
    for limit in PairingLimit.allCases { _ = pairingRefusals.series([limit.rawValue]) }
    for event in CommandMetric.allCases { _ = commands.series([event.rawValue]) }
    for kind in CodeKind.allCases {
      _ = wrongCodes.series([kind.rawValue])
      for limit in CodeAttemptLimit.allCases {
        _ = codeRefusals.series([kind.rawValue, limit.rawValue])
      }
    }
    for limit in DocumentLimit.allCases { _ = documentRefusals.series([limit.rawValue]) }
    for outcome in PolicyReload.allCases { _ = policyLoads.series([outcome.rawValue]) }
  }

  /// Counts an answer to a gateway.
  func answered(_ verdict: Result<GatewayIdentity, RPCError>) {
    let outcome: GatewayMetric =
      switch verdict {
      case .success: .passed
      case .failure(let error): error.code == .unavailable ? .undecided : .denied
      }
    gatewayAnswers.series([outcome.rawValue]).increment()
  }

  /// Counts a reload.
  func reloaded(_ outcome: PolicyReload) { policyLoads.series([outcome.rawValue]).increment() }

  /// Says which policies are in force.
  func inForce(_ policy: Policy, insteadOf old: Policy? = nil) {
    for document in old?.documents ?? [] { policyVersion.series([document.name]).set(0) }
    for document in policy.documents {
      policyVersion.series([document.name]).set(Int(document.version))
    }
  }

  /// Counts a call about documents that a limit has refused.
  func refused(_ limit: DocumentLimit) { documentRefusals.series([limit.rawValue]).increment() }

  /// Counts an invitation that a limit has refused.
  func refused(_ limit: InvitationLimit) { invitationRefusals.series([limit.rawValue]).increment() }

  /// Counts a call about devices of families that a limit has refused.
  func refused(_ limit: PairingLimit) { pairingRefusals.series([limit.rawValue]).increment() }

  /// Counts what became of a mail to an invited person.
  func letter(_ outcome: LetterMetric) { letters.series([outcome.rawValue]).increment() }

  /// Counts what became of a role that an upgrade has reviewed.
  func reviewed(_ outcome: RoleReview.Outcome) {
    reviewedRoles.series([outcome.rawValue]).increment()
  }

  /// Says how many of those wait.
  func waitingLetters(_ count: Int) { letterCount.set(count) }

  /// Counts what became of a deleted entity that EntitlementService is notified of.
  func holder(_ outcome: HolderMetric) { holders.series([outcome.rawValue]).increment() }

  /// Says how many of those wait.
  func waitingHolders(_ count: Int) { holderCount.set(count) }

  /// Counts a wrong code.
  func wrongCode(_ kind: CodeKind) { wrongCodes.series([kind.rawValue]).increment() }

  /// Counts an attempt that was refused unseen.
  func refusedAttempt(_ kind: CodeKind, _ limit: CodeAttemptLimit) {
    codeRefusals.series([kind.rawValue, limit.rawValue]).increment()
  }

  /// Counts what became of a command.
  func command(_ event: CommandMetric) { commands.series([event.rawValue]).increment() }
  /// Counts lines of a report.
  func reported(_ count: Int) { reportLines.add(count) }

  /// Counts refused calls that reports know nothing of.
  func droppedRefusals(_ count: Int) { droppedRefusalCount.add(count) }

  /// Counts attempts that made room in a device's history.
  func dropped(_ count: Int) { droppedAttempts.add(count) }
}

/// How reading the policy again ended.
enum PolicyReload: String, CaseIterable, Sendable {
  /// Another one is in force.
  case loaded
  /// It is the same.
  case unchanged
  /// It has a mistake or cannot be read; the old one is in force.
  case failed
}

/// The bounds of devices of families, as the metric of refusals calls them.
enum PairingLimit: String, CaseIterable, Sendable {
  case codes
  case pairings
}

/// The outcomes of commands, and of watches that were cut off, as metrics call them.
enum CommandMetric: String, CaseIterable, Sendable {
  case given
  case done
  case failed
  case watchTooSlow = "watch_too_slow"
}
