import RPCKit
import Testing

@testable import PackedTables
@testable import TenancyService

@Suite("Arrays in large pages")
struct LargeArrayTests {
  @Test(
    "Random steps leave the same as an array of the standard library",
    arguments: [10, 400_000]
  )
  func steps_againstArray_agree(count: Int) {
    var (actual, expected) = (LargeArray<UInt64>(), [UInt64]())
    var generator = SystemRandomNumberGenerator()
    while expected.count < count {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let added = Int.random(in: 0...count / 4, using: &generator)
        actual.append(repeating: UInt64(added), count: added)
        expected += [UInt64](repeating: UInt64(added), count: added)
      case 1 where !expected.isEmpty:
        let index = Int.random(in: 0..<expected.count, using: &generator)
        actual[index] += 1
        expected[index] += 1
      default:
        let number = UInt64.random(in: 0...100, using: &generator)
        actual.append(number)
        expected.append(number)
      }
    }
    #expect(actual.count == expected.count)
    #expect(actual.indices.map { actual[$0] } == expected)
    #expect(actual.count { $0 == 7 } == expected.count { $0 == 7 })
  }

  @Test("A copy keeps what it was copied with", arguments: [3, 1_000_000])
  func copy_originalChanged_stays(count: Int) {
    var original = LargeArray<UInt32>(repeating: 1, count: count)
    let copy = original
    original[count / 2] = 2
    original.append(3)
    #expect(copy.count == count && copy[count / 2] == 1)
    #expect(original.count == count + 1 && original[count / 2] == 2 && original[count] == 3)
    var another = copy
    another[0] = 9
    #expect(copy[0] == 1 && another[0] == 9 && original[0] == 1)
  }

  @Test("Memory is given back: many large arrays need no more than a few")
  func arrays_manyLarge_areFreed() throws {
    let before = try residentByteCount()
    for number in 0..<200 {
      let array = LargeArray<UInt64>(repeating: UInt64(number), count: 1_000_000)
      #expect(array[999_999] == UInt64(number))
    }
    // 200 arrays of 8 MB; other tests of this process use memory meanwhile.
    #expect(try residentByteCount() - before < 1_000_000_000)
  }

  private func residentByteCount() throws -> Int {
    let text = String(
      decoding: try FileBytes.read("/proc/self/statm", byteCountMax: 4096),
      as: UTF8.self
    )
    return try #require(Int(text.split(separator: " ")[1])) * 4096
  }
}
