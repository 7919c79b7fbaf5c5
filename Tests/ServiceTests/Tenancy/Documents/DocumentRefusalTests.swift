import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Documents that are refused")
struct DocumentRefusalTests {
  private static let invalid = Refusal(.invalidArgument, "DOCUMENT_INVALID")
  private static let violation = Refusal(.invalidArgument, "FIELD_VIOLATIONS")

  /// What is wrong with a document, for people.
  private func problem(_ json: String, _ ada: DocumentClient) async throws -> String? {
    do {
      _ = try await ada.put("m1", json)
      return nil
    } catch let error as RPCError {
      #expect(Refusal(error) == Self.invalid)
      return error.message
    }
  }

  @Test(
    "A document that is no JSON object, or not strictly one, is refused with the place of the fault"
  )
  func content_invalid_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
      }
      let faults = [
        (
          nested(100),
          "put.json: is not accepted as JSON: line 1, column 101: nested more than 20 deep"
        ),
        (
          #"{"a":1,"a":2}"#,
          #"put.json: is not accepted as JSON: line 1, column 11: the name "a" is there twice"#
        ),
        (
          "{\n\"a\": 1,\n}",
          "put.json: is not accepted as JSON: line 3, column 1: expected a name in quotes"
        ),
        (
          #"{"a":1} x"#,
          "put.json: is not accepted as JSON: line 1, column 9: unexpected text after the value"
        ),
        (
          #"{"a":"\ud800"}"#,
          "put.json: is not accepted as JSON: line 1, column 13: half of a surrogate pair"
        ),
        ("[1]", "put.json: must be a JSON object, not an array"),
        ("null", "put.json: must be a JSON object, not null"),
        (
          #"{"a":NaN}"#,
          "put.json: is not accepted as JSON: line 1, column 6: this does not begin a value"
        ),
      ]
      for (json, message) in faults {
        let found = try await problem(json, ada)
        #expect(found == message)
      }
      #expect(try await problem(nested(20), ada) == nil)
      #expect(try await ada.get("m1").json == nested(20))
    }
  }

  @Test("Of a batch, an error names the write that it is about, and nothing of it is done")
  func batch_withAFault_namesIt() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let error = await #expect(throws: RPCError.self) {
        try await ada.write([ada.putting("a"), ada.putting("b"), ada.putting("c", "{")])
      }
      #expect(error?.message.hasPrefix("writes[2].put.json: ") == true)
      let empty = try await refusal { try await ada.write([.init()]) }
      #expect(empty == Refusal(.invalidArgument, "REQUIRED"))
      #expect(try await ada.pages() == [[]])
    }
  }

  @Test("256 KiB are a document, a byte more is none, and 10 MB are not even read")
  func content_tooLarge_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      func document(_ byteCount: Int) -> String {
        #"{"t":"\#(String(repeating: "x", count: byteCount - 8))"}"#
      }
      #expect(document(262_144).utf8.count == 262_144)
      try await ada.put("m1", document(262_144))
      let tooLarge = try await refusal { try await ada.put("m2", document(262_145)) }
      #expect(tooLarge == Self.violation)
      // What is small as it is sent, and large as it is stored.
      let bells = String(repeating: "\u{7F}", count: 100_000)
      let grown = try await refusal { try await ada.put("m2", #"{"t":"\#(bells)"}"#) }
      #expect(grown == Refusal(.failedPrecondition, "DOCUMENT_TOO_LARGE"))
      let merged = try await refusal {
        try await ada.put("m1", #"{"u":1}"#, merge: true)
      }
      #expect(merged == Refusal(.failedPrecondition, "DOCUMENT_TOO_LARGE"))
      let huge = try await refusal { try await ada.put("m2", document(10_000_000)) }
      #expect(huge?.code == .resourceExhausted)
      #expect(try await ada.pages() == [["m1"]])
    }
  }

  @Test("Bytes that are not UTF-8 are refused before anybody takes them for text")
  func content_invalidUTF8_isRefused() async throws {
    try await TenancyStage.run { stage in
      // The JSON {"a":"\xFF"} in a PutDocumentRequest, field by field.
      let json: [UInt8] = Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
      let put: [UInt8] =
        [0x0A, 5] + Array("moods".utf8) + [0x12, 2] + Array("m1".utf8)
        + [0x1A, UInt8(json.count)] + json
      let request = RawRequest(bytes: [0x0A, UInt8(put.count)] + put)
      let error = await #expect(throws: RPCError.self) {
        let _: Tenancy_V1.DocumentWriteResult = try await stage.channel.unary(
          Tenancy_V1.DocumentsMethods.put,
          request,
          options: .by("usr_ada")
        )
      }
      #expect(error.map { Refusal($0) } == Refusal(.invalidArgument, "MALFORMED_REQUEST"))
    }
  }

  @Test("Names with slashes, dots in front or another user in them are no names")
  func names_invalid_areRefused() async throws {
    try await TenancyStage.run { stage in
      let collections = [
        "users/usr_eve/moods", "../moods", "moods/", "a/b", "", "1st", "möods", "usr_eve\u{0}x",
        String(repeating: "c", count: 65),
      ]
      for collection in collections {
        let ada = stage.documents(of: "usr_ada", in: collection)
        #expect(try await refusal { try await ada.put("m1") } == Self.violation, "\(collection)")
        #expect(try await refusal { try await ada.get("m1") } == Self.violation)
        #expect(try await refusal { try await ada.pages() } == Self.violation)
      }
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("a.b-c_D9")
      for id in ["", "..", ".hidden", "a/b", "../usr_eve", String(repeating: "i", count: 129)] {
        #expect(try await refusal { try await ada.put(id) } == Self.violation, "\(id)")
        #expect(try await refusal { try await ada.delete(id) } == Self.violation)
      }
    }
  }

  @Test("A counter that would overflow, or is none, is left as it is")
  func counter_overflowing_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1", #"{"n":9223372036854775800,"low":-9223372036854775808,"t":"x"}"#)
      let before = try await ada.get("m1")
      func adding(_ amount: Int64, to field: String) async throws -> Refusal? {
        try await refusal {
          try await ada.put(
            "m1",
            merge: true,
            transforms: [.init(field: field, transform: .increment(amount))]
          )
        }
      }
      let overflow = Refusal(.outOfRange, "COUNTER_OVERFLOW")
      #expect(try await adding(8, to: "n") == overflow)
      #expect(try await adding(-1, to: "low") == overflow)
      let mismatch = Refusal(.failedPrecondition, "FIELD_TYPE_MISMATCH")
      #expect(try await adding(1, to: "t") == mismatch)
      #expect(try await adding(1, to: "n.m") == mismatch)
      #expect(try await ada.get("m1") == before)
      #expect(try await adding(7, to: "n") == nil)
      #expect(try await ada.get("m1").json.hasPrefix(#"{"n":9223372036854775807,"#))
    }
  }

  private func refused(
    _ transform: Tenancy_V1.FieldTransform,
    _ ada: DocumentClient
  ) async throws -> Refusal? {
    let put = Tenancy_V1.DocumentPut(
      collection: "moods",
      documentId: "m1",
      transforms: [transform]
    )
    return try await refusal { try await ada.calls.put(.init(put: put), options: ada.options) }
  }

  private func refused(
    _ list: Tenancy_V1.ListDocumentsRequest,
    _ ada: DocumentClient
  ) async throws -> Refusal? {
    try await refusal { try await ada.calls.list(list, options: ada.options) }
  }

  @Test("Paths and filters that say nothing are refused")
  func paths_invalid_areRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let long = Array(repeating: "a", count: 21).joined(separator: ".")
      for path in [".", "a.", ".a", "a..b", long] {
        let invalid = Refusal(.invalidArgument, "FIELD_PATH_INVALID")
        let transform = try await refused(.init(field: path, transform: .increment(1)), ada)
        #expect(transform == invalid, "\(path)")
        let list = try await refused(.init(collection: "moods", sortField: path), ada)
        #expect(list == invalid, "\(path)")
      }
      let nothing = try await refused(Tenancy_V1.FieldTransform(field: "a"), ada)
      #expect(nothing == Refusal(.invalidArgument, "REQUIRED"))
      let filters: [Tenancy_V1.DocumentFilter] = [
        .init(field: "a"), .init(field: "a", values: ["calm"]), .init(field: "a", values: ["[1]"]),
        .init(field: "a", atLeast: "true"), .init(field: "a", atMost: "{}"),
      ]
      for filter in filters {
        let found = try await refused(.init(collection: "moods", filters: [filter]), ada)
        #expect(found == Refusal(.invalidArgument, "FILTER_INVALID"), "\(filter)")
      }
      let both = try await refused(
        .init(collection: "moods", sortBy: "id", sortField: "a"),
        ada
      )
      #expect(both == Refusal(.invalidArgument, "FIELDS_EXCLUSIVE"))
      let twice = try await refusal {
        try await ada.pages {
          $0.sortBy = "-id"
          $0.descending = true
        }
      }
      #expect(twice == Refusal(.invalidArgument, "FIELDS_EXCLUSIVE"))
    }
  }

  @Test(
    "A quota that is used up lets nothing grow, and everything shrink",
    arguments: ["document_count = 50000", "byte_count = 67108864 - 100"]
  )
  func quota_isKept(used: String) async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1", #"{"text":"aaaaaaaaaa"}"#)
      // As if the rest of the quota were used.
      _ = try await stage.service.database.write { tx in
        try tx.execute("UPDATE document_usage SET \(used)")
      }
      let text = String(repeating: "x", count: 200)
      let refused = try await refusal { try await ada.put("m2", #"{"text":"\#(text)"}"#) }
      #expect(refused == Refusal(.failedPrecondition, "QUOTA_EXCEEDED"))
      #expect(try await refusal { try await ada.get("m2") } == Refusal(.notFound, "NOT_FOUND"))
      try await ada.put("m1", #"{"text":"a"}"#)
      // Only the others' quotas are theirs.
      try await stage.documents(of: "usr_eve").put("m2", #"{"text":"\#(text)"}"#)
      try await ada.delete("m1")
    }
  }

  @Test("A hundred collections are all that a user may have")
  func collections_tooMany_areRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.write(
        (0..<100).map { stage.documents(of: "usr_ada", in: "c\($0)").putting("d") }
      )
      let refused = try await refusal { try await ada.put("m1") }
      #expect(refused == Refusal(.failedPrecondition, "QUOTA_EXCEEDED"))
      // One that goes makes room for another, in one batch and in any order.
      try await ada.write([
        ada.putting("m1"), stage.documents(of: "usr_ada", in: "c7").deleting("d"),
      ])
    }
  }

  @Test("A batch that merges into more than 4 MiB is refused, because everybody would wait for it")
  func merge_ofTooMuch_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let text = String(repeating: "x", count: 250 << 10)
      for number in 0..<17 { try await ada.put("m\(number)", #"{"text":"\#(text)"}"#) }
      func touching(_ count: Int) async throws -> Refusal? {
        try await refusal {
          try await ada.write(
            (0..<count).map { number in
              ada.putting("m\(number)", #"{"n":1}"#, merge: true)
            }
          )
        }
      }
      #expect(try await touching(17) == Refusal(.failedPrecondition, "MERGE_TOO_LARGE"))
      #expect(try await touching(16) == nil)
    }
  }
}

/// A request whose bytes no message would have.
private struct RawRequest: Message {
  static let protobufName = "tenancy.v1.PutDocumentRequest"

  var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init() { bytes = [] }

  init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
    self.bytes = bytes.indices.map { bytes[$0] }
  }

  func append(
    to buffer: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    prefix(&buffer, bytes.count)
    buffer.append(bytes.span)
  }

  func validate(path: String, into violations: inout [FieldViolation]) {}
}
