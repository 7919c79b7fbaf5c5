import Glibc
import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Watches of apps by server-sent events")
  struct AppWatchTests {
    /// `curl -N`, which writes what it is sent as it comes.
    private final class Curl {
      let child: ChildProcess
      private let folder: TemporaryFolder
      private let name: String

      init(_ home: Installation, _ person: Person, _ name: String, _ fields: [String] = []) throws {
        (folder, self.name) = (home.folder, name)
        let url = home.tenancy.target.replacing("tcp://", with: "http://") + "/api/v1/watch"
        child = try ChildProcess(
          "/usr/bin/env",
          ["curl", "-sS", "-N", "-i", "-H", "accept: text/event-stream"]
            + (["authorization: Bearer \(person.tokens.accessToken)"] + fields)
            .flatMap { ["-H", $0] } + [url],
          output: folder.file(name)
        )
      }

      deinit { child.send(SIGKILL) }

      var text: String { (try? folder.text(of: name)) ?? "" }

      /// Types of events so far, without heartbeats, and the last of their ids.
      var events: (types: [String], lastID: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let types = lines.filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
        let id = lines.last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) } ?? ""
        // What comes when the push of EntitlementService is opened comes when it likes.
        return (types.filter { !["heartbeat", "plan", "resync"].contains($0) }, id)
      }
    }

    @Test("curl -N sees a device change, comes back with its last id, and ends with its session")
    func curl_watches() async throws {
      try await Installation.run { home in
        let flat = try await Flat(in: home)
        let property = try await home.units.get(
          .init(unitId: flat.unit),
          options: flat.owner.call
        ).propertyId
        let door = try await home.devices.register(
          .init(propertyId: property, unitId: flat.unit, name: "Door", type: "lock"),
          options: flat.owner.call
        ).id
        let first = try Curl(home, flat.tenant, "first")
        #expect(
          await home.tenancy.eventually { first.events.types == ["current"] },
          "\(first.text)"
        )
        #expect(first.text.hasPrefix("HTTP/1.1 200"))
        #expect(first.text.contains("content-type: text/event-stream"))
        _ = try await home.devices.update(
          .init(deviceId: door, name: "Front door"),
          options: flat.owner.call
        )
        #expect(
          await home.tenancy.eventually { first.events.types == ["current", "device"] },
          "\(first.text)"
        )
        #expect(first.text.contains("Front door"))
        _ = try await home.users.updateProfile(
          .init(displayName: "Thomas"),
          options: flat.tenant.call
        )
        #expect(
          await home.tenancy.eventually { first.events.types.contains("profile") },
          "\(first.text)"
        )
        let heartbeat = await home.tenancy.eventually { first.text.contains("event: heartbeat") }
        #expect(heartbeat)
        let last = first.events.lastID
        first.child.send(SIGKILL)
        _ = try await home.devices.update(
          .init(deviceId: door, name: "Back door"),
          options: flat.owner.call
        )
        let second = try Curl(home, flat.tenant, "second", ["last-event-id: \(last)"])
        #expect(
          await home.tenancy.eventually { second.events.types == ["device", "current"] },
          "\(second.text)"
        )
        #expect(second.text.contains("Back door"))
        _ = try await home.authentication.signOut(.init(), options: flat.tenant.call)
        #expect(
          await home.tenancy.eventually { second.events.types.last == "error" },
          "\(second.text)"
        )
        #expect(second.text.contains("PROOF_ENDED"))
        // The connection stays; the stream has ended.
        #expect(await home.tenancy.eventually { second.child.ending == .exited(0) })
        let refused = try Curl(home, flat.stranger, "refused", ["last-event-id: \(last)"])
        #expect(await home.tenancy.eventually { refused.child.ending != nil })
        #expect(refused.text.hasPrefix("HTTP/1.1 400"), "\(refused.text)")
        #expect(refused.text.contains("RESUME_TOKEN_INVALID"))
      }
    }
  }
}
