import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Documents of users")
struct DocumentTests {
  @Test("What is stored is read again, after a restart as well")
  func put_isKept() async throws {
    let folder = try TestFolder()
    var revision = ""
    try await TenancyStage.run(in: folder) { stage in
      let ada = stage.documents(of: "usr_ada")
      let made = try await ada.put("m1", #"{ "level": 3, "note": "schön 😀" }"#)
      #expect(!made.existed)
      #expect(made.documentId == "m1" && made.collection == "moods")
      revision = made.revision
    }
    try await TenancyStage.run(in: folder) { stage in
      let document = try await stage.documents(of: "usr_ada").get("m1")
      #expect(document.json == #"{"level":3,"note":"schön 😀"}"#)
      #expect(document.revision == revision)
      #expect(document.createdAt?.milliseconds == TenancyStage.start)
      #expect(document.createdAt == document.updatedAt)
    }
  }

  @Test("A document is replaced as a whole, keeps the day it was made, and gets another revision")
  func put_again_replaces() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let first = try await ada.put("m1", #"{"a":1,"b":2}"#)
      stage.clock.advance(5000)
      let second = try await ada.put("m1", #"{"a":5}"#)
      #expect(second.existed && second.revision != first.revision)
      let document = try await ada.get("m1")
      #expect(document.json == #"{"a":5}"#)
      #expect(document.createdAt?.milliseconds == TenancyStage.start)
      #expect(document.updatedAt?.milliseconds == TenancyStage.start + 5000)
    }
  }

  @Test("Nobody reads, changes, deletes or counts what is another user's, whatever its name")
  func documents_ofOthers_areNotThere() async throws {
    try await TenancyStage.run { stage in
      let (ada, eve) = (stage.documents(of: "usr_ada"), stage.documents(of: "usr_eve"))
      let made = try await ada.put("m1", #"{"secret":1}"#)
      let missing = Refusal(.notFound, "NOT_FOUND")
      #expect(try await refusal { try await eve.get("m1") } == missing)
      #expect(try await eve.pages() == [[]])
      #expect(try await !eve.delete("m1").existed)
      #expect(try await !eve.put("m1", #"{"mine":1}"#).existed)
      #expect(try await eve.calls.getUsage(.init(), options: eve.options).documentCount == 1)
      #expect(try await ada.get("m1").json == #"{"secret":1}"#)
      // A revision of somebody else's document is not one of mine.
      let stolen = try await refusal {
        try await eve.put("m1", expectedRevision: made.revision)
      }
      #expect(stolen == Refusal(.aborted, "REVISION_MISMATCH"))
    }
  }

  @Test("Of two who change what they have read, the second is told to read again")
  func put_withOldRevision_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let read = try await ada.put("m1", #"{"n":0}"#).revision
      _ = try await ada.put("m1", #"{"n":1}"#, expectedRevision: read)
      let mismatch = Refusal(.aborted, "REVISION_MISMATCH")
      let late = try await refusal {
        try await ada.put("m1", #"{"n":2}"#, expectedRevision: read)
      }
      #expect(late == mismatch)
      #expect(try await refusal { try await ada.delete("m1", expectedRevision: read) } == mismatch)
      #expect(try await ada.get("m1").json == #"{"n":1}"#)
      let gone = try await refusal {
        try await ada.put("m2", expectedRevision: read)
      }
      #expect(gone == mismatch)
      let forged = try await refusal {
        try await ada.put("m1", expectedRevision: "AAAA")
      }
      #expect(forged == Refusal(.invalidArgument, "REVISION_INVALID"))
    }
  }

  @Test("Of sixteen who compare and set at once, every one that succeeds has counted")
  func compareAndSet_counts() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("counter", #"{"n":0}"#)
      let wins = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<16 {
          group.addTask {
            var wins = 0
            while wins < 4 {
              let read = try await ada.get("counter")
              let count = Int(read.json.drop { $0 != ":" }.dropFirst().dropLast()) ?? -1
              let lost = try await refusal {
                try await ada.put(
                  "counter",
                  #"{"n":\#(count + 1)}"#,
                  expectedRevision: read.revision
                )
              }
              if lost == nil { wins += 1 }
            }
            return wins
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(wins == 64)
      #expect(try await ada.get("counter").json == #"{"n":64}"#)
    }
  }

  @Test("What is to be created only is refused when it is there")
  func put_createOnly() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1", #"{"n":1}"#, createOnly: true)
      let again = try await refusal { try await ada.put("m1", createOnly: true) }
      #expect(again == Refusal(.alreadyExists, "DOCUMENT_EXISTS"))
      #expect(try await ada.get("m1").json == #"{"n":1}"#)
    }
  }

  @Test("Merging follows RFC 7396: members are replaced, null removes, the others stay")
  func put_merge() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let cases = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
      ]
      for (index, (before, patch, after)) in cases.enumerated() {
        try await ada.put("m\(index)", before)
        try await ada.put("m\(index)", patch, merge: true)
        #expect(try await ada.get("m\(index)").json == after)
      }
      // Into nothing it is the same as into an empty one.
      try await ada.put("new", #"{"a":null,"b":1}"#, merge: true)
      #expect(try await ada.get("new").json == #"{"b":1}"#)
    }
  }

