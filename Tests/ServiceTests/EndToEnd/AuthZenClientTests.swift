import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  /// Two clients of AuthZEN for Python, from PyPI, against TenancyService.
  @Suite(
    "AuthZEN: clients of others",
    .enabled(if: InstalledTool.authZen.isInstalled, "scripts/setup gets them from PyPI")
  )
  struct AuthZenClientTests {
    private static let preamble = #"""
      import asyncio
      import decern, httpx
      from authzen_backend import AsyncAuthZENBackend, AuthZENBackend

      unit = {"type": "unit", "id": values["unit"]}
      def user(name):
          return {"type": "user", "id": values[name]}

      def decided(decision, allowed, context):
          equal((decision.allowed, decision.context, decision.errors), (allowed, context, []))

      def failed(status, body):
          "Expects an error of this status, whose text is for people."
          try:
              body()
          except decern.DecernError as error:
              equal(error.status_code, status)
              assert error.body, error
              return
          raise AssertionError("not refused")

      """#

    /// What is wrong according to a script that has a flat; nil when it ran to its end.
    private func problem(_ script: String, in home: Installation) async throws -> String? {
      let flat = try await Flat(in: home)
      let proof = home.options(of: "billing", to: "tenancy").metadata["service-authorization"]
      let values: JSONObject = [
        "address": .string(home.tenancy.url), "unit": .string(flat.unit),
        "ada": .string(flat.owner.id), "adaToken": .string(flat.owner.tokens.accessToken),
        "tom": .string(flat.tenant.id), "tomToken": .string(flat.tenant.tokens.accessToken),
        "mallory": .string(flat.stranger.id),
        "malloryToken": .string(flat.stranger.tokens.accessToken),
        "proof": .string(try #require(proof)),
      ]
      return try await PythonClient.problem(
        Self.preamble + script,
        values,
        python: InstalledTool.authZen.executable,
        in: home
      )
    }

    @Test("decern: users learn what they may, and nothing of what they may not know of")
    func decern_asksAsUser() async throws {
      try await Installation.run { home in
        let problem = try await problem(
          #"""
          def client(token):
              return decern.Client(values["address"], timeout=60, token=token)

          ada, tom, mallory = [client(values[name + "Token"]) for name in ["ada", "tom", "mallory"]]
          decided(ada.evaluate(user("ada"), "unit.update", unit), True, None)
          decided(tom.evaluate(user("tom"), {"name": "unit.view"}, unit), True, None)
          decided(tom.evaluate(user("tom"), "unit.update", unit), False, {"reason": "ROLE_LACKS_ACTION"})
          decided(tom.evaluate(user("tom"), "unit.burn", unit), False, {"reason": "ACTION_UNKNOWN"})
          # Nothing that is said besides makes a difference.
          claims = {"role": "owner", "owner": values["tom"]}
          decided(tom.evaluate({**user("tom"), "properties": claims}, {"name": "unit.update", "properties": claims},
                               {**unit, "properties": claims}, {"roles": ["owner"]}),
                  False, {"reason": "ROLE_LACKS_ACTION"})
          for place in [unit, {"type": "unit", "id": "unt_none"}]:
              decided(mallory.evaluate(user("mallory"), "unit.view", place), False, {"reason": "ENTITY_UNKNOWN"})
          failed(403, lambda: mallory.evaluate(user("tom"), "unit.view", unit))
          failed(400, lambda: tom.evaluate(user("tom"), "", unit))
          for token in [None, "x" + values["tomToken"]]:
              failed(401, lambda: client(token).evaluate(user("tom"), "unit.view", unit))
          """#,
          in: home
        )
        #expect(problem == nil)
      }
    }

    @Test("decern: from the address of a gateway it learns what everybody may, without a token")
    func decern_asksAsGateway() async throws {
      try await Installation.run(settings: ["tenancy": ["gateways": ["127.0.0.1"]]]) { home in
        let problem = try await problem(
          #"""
          gateway = decern.Client(values["address"], timeout=60)
          decided(gateway.evaluate(user("ada"), "unit.update", unit), True, None)
          decided(gateway.evaluate(user("tom"), "unit.update", unit), False, {"reason": "ROLE_LACKS_ACTION"})
          decided(gateway.evaluate(user("mallory"), "unit.view", unit), False, {"reason": "NO_ASSOCIATION"})
          decided(gateway.evaluate(user("ada"), "unit.view", {"type": "unit", "id": "unt_none"}),
                  False, {"reason": "ENTITY_UNKNOWN"})
          # Who shows a token asks as its user.
          tom = decern.Client(values["address"], timeout=60, token=values["tomToken"])
          failed(403, lambda: tom.evaluate(user("ada"), "unit.update", unit))
          """#,
          in: home
        )
        #expect(problem == nil)
      }
    }

    /// It writes its own prefix before identifiers of subjects, so that nobody here is whom it asks about.
    @Test("authzen-policy-backend: denials are denials, and what fails is denied or left to others")
    func policyBackend_asks() async throws {
      try await Installation.run { home in
        let problem = try await problem(
          #"""
          address = values["address"] + "/access/v1/evaluation"
          question = {"agent_id": values["ada"], "action": "unit.update", "resource_type": "unit",
                      "resource_id": values["unit"], "tool_name": "updater", "purpose": "a test"}

          def options(token, **others):
              return dict(pdp_url=address, pdp_application="homes", token=token, timeout=60,
                          default_subject_type="user", **others)

          def answered(answer, allowed, reason, error):
              equal((answer.allowed, answer.reason, answer.error), (allowed, reason, error))

          async def asynchronously(**others):
              async with AsyncAuthZENBackend(**options(values["adaToken"], **others)) as backend:
                  return await backend.evaluate(question)

          def ask(token, **others):
              with AuthZENBackend(**options(token, **others)) as backend:
                  return backend.evaluate(question)

          # As a service, whose proof has a field of its own; a user's token beside it would count.
          def prove(request):
              del request.headers["authorization"]
              request.headers["service-authorization"] = values["proof"]
          with httpx.Client(event_hooks={"request": [prove]}, timeout=60) as client:
              answer = ask("none", http_client=client)
          answered(answer, False, "AuthZEN PDP: access denied", None)
          equal(answer.raw_result["decision"], False)
          assert answer.raw_result["context"]["reason"], answer.raw_result

          # As a user, who asks about somebody else by that.
          answered(ask(values["adaToken"]), False, "AuthZEN PDP error: HTTP 403", None)
          answered(asyncio.run(asynchronously(fail_closed=False)), False, "AuthZEN PDP error: HTTP 403", "HTTP 403")
          answered(ask("x" + values["adaToken"], fail_closed=False), False, "AuthZEN PDP error: HTTP 401", "HTTP 401")
          """#,
          in: home
        )
        #expect(problem == nil)
      }
    }
  }
}
