import EntitlementContracts
import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  /// OpenFeature's own provider for Python, from PyPI, against EntitlementService.
  @Suite(
    "OFREP: OpenFeature's provider",
    .enabled(if: InstalledTool.openFeature.isInstalled, "scripts/setup gets it from PyPI")
  )
  struct OpenFeatureTests {
    private static let script = #"""
      from openfeature import api
      from openfeature.contrib.provider.ofrep import OFREPProvider
      from openfeature.evaluation_context import EvaluationContext
      from openfeature.exception import ErrorCode
      from openfeature.flag_evaluation import Reason

      def client(name, token):
          fields = {"authorization": "Bearer " + token}
          provider = OFREPProvider(values["address"], headers_factory=lambda: fields, timeout=60)
          api.set_provider_and_wait(provider, name)
          return api.get_client(name)

      def resolved(details, value, variant, reason, why):
          equal((details.error_code, details.error_message), (None, None))
          equal((type(details.value), details.value), (type(value), value))
          equal((details.variant, details.reason), (variant, reason))
          equal(details.flag_metadata["entitlementReason"], why)

      def failed(details, value, code):
          "The value is the default that was given."
          equal((details.value, details.reason, details.error_code), (value, Reason.ERROR, code))

      ada, bob = client("ada", values["adaToken"]), client("bob", values["bobToken"])
      liar = client("liar", "x" + values["adaToken"])
      hers = EvaluationContext(values["ada"])
      his = EvaluationContext(values["bob"])
      home = EvaluationContext(values["portfolio"], {"subjectKind": "portfolio", "country": "de"})

      # Without a context people ask for themselves.
      for context in [hers, None]:
          resolved(ada.get_boolean_details("analytics", False, context), True, "on",
                   Reason.TARGETING_MATCH, "AVAILABLE")
      resolved(ada.get_boolean_details("lessons", True, hers), False, "off",
               Reason.STATIC, "NOT_IN_TIER")
      resolved(ada.get_integer_details("maxHorses", 1, hers), 40, "limited",
               Reason.TARGETING_MATCH, "AVAILABLE")
      resolved(ada.get_integer_details("maxHorses", 1, home), 9007199254740991, "unlimited",
               Reason.TARGETING_MATCH, "AVAILABLE")
      resolved(bob.get_boolean_details("analytics", True, his), False, "off",
               Reason.STATIC, "NO_SUBSCRIPTION")

      failed(ada.get_boolean_details("none", True, hers), True, ErrorCode.FLAG_NOT_FOUND)
      failed(ada.get_string_details("analytics", "standard", hers), "standard", ErrorCode.TYPE_MISMATCH)
      for context in [hers, home]:
          failed(bob.get_boolean_details("analytics", False, context), False, ErrorCode.INVALID_CONTEXT)
      unknown = liar.get_boolean_details("analytics", False, hers)
      failed(unknown, False, ErrorCode.GENERAL)
      equal(unknown.error_message, "unauthorized")
      """#

    @Test("Features and limits are flags, and what is refused is the default with the reason")
    func flags_areResolved() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let bob = try await home.signUp("bob")
        let portfolio = try await home.portfolios.create(.init(name: "Home"), options: ada.call).id
        try await subscribe(.init(kind: .user, id: ada.id), to: "standard", home)
        try await subscribe(.init(kind: .portfolio, id: portfolio), to: "enterprise", home)
        let values: JSONObject = [
          "address": .string(home.entitlement.url), "adaToken": .string(ada.tokens.accessToken),
          "bobToken": .string(bob.tokens.accessToken),
          "ada": .string(ada.id), "bob": .string(bob.id), "portfolio": .string(portfolio),
        ]
        let problem = try await PythonClient.problem(
          Self.script,
          values,
          python: InstalledTool.openFeature.executable,
          in: home
        )
        #expect(problem == nil)
      }
    }

    private func subscribe(
      _ subject: Entitlement_V1.Subject,
      to tier: String,
      _ home: Installation
    ) async throws {
      _ = try await home.subscriptions.put(
        .init(subscription: .init(subject: subject, tier: tier)),
        options: home.options(of: "billing", to: "entitlement")
      )
    }
  }
}
