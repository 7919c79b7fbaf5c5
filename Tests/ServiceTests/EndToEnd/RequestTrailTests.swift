import AuthService
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import ServiceKit
import TenancyService
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Following one request through the services")
  struct RequestTrailTests {
    /// The lines of a service's log that name a request.
    private func lines(
      _ request: String,
      of service: ServiceProcess,
      _ home: Installation
    ) -> [String] {
      let text = (try? home.folder.text(of: "\(service.name).log")) ?? ""
      return text.split(separator: "\n").map(String.init)
        .filter { $0.contains(#""request_id":"\#(request)""#) }
    }

    /// Ends a service and reads the audit records that name a request.
    private func records(
      _ request: String,
      of service: ServiceProcess,
      _ store: StoreDefinition,
      _ home: Installation
    ) async throws -> [AuditRecord] {
      service.send(SIGTERM)
      _ = await service.ending()
      let database = try await Database.open(
        DatabaseConfiguration(
          path: home.folder.file("\(service.name).db"),
          applicationID: store.applicationID
        ),
        migrations: store.migrations
      )
      let records = try await database.read { tx in
        try tx.query(StoredAuditRecord.columns, "WHERE request_id = ?", .text(request))
          .map(\.record)
      }
      await database.close()
      return records
    }

    /// A call that has a name.
    private func named(_ name: String, _ options: CallOptions) -> CallOptions {
      var options = options
      options.metadata["x-request-id"] = name
      return options
    }

    @Test(
      "A sign-in, by frames or by REST, has one name in the audit log of one service and the logs of the other two"
    )
    func signIn_isFollowedThroughAllThree() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        // So that there is something for the others to say about it: they take AuthService for a
        // stranger from now on.
        try home.folder.write(SigningKey.generate().verificationKey.pem, to: "auth.public.pem")
        for service in [home.tenancy, home.entitlement] {
          service.send(SIGHUP)
          let isReloaded = await service.eventually {
            home.folder.end(of: "\(service.name).log").contains("\"reloaded\"")
          }
          try #require(isReloaded)
        }
        let options = named("story-1", CallOptions(timeout: .seconds(10)))
        let answer = try await home.authentication.signIn(
          .init(email: ada.email, password: Person.password, allowPartialContext: true),
          options: options
        )
        #expect(answer.user?.missingContext.count == 2)
        let body: JSONValue = [
          "email": .string(ada.email), "password": .string(Person.password),
          "allowPartialContext": true,
        ]
        let byREST = try await home.auth.http.send(
          "POST",
          "/api/v1/auth/login",
          [("content-type", "application/json"), ("x-request-id", "story-4")],
          body.bytes
        )
        #expect(byREST.status == 200 && byREST.fields["x-request-id"] == "story-4")
        for story in ["story-1", "story-4"] {
          for service in [home.tenancy, home.entitlement] {
            let isDenied = await service.eventually {
              lines(story, of: service, home).contains {
                $0.contains("permission denied") && $0.contains("CREDENTIALS_INVALID")
              }
            }
            #expect(isDenied, "\(story) \(service.name)")
          }
          let records = try await records(story, of: home.auth, AuthProgram.store, home)
          #expect(records.map(\.action) == ["session.begin"], "\(story)")
          #expect(records.first?.actor == "user:\(ada.id)", "\(story)")
        }
      }
    }

    @Test("A refusal has one name in the answer, the log and the audit log")
    func refusal_isFollowed() async throws {
      try await Installation.run { home in
        let (owner, mallory) = (try await home.signUp("ada"), try await home.signUp("mallory"))
        let portfolio = try await home.portfolios.create(.init(name: "p"), options: owner.call).id
        let property = try await home.portfolios.createProperty(
          .init(portfolioId: portfolio, name: "Pier 4"),
          options: owner.call
        ).id
        let door = try await home.devices.register(
          .init(propertyId: property, name: "Front door", type: "lock"),
          options: owner.call
        ).id
        do {
          _ = try await home.devices.operate(
            .init(deviceId: door, operation: "unlock"),
            options: named("story-2", mallory.call)
          )
          Issue.record("a stranger has unlocked the door")
        } catch let error as RPCError {
          #expect(error.requestID == "story-2" && error.reason == "NOT_FOUND")
        }
        do {
          _ = try await home.entitlements.get(
            .init(subject: .init(kind: .portfolio, id: portfolio)),
            options: named("story-3", mallory.call)
          )
          Issue.record("a stranger sees what a portfolio has paid for")
        } catch let error as RPCError {
          #expect(error.requestID == "story-3" && error.reason == "NOT_FOUND")
        }
        for (service, story) in [(home.tenancy, "story-2"), (home.entitlement, "story-3")] {
          let isDenied = await service.eventually {
            lines(story, of: service, home).contains {
              $0.contains("permission denied") && $0.contains(#""actor":"user:\#(mallory.id)""#)
            }
          }
          #expect(isDenied, "\(service.name)")
        }
        let records = try await records("story-2", of: home.tenancy, TenancyProgram.store, home)
        let record = try #require(records.first)
        #expect(records.count == 1 && record.outcome == .refused)
        #expect(record.actor == "user:\(mallory.id)" && record.action == "device.unlock")
        #expect(record.object == door && record.detail == "NO_ASSOCIATION")
      }
    }
  }
}
