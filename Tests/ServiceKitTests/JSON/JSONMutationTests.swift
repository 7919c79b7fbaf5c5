import RPCKitTesting
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
    var random = SimulationRandom(seed: 1)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = [UInt8](Self.seeds[round % Self.seeds.count].utf8)
      for _ in 0...random.number(in: 0...2) {
        let place = random.number(in: 0...bytes.count - 1)
        switch random.number(in: 0...3) {
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
