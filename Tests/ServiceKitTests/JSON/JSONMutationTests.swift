import ServiceKit
import Testing

@Suite("JSON that somebody tampered with")
struct JSONMutationTests {
  private static let seeds = [
    #"{"alg":"ES256","kid":"a","typ":"at+jwt","crit":[],"x":{"y":[1,2.5e3,-0,true,null,"\u00e9\n"]}}"#,
    #"[[[[[[[["deep"]]]]]]]]"#, #""\ud83d\ude00""#, "-12.5E+10",
  ]

  @Test("Whatever bytes change, the reader gives a value that it reads again, or an error")
  func read_mutatedText_neverTraps() throws {
    let limits = JSONLimits(byteCountMax: 512, depthMax: 16, valueCountMax: 64)
    var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = [UInt8](Self.seeds[round % Self.seeds.count].utf8)
      for _ in 0...random.below(3) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 2 where bytes.count > 1: bytes.remove(at: place)
        default: bytes.append(contentsOf: bytes[place...].prefix(64))
        }
      }
      guard let value = try? JSONReader.read(bytes, limits: limits) else { continue }
      accepted += 1
      let again = try JSONReader.read(
        [UInt8](value.text.utf8),
        limits: JSONLimits(byteCountMax: 4096)
      )
      #expect(again == value)
    }
    // Mutations that never leave the grammar intact would prove nothing.
    #expect(accepted > 100)
  }
}

/// Marsaglia's generator; its seed replays a run.
private struct Xorshift {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
