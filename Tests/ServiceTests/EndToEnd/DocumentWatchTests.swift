import PeerContracts
import TenancyContracts
import RPCKit
import Testing

extension EndToEndTests {
  @Suite("Watches of documents across services")
  struct DocumentWatchTests {
    private typealias Events = ResponseStream<Tenancy_V1.DocumentEvent>

    @Test("Signing out ends the watches of that session, and those of no other")
    func watch_ofSignedOutSession_ends() async throws {
      try await Installation.run { home in
        let ada = try await home.signUp("ada")
        let (phone, eve) = (try await home.signIn(ada), try await home.signUp("eve"))
        let documents = Tenancy_V1.DocumentsClient(home.tenancy.channel)
        var streams: [Events.AsyncIterator] = []
        for person in [ada, phone, eve] {
          // Without a time limit of their own.
          let options = CallOptions(metadata: person.call.metadata)
          var events = documents.watch(.init(collection: "moods"), options: options)
            .makeAsyncIterator()
          while let event = try await events.next(), event.kind != .current {}
          streams.append(events)
        }
        _ = try await home.authentication.signOut(.init(), options: ada.call)
        let own = await ending(&streams[0])
        #expect(own == "UNAUTHENTICATED PROOF_ENDED")
        // The phone is still told of what happens, and so is somebody else.
        for (place, person) in [(1, phone), (2, eve)] {
          _ = try await documents.put(
            .init(put: .init(collection: "moods", documentId: "d\(place)")),
            options: person.call
          )
          var event = try await streams[place].next()
          while event?.kind == .heartbeat { event = try await streams[place].next() }
          #expect(event?.kind == .put && event?.documentId == "d\(place)")
        }
        // Everywhere means everywhere.
        _ = try await home.sessions.revokeAll(.init(), options: phone.call)
        let other = await ending(&streams[1])
        #expect(other == "UNAUTHENTICATED PROOF_ENDED")
      }
    }

    /// How events end, after whatever comes before that.
    private func ending(_ events: inout Events.AsyncIterator) async -> String {
      do {
        while try await events.next() != nil {}
        return "OK"
      } catch let error as RPCError {
        return Refusal(error).description
      } catch {
        return "\(error)"
      }
    }
  }
}
