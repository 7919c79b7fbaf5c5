import PeerContracts
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Objects that an app was sent")
struct SentObjectsTests {
  private static func document(_ id: String, in collection: String = "moods") -> Tenancy_V1.AppEvent
  {
    Tenancy_V1.AppEvent(kind: .document, objectId: id, collection: collection)
  }

  @Test("A change is repeated if its object was read with it, and not because another one was")
  func change_readBefore_isRepeated() {
    var sent = SentObjects(reflecting: 4)
    #expect(sent.mayHave(Self.document("m1"), of: 4))
    #expect(!sent.mayHave(Self.document("m1"), of: 5))
    // Change 5 was published when a read saw 5, 6 and 7.
    sent.add([Self.document("m1")], reflecting: 7, position: 5)
    #expect(sent.mayHave(Self.document("m1"), of: 7))
    #expect(!sent.mayHave(Self.document("m1"), of: 8))
    #expect(!sent.mayHave(Self.document("s1"), of: 6))
    #expect(!sent.mayHave(Self.document("m1", in: "goals"), of: 6))
    sent.add([Self.document("s1")], reflecting: 9, position: 6)
    #expect(sent.mayHave(Self.document("m1"), of: 7))
    #expect(sent.mayHave(Self.document("s1"), of: 9))
  }

  @Test("Of very many objects ahead of a position, any change may be repeated")
  func objects_many_areBounded() {
    let many = (0..<AppWatchLimits.sentCountMax).map { Self.document("m\($0)") }
    var sent = SentObjects(reflecting: 4)
    sent.add(many, reflecting: 9, position: 5)
    #expect(!sent.mayHave(Self.document("s1"), of: 9))
    sent.add([Self.document("s2")], reflecting: 9, position: 6)
    #expect(sent.mayHave(Self.document("s1"), of: 9))
    #expect(!sent.mayHave(Self.document("m1"), of: 10))
  }
}
