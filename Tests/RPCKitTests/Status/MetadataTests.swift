import Testing

@testable import RPCKit

@Suite("Metadata")
struct MetadataTests {
  @Test("keeps keys in lower case, and finds them whatever their case")
  func keys_areLowerCase() {
    var metadata: Metadata = ["Tenant-ID": "f9"]
    #expect(metadata.entries == [.init(key: "tenant-id", value: "f9")])
    #expect(metadata["TENANT-id"] == "f9")
    metadata["Tenant-Id"] = "g0"
    #expect(metadata.entries == [.init(key: "tenant-id", value: "g0")])
  }

  @Test("keeps all values of a key in order, and gives the first")
  func values_areKeptInOrder() {
    let metadata: Metadata = ["a": "1", "b": "2", "A": "3"]
    #expect(metadata.values("a") == ["1", "3"])
    #expect(metadata["a"] == "1" && metadata["c"] == nil && metadata.values("c") == [])
    #expect(metadata.count == 3)
  }

  @Test("replaces all values of a key by one, or by none")
  func assignment_replacesAll() {
    var metadata: Metadata = ["a": "1", "b": "2", "a": "3"]
    metadata["a"] = "4"
    #expect(metadata.entries.map(\.value) == ["2", "4"])
    metadata["b"] = nil
    metadata["a"] = nil
    #expect(metadata.isEmpty)
  }
}
