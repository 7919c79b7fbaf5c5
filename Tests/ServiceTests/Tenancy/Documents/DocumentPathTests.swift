import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Documents by their paths")
struct DocumentPathTests {
  @Test("Set replaces, Merge merges, Remove deletes, each at a revision if that is said")
  func document_byPath_isWritten() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      func set(
        _ json: String,
        _ revision: String = "",
        createOnly: Bool = false
      ) async throws
        -> Tenancy_V1.DocumentWriteResult
      {
        try await ada.calls.set(
          .init(
            collection: "moods",
            documentId: "m1",
            json: json,
            expectedRevision: revision,
            createOnly: createOnly
          ),
          options: ada.options
        )
      }
      func merge(
        _ json: String,
        _ revision: String = ""
      ) async throws
        -> Tenancy_V1.DocumentWriteResult
      {
        try await ada.calls.merge(
          .init(collection: "moods", documentId: "m1", json: json, expectedRevision: revision),
          options: ada.options
        )
      }
      func remove(_ revision: String = "") async throws -> Tenancy_V1.DocumentWriteResult {
        try await ada.calls.remove(
          .init(collection: "moods", documentId: "m1", expectedRevision: revision),
          options: ada.options
        )
      }
      let first = try await set(#"{"a": 1, "b": 2}"#)
      #expect(!first.existed)
      #expect(try await refusal { try await set("{}", createOnly: true) }?.code == .alreadyExists)
      let second = try await merge(#"{"b": null, "c": [3]}"#, first.revision)
      #expect(second.existed)
      #expect(try await ada.get("m1").json == #"{"a":1,"c":[3]}"#)
      for change in [
        { try await set("{}", first.revision) }, { try await merge("{}", first.revision) },
        { try await remove(first.revision) },
      ] { #expect(try await refusal { try await change() }?.code == .aborted) }
      _ = try await set(#"{"d":4}"#, second.revision)
      #expect(try await ada.get("m1").json == #"{"d":4}"#)
      #expect(try await remove().existed)
      #expect(try await remove().existed == false)
    }
  }

  @Test("The same key gets the same answer, and nothing is written again")
  func key_again_answersAlike() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let request = Tenancy_V1.SetDocumentRequest(
        collection: "moods",
        documentId: "m1",
        json: "{}",
        createOnly: true,
        idempotencyKey: "k1"
      )
      let first = try await ada.calls.set(request, options: ada.options)
      #expect(try await ada.calls.set(request, options: ada.options) == first)
    }
  }

  @Test("What is wrong names the fields that the request has")
  func wrong_namesFields() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let set = await #expect(throws: RPCError.self) {
        try await ada.calls.set(
          .init(collection: "moods", documentId: "m1", json: "[1]"),
          options: ada.options
        )
      }
      #expect(set?.message == "json: must be a JSON object, not an array")
      let filter = await #expect(throws: RPCError.self) {
        try await ada.calls.browse(
          .init(collection: "moods", filter: .init(field: "a", values: ["x y"])),
          options: ada.options
        )
      }
      #expect(filter?.message.hasPrefix("filter.values[0]: ") == true)
    }
  }

  @Test("A query sorts by fields of the documents, filters and counts pages as List does")
  func browse_listsPages() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      for number in 0..<7 { try await ada.put("m\(number)", #"{"n":\#(number * 3 % 7)}"#) }
      func browse(
        _ sortBy: String = "",
        page: UInt32 = 0,
        token: String = "",
        filter: Tenancy_V1.DocumentFilter? = nil
      ) async throws -> Tenancy_V1.ListDocumentsResponse {
        try await ada.calls.browse(
          .init(
            collection: "moods",
            filter: filter,
            sortBy: sortBy,
            pageSize: 3,
            pageToken: token,
            page: page
          ),
          options: ada.options
        )
      }
      for sortBy in ["", "-id", "createdAt", "-updatedAt", "json.n", "-json.n"] {
        let first = try await browse(sortBy)
        #expect(first.totalSize == 7)
        #expect(try await browse(sortBy, page: 1).documents == first.documents)
        let second = try await browse(sortBy, page: 2)
        let afterFirst = try await browse(sortBy, token: first.nextPageToken)
        #expect(second.documents == afterFirst.documents, "\(sortBy)")
        let third = try await browse(sortBy, page: 3)
        #expect(third.documents.count == 1 && third.nextPageToken.isEmpty)
        #expect(try await browse(sortBy, page: 4).documents.isEmpty)
        let ids = (first.documents + second.documents + third.documents).map(\.id)
        #expect(Set(ids).count == 7)
        if sortBy == "json.n" { #expect(ids == ["m0", "m5", "m3", "m1", "m6", "m4", "m2"]) }
        if sortBy == "-json.n" { #expect(ids == ["m2", "m4", "m6", "m1", "m3", "m5", "m0"]) }
      }
      let filter = Tenancy_V1.DocumentFilter(field: "n", atLeast: "4")
      let filtered = try await browse("json.n", page: 1, filter: filter)
      #expect(filtered.documents.map(\.id) == ["m6", "m4", "m2"] && filtered.totalSize == nil)
    }
  }

  @Test("A page is named once, and counted as far as element 10,000 and without a filter")
  func page_outOfReach_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      for number in 0..<2 { try await ada.put("m\(number)") }
      func reason(
        _ size: UInt32,
        _ page: UInt32,
        token: String = "",
        filter: Tenancy_V1.DocumentFilter? = nil
      ) async throws -> String? {
        try await refusal {
          try await ada.calls.browse(
            .init(
              collection: "moods",
              filter: filter,
              pageSize: size,
              pageToken: token,
              page: page
            ),
            options: ada.options
          )
        }?.reason
      }
      #expect(try await reason(1000, 10) == nil)
      #expect(try await reason(1000, 11) == "PAGE_OUT_OF_REACH")
      let filter = Tenancy_V1.DocumentFilter(field: "n", values: ["1"])
      #expect(try await reason(1, 1, filter: filter) == nil)
      #expect(try await reason(1, 2, filter: filter) == "PAGE_OUT_OF_REACH")
      let first = try await ada.calls.browse(
        .init(collection: "moods", pageSize: 1),
        options: ada.options
      )
      #expect(try await reason(1, 2, token: first.nextPageToken) == "PAGE_NAMED_TWICE")
    }
  }
}
