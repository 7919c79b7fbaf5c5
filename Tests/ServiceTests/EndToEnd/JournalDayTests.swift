import PeerContracts
import TenancyContracts
import RPCKit
import Testing

extension EndToEndTests {
  /// The scenarios of the journal's guide, over started services.
  @Suite("Journals of several users")
  struct JournalDayTests {
    @Test("Users who sign in one after the other see their own entries, and nobody else's")
    func users_oneAfterAnother_seeTheirOwn() async throws {
      try await Installation.run { home in
        let documents = Tenancy_V1.DocumentsClient(home.tenancy.channel)
        func write(_ ids: [String], by person: Person) async throws {
          for id in ids {
            _ = try await documents.put(
              .init(
                put: .init(
                  collection: "sessions",
                  documentId: id,
                  json: #"{"by":"\#(person.email)"}"#
                )
              ),
              options: person.call
            )
          }
        }
        func entries(of person: Person) async throws -> [String] {
          try await documents.list(.init(collection: "sessions"), options: person.call).documents
            .map { "\($0.id) \($0.json)" }
        }
        func expected(_ ids: [String], of person: Person) -> [String] {
          ids.map { "\($0) {\"by\":\"\(person.email)\"}" }
        }
        let (adas, eves) = (["s1", "s2", "s3", "s4", "s5"], ["s1", "s2", "s9"])
        let ada = try await home.signUp("ada")
        try await write(adas, by: ada)
        _ = try await home.authentication.signOut(.init(), options: ada.call)
        // Somebody else takes the device, and entries of the same names are others.
        let eve = try await home.signUp("eve")
        #expect(try await entries(of: eve).isEmpty)
        try await write(eves, by: eve)
        #expect(try await entries(of: eve) == expected(eves, of: eve))
        _ = try await home.authentication.signOut(.init(), options: eve.call)
        let again = try await home.signIn(ada)
        #expect(try await entries(of: again) == expected(adas, of: ada))
      }
    }
  }
}
