import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

@Suite("The command line, in front of real servers")
struct CommandTests {
  private static let password = ["GATEHOUSE_PASSWORD": "right password"]

  @Test("A call sends JSON as a message and prints the answer as JSON")
  func call_ofUnaryMethod_printsAnswer() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      let outcome = await stage.gatehouse("call", "Portfolios/Create", #"{"name":"Home"}"#)
      #expect(outcome.code == 0)
      #expect(
        outcome.output == """
          {
            "id": "prt_1",
            "name": "Home",
            "administratorUserIds": [],
            "propertyIds": [],
            "createdAt": null,
            "updatedAt": null,
            "revision": "",
            "administrators": [],
            "propertyCount": 0,
            "propertyIdsCut": false
          }

          """
      )
      let piped = await stage.gatehouse(
        "call",
        "tenancy",
        "tenancy.v1.Portfolios/Create",
        "-",
        input: #"{"name":"Piped"}"#
      )
      #expect(piped.code == 0)
      #expect(services.calls == ["Create Home, no token", "Create Piped, no token"])
    }
  }

  @Test("A call that fails says why, in words a terminal cannot be fooled by")
  func call_thatFails_printsDetails() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      let outcome = await stage.gatehouse("call", "Portfolios/Get", #"{"portfolioId":"prt_9"}"#)
      #expect(outcome.code == 1)
      #expect(outcome.output == "")
      #expect(
        outcome.errors == #"""
          gatehouse: NOT_FOUND: no such portfolio\u{1b}[2J
            reason: PORTFOLIO_NOT_FOUND (gatehouse.tenancy)
              portfolio_id: prt_9
            retry after 1.5 s
            field portfolioId: is unknown
            check the id; objects that you may not see are not found either

          """#
      )
    }
  }

  @Test("A session is kept, used, and ended")
  func session_fromLoginToLogout_isKept() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      let login = await stage.gatehouse("login", "ada@example.com", environment: Self.password)
      #expect(login.output == "signed in as ada@example.com (usr_1)\n")
      let path = "\(stage.folder)/.gatehouse-session.json"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).count == 1)

      let me = await stage.gatehouse("whoami")
      #expect(me.output.contains("  \"id\": \"usr_1\",\n  \"email\": \"\",\n"))
      #expect(me.output.contains("  \"plan\": \"free\",\n"))
      _ = await stage.gatehouse("call", "Portfolios/Create", #"{"name":"A"}"#, "--anonymous")
      #expect(await stage.gatehouse("logout").code == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(
        services.calls == [
          "SignIn ada@example.com, no token", "GetMe , Bearer access-1", "Create A, no token",
          "SignOut , Bearer access-1",
        ]
      )
      let again = await stage.gatehouse("whoami")
      #expect(again.code == 3)
      #expect(again.errors == "gatehouse: not signed in; run gatehouse login EMAIL first\n")
    }
  }

  @Test("A token is renewed when it has 15 seconds left, and kept while it has more")
  func session_nearItsEnd_isRenewed() async throws {
    for (lifetime, token) in [(15_000 as Int64, "access-2"), (15_001, "access-1")] {
      let services = ScriptedServices(tokenLifetime: lifetime)
      try await CommandStage.run(services.definitions) { stage in
        _ = await stage.gatehouse("login", "ada@example.com", environment: Self.password)
        #expect(await stage.gatehouse("whoami").code == 0)
        #expect(await stage.gatehouse("whoami").code == 0)
        let refreshes = services.calls.filter { $0 == "Refresh refresh-1, no token" }
        #expect(refreshes.count == (token == "access-2" ? 1 : 0))
        #expect(services.calls.filter { $0 == "GetMe , Bearer \(token)" }.count == 2)
      }
    }
  }

  @Test("Seeding puts each thing into the one it belongs to, and says what it made")
  func seed_whenSignedIn_makesEverything() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      _ = await stage.gatehouse("login", "ada@example.com", environment: Self.password)
      let outcome = await stage.gatehouse("seed")
      #expect(outcome.code == 0)
      #expect(
        outcome.output == """
          portfolio  prt_1  Demo portfolio
          property   prp_1  Harbour House
          device     dev_4  Front door
          unit       unt_1  Apartment 1
          device     dev_6  Door of apartment 1
          device     dev_7  Thermostat 1
          unit       unt_2  Apartment 2
          device     dev_9  Door of apartment 2
          device     dev_10  Thermostat 2

          """
      )
      #expect(services.calls.contains("Create Harbour House in prt_1, Bearer access-1"))
      #expect(services.calls.contains("Create Apartment 2 in prp_1 with dev_4, Bearer access-1"))
      #expect(services.calls.contains("Register Thermostat 2 in prp_1 unt_2, Bearer access-1"))
    }
  }

  @Test("A wrong password makes no session")
  func login_withWrongPassword_fails() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      let outcome = await stage.gatehouse(
        "login",
        "ada@example.com",
        "--session",
        stage.sessionPath,
        environment: ["GATEHOUSE_PASSWORD": "wrong"]
      )
      #expect(outcome.code == 3)
      #expect(outcome.errors.contains("reason: INVALID_CREDENTIALS (gatehouse.auth)"))
      #expect(outcome.errors.contains("wrong e-mail address or password"))
      #expect(!FileManager.default.fileExists(atPath: stage.sessionPath))
    }
  }

  @Test("A session's token is not sent to another installation")
  func session_ofAnotherInstallation_isRefused() async throws {
    let services = ScriptedServices()
    try await CommandStage.run(services.definitions) { stage in
      _ = await stage.gatehouse("login", "ada@example.com", environment: Self.password)
      let outcome = await stage.gatehouse("whoami", "--target", "auth=tcp://127.0.0.1:1")
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("not tcp://127.0.0.1:1"))
      #expect(services.calls.count == 1)
    }
  }

  @Test("A stream is printed a line a message, until it ends")
  func watch_ofStreamThatEnds_ends() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      let outcome = await stage.gatehouse(
        "watch",
        "Permissions/WatchChanges",
        #"{"afterRevision":"end"}"#
      )
      #expect(outcome.code == 0)
      #expect(
        outcome.output == """
          {"revision":"1","kind":"CHANGE_KIND_UNSPECIFIED","subjectId":"usr_1","entityId":""}
          {"revision":"2","kind":"CHANGE_KIND_UNSPECIFIED","subjectId":"","entityId":"unt_1"}

          """
      )
    }
  }

  @Test("Control-C ends a stream that does not")
  func watch_whenInterrupted_ends() async throws {
    try await CommandStage.run(ScriptedServices().definitions) { stage in
      let outcome = await stage.gatehouse("watch", "Permissions/WatchChanges") { line in
        if line.contains("unt_1") { stage.interrupt() }
      }
      #expect(outcome.code == 0)
      #expect(outcome.output.split(separator: "\n").count == 2)
    }
  }

  @Test("A service that is not there is UNAVAILABLE, with the place where it was looked for")
  func call_withoutServer_isUnavailable() async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse(
        "call",
        "Portfolios/List",
        "--target",
        "tenancy=unix://\(stage.folder)/none",
        "--timeout",
        "5"
      )
      #expect(outcome.code == 4)
      #expect(outcome.errors.contains("UNAVAILABLE"))
      #expect(outcome.errors.contains("running at unix://\(stage.folder)/none?"))
    }
  }

  @Test("A service that joins an installation gets a key pair, and the others are told of it")
  func keys_ofAServiceThatJoins_areOnePair() async throws {
    try await CommandStage.run([]) { stage in
      let directory = "\(stage.folder)/keys"
      let outcome = await stage.gatehouse("keys", directory, "shelf")
      #expect(outcome.code == 0)
      #expect(outcome.output.contains("\"private_key\": \"\(directory)/shelf.private.pem\""))
      #expect(outcome.output.contains("\"shelf\": \"\(directory)/shelf.public.pem\""))
      let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      #expect(names == ["shelf.private.pem", "shelf.public.pem"])
      let key = try SigningKey(pem: Array(Data(contentsOf: stage.file("keys/shelf.private.pem"))))
      #expect(
        key.verificationKey.pem
          == String(
            decoding: try Data(contentsOf: stage.file("keys/shelf.public.pem")),
            as: UTF8.self
          )
      )
    }
  }

  @Test(
    "A name that cannot be a service's is refused, and nothing is made",
    arguments: ["Shelf", "shelf/..", "", "auth", "übel", String(repeating: "a", count: 33)]
  )
  func keys_ofAnImpossibleName_makesNothing(name: String) async throws {
    try await CommandStage.run([]) { stage in
      let outcome = await stage.gatehouse("keys", "\(stage.folder)/keys", name)
      #expect(outcome.code == 2)
      #expect(outcome.errors.contains("service \"\(name)\""))
      #expect(!FileManager.default.fileExists(atPath: "\(stage.folder)/keys"))
    }
  }

  @Test("Keys are made once, for their owner alone, and AuthService can read its secrets")
  func keys_twice_areNotOverwritten() async throws {
    try await CommandStage.run([]) { stage in
      let directory = "\(stage.folder)/keys"
      let outcome = await stage.gatehouse("keys", directory)
      #expect(outcome.code == 0)
      #expect(outcome.output.contains("\"private_key\": \"\(directory)/tenancy.private.pem\""))
      let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      #expect(
        names == [
          "auth.private.pem", "auth.public.pem", "auth.secrets.json", "entitlement.private.pem",
          "entitlement.public.pem", "gateway.secret", "tenancy.private.pem", "tenancy.public.pem",
        ]
      )
      for name in names {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
      try InstallationKeys.check(directory)
      let before = try InstallationKeys.contents(directory)
      try FileManager.default.removeItem(atPath: "\(directory)/auth.private.pem")
      let again = await stage.gatehouse("keys", directory)
      #expect(again.code == 1)
      #expect(again.errors.contains("is not overwritten"))
      #expect(
        try InstallationKeys.contents(directory) == before.filter { $0.key != "auth.private.pem" }
      )
    }
  }
}
