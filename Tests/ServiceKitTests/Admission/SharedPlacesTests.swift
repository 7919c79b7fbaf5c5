import Testing

@testable import ServiceKit

@Suite("Places that everybody shares")
struct SharedPlacesTests {
  private static let bound = SharedBound(total: 20, share: 2, ofEach: .account)

  private func name(_ number: Int) -> [UInt8] { Array("usr_\(number)".utf8) }

  @Test("A holder has its share, and gets a place back for each that it gives back")
  func take_atTheShare_isRefused() {
    var places = SharedPlaces(Self.bound)
    #expect(places.take(name(1)) == .taken)
    #expect(places.take(name(1)) == .taken)
    #expect(places.take(name(1)) == .refused(.share))
    #expect(places.take(name(2)) == .taken)
    places.release(name(1))
    #expect(places.take(name(1)) == .taken)
    #expect(places.count == 3)
  }

  @Test("When all are taken, who has most makes room for who has fewer, and nobody else does")
  func take_atTheTotal_replacesTheLargest() {
    var places = SharedPlaces(Self.bound)
    for number in 0..<10 { for _ in 0..<2 { #expect(places.take(name(number)) == .taken) } }
    var victims: Set<[UInt8]> = []
    for number in 10..<20 {
      guard case .replaces(let victim) = places.take(name(number)) else {
        Issue.record("newcomer \(number) was refused")
        return
      }
      victims.insert(victim)
    }
    #expect(victims == Set((0..<10).map { name($0) }))
    // All have one now.
    #expect(places.take(name(20)) == .refused(.total))
    #expect(places.take(name(0)) == .refused(.total))
    #expect(places.take([]) == .refused(.total))
    #expect(places.count == 20)
  }

  @Test("Callers who cannot be told apart have no share and make room for nobody")
  func take_nobody_isNoVictim() {
    var places = SharedPlaces(Self.bound)
    for _ in 0..<20 { #expect(places.take([]) == .taken) }
    #expect(places.take(name(1)) == .refused(.total))
    places.reset(to: [(holder: name(1), count: 2), (holder: [], count: 18)])
    #expect(places.take([]) == .replaces(name(1)))
    places.release([])
    #expect(places.take(name(2)) == .taken)
    #expect(places.count == 20 && places.count(of: name(1)) == 1)
  }
}