  @Test("Counters count what everybody adds, server times are those of the change")
  func transforms() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let transforms: [Tenancy_V1.FieldTransform] = [
        .init(field: "stats.streak", transform: .increment(2)),
        .init(field: "seen", transform: .serverTime(true)),
        .init(field: "stats.streak", transform: .increment(-5)),
      ]
      let result = try await ada.put("m1", #"{"stats":{"streak":10}}"#, transforms: transforms)
      #expect(result.transformResults == ["12", #""2026-01-05T12:00:00.000Z""#, "7"])
      #expect(
        try await ada.get("m1").json
          == #"{"stats":{"streak":7},"seen":"2026-01-05T12:00:00.000Z"}"#
      )
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<64 {
          group.addTask {
            try await ada.put(
              "m1",
              merge: true,
              transforms: [.init(field: "visits", transform: .increment(1))]
            )
          }
        }
        try await group.waitForAll()
      }
      #expect(try await ada.get("m1").json.hasSuffix(#","visits":64}"#))
    }
  }

  @Test("A batch is made as a whole or not at all, and each of its changes sees those before it")
  func batch_isAtomic() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("old", #"{"n":1}"#)
      let increment = Tenancy_V1.FieldTransform(field: "n", transform: .increment(1))
      let results = try await ada.write([
        ada.deleting("old"),
        ada.putting("a", #"{"n":1}"#),
        ada.putting("a", merge: true, transforms: [increment]),
        ada.putting("old", createOnly: true),
      ])
      #expect(results.map(\.existed) == [true, false, true, false])
      #expect(results[2].transformResults == ["2"])
      let before = try await ada.pages()
      let failed = try await refusal {
        try await ada.write([
          ada.deleting("a"), ada.putting("b"), ada.putting("old", createOnly: true),
        ])
      }
      #expect(failed == Refusal(.alreadyExists, "DOCUMENT_EXISTS"))
      #expect(try await ada.pages() == before)
      let usage = try await ada.calls.getUsage(.init(), options: ada.options)
      #expect(usage.documentCount == 2)
      #expect(usage.collections.map(\.collection) == ["moods"])
    }
  }

  @Test("A batch of 500 is made, one of 501 is not")
  func batch_ofFiveHundred() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let writes = (0..<501).map { ada.putting("m\($0)") }
      let refused = try await refusal { try await ada.write(writes) }
      #expect(refused == Refusal(.invalidArgument, "FIELD_VIOLATIONS"))
      #expect(try await ada.write(Array(writes.prefix(500))).count == 500)
      #expect(try await ada.calls.getUsage(.init(), options: ada.options).documentCount == 500)
    }
  }

  @Test("A repeated request is not done again, and gets the answer of the first")
  func put_repeated_isDoneOnce() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      func count() async throws -> Tenancy_V1.DocumentWriteResult {
        try await ada.put(
          "m1",
          merge: true,
          transforms: [.init(field: "n", transform: .increment(1))],
          key: "key-1"
        )
      }
      let first = try await count()
      #expect(try await count() == first)
      #expect(try await ada.get("m1").json == #"{"n":1}"#)
      let other = try await refusal { try await ada.put("m2", key: "key-1") }
      #expect(other == Refusal(.alreadyExists, "IDEMPOTENCY_KEY_REUSED"))
    }
  }

  @Test("Every change is in the audit log, without its content")
  func changes_areAudited() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1", #"{"secret":"tulip"}"#)
      try await ada.delete("m1")
      let records = try await stage.service.database.read { tx in
        try tx.query(StoredAuditRecord.columns, "WHERE object = 'moods/m1' ORDER BY sequence")
          .map(\.record)
      }
      #expect(records.map(\.action) == ["document.put", "document.delete"])
      #expect(records.allSatisfy { $0.actor == "user:usr_ada" && $0.scope == "usr_ada" })
      #expect(records.first?.afterDigest == records.last?.beforeDigest)
      #expect(records.first?.afterDigest == Digests.sha256(#"{"secret":"tulip"}"#))
    }
  }

  @Test("Deleting everything leaves nothing of the user, and all of the others")
  func deleteAll_leavesNothing() async throws {
    try await TenancyStage.run { stage in
      let (ada, eve) = (stage.documents(of: "usr_ada"), stage.documents(of: "usr_eve"))
      try await eve.put("m1")
      try await ada.write((0..<500).map { ada.putting("m\($0)") })
      try await stage.documents(of: "usr_ada", in: "sessions").put("s1")
      var counts: [UInt64] = []
      var hasMore = true
      while hasMore {
        let answer = try await ada.calls.deleteAll(.init(), options: ada.options)
        counts.append(answer.deletedCount)
        hasMore = answer.hasMore
      }
      #expect(counts == [500, 1])
      let rows = try await stage.service.database.read { tx in
        try ["document", "document_usage", "legacy_document", "legacy_migration"].map { table in
          try tx.first("SELECT count(*) FROM \(table) WHERE user_id = 'usr_ada'") { $0.integer(0) }
        }
      }
      #expect(rows == [0, 0, 0, 0])
      #expect(try await eve.pages() == [["m1"]])
    }
  }

  @Test("A user who is suspended neither reads nor writes")
  func suspended_mayDoNothing() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1")
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      _ = try await stage.subjects.suspend(.init(userId: "usr_ada"), options: .by("usr_root"))
      let suspended = Refusal(.permissionDenied, "SUBJECT_SUSPENDED")
      #expect(try await refusal { try await ada.get("m1") } == suspended)
      #expect(try await refusal { try await ada.pages() } == suspended)
      #expect(try await refusal { try await ada.put("m2") } == suspended)
      #expect(try await refusal { try await ada.delete("m1") } == suspended)
      let usage = try await refusal {
        try await ada.calls.getUsage(.init(), options: ada.options)
      }
      #expect(usage == suspended)
    }
  }
}
