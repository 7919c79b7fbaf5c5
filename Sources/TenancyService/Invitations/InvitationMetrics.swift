internal import RPCKit

struct InvitationMetrics: Sendable {
  /// The outcomes of mails to invited people.
  enum Letter: String, CaseIterable, Sendable {
    case taken
    case postponed
    case dropped
  }

  let refusals: CounterByLabel<InvitationLimit>
  let letters: CounterByLabel<Letter>
  let waitingLetters: Gauge
  let reviewedRoles: CounterByLabel<RoleReview.Outcome>

  init(_ registry: MetricRegistry) {
    refusals = CounterByLabel(
      registry,
      "gatehouse_tenancy_invitation_refusals_total",
      help: "Invitations refused because too many were pending: of the entity, of the inviter.",
      label: "limit"
    )
    letters = CounterByLabel(
      registry,
      "gatehouse_tenancy_invitation_mails_total",
      help: "What became of mails to invited people: taken by AuthService, postponed, dropped.",
      label: "outcome"
    )
    waitingLetters = registry.gauge(
      "gatehouse_tenancy_invitation_mails_waiting",
      help: "Mails to invited people that AuthService has not taken yet."
    )
    reviewedRoles = CounterByLabel(
      registry,
      "gatehouse_tenancy_reviewed_roles_total",
      help: "Roles that one user had from another at the upgrade, by what became of them.",
      label: "outcome"
    )
  }
}
