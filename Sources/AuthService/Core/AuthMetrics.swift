internal import RPCKit

/// The metrics of AuthService.
struct AuthMetrics: Sendable {
  let signIns: MetricFamily<Counter>
  let refreshes: MetricFamily<Counter>
  let revoked: Counter
  let sourceRefusals: MetricFamily<Counter>
  let accountRefusals: Counter
  let guessingSources: Counter
  let mailRefusals: MetricFamily<Counter>
  let wrappedHashes: Counter
  let stepUps: MetricFamily<Counter>
  let importedRows: MetricFamily<Counter>
  let passkeys: MetricFamily<Counter>
  let passkeyCounters: Counter

  init(_ registry: MetricRegistry) {
    signIns = registry.counters(
      "gatehouse_auth_sign_ins_total",
      help: "Attempts to sign in, by outcome.",
      labels: ["outcome"]
    )
    refreshes = registry.counters(
      "gatehouse_auth_refreshes_total",
      help: "Refresh tokens presented, by outcome.",
      labels: ["outcome"]
    )
    sourceRefusals = registry.counters(
      "gatehouse_auth_source_refusals_total",
      help: "Calls refused because their source made too many attempts, by method.",
      labels: ["method"]
    )
    accountRefusals = registry.counter(
      "gatehouse_auth_account_refusals_total",
      help: "Correct passwords refused because the account signed in too often."
    )
    guessingSources = registry.counter(
      "gatehouse_auth_guessing_sources_total",
      help: "Times one source failed to sign in to many accounts."
    )
    mailRefusals = registry.counters(
      "gatehouse_auth_mail_requests_refused_total",
      help: "Requests for a mail refused because there were too many, by what had too many.",
      labels: ["limit"]
    )
    importedRows = registry.counters(
      "gatehouse_auth_imported_rows_total",
      help: "Rows of imports, by what has become of them: created, unchanged, refused.",
      labels: ["outcome"]
    )
    wrappedHashes = registry.counter(
      "gatehouse_auth_imported_hashes_wrapped_total",
      help: "Fast digests of other systems wrapped in hashes of our own."
    )
    stepUps = registry.counters(
      "gatehouse_auth_step_ups_total",
      help: "Attempts to prove more than a password, by method and outcome.",
      labels: ["method", "outcome"]
    )

    passkeys = registry.counters(
      "gatehouse_auth_passkey_responses_total",
      help: "Responses of passkeys, by what they were for and the outcome.",
      labels: ["ceremony", "outcome"]
    )
    passkeyCounters = registry.counter(
      "gatehouse_auth_passkey_counters_fallen_total",
      help: "Uses of a passkey whose counter did not rise: it may have been copied."
    )
    revoked = registry.counter(
      "gatehouse_auth_sessions_revoked_total",
      help: "Sessions revoked."
    )
  }
}
