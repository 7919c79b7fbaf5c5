import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Server: handshakes that make room", .teardown)
struct HandshakeTableTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  private func connection(from source: String) -> UndecidedConnection {
    let resources = fixture.server.resources[0]
    let transport = MemoryTransport(loop: resources.loop, address: source)
    return UndecidedConnection(transport, core: fixture.server.core, resources: resources)
  }

  /// A table of one loop in which sources that flood have taken all places, 64 sources with 8 each, after `good` began.
  private func flooded(_ good: UndecidedConnection) -> HandshakeTable {
    var limits = Limits()
    limits.handshakeCountMax = 512
    limits.handshakesPerSourceMax = 512
    var table = HandshakeTable(limits, loopCount: 1)
    #expect(table.begin(good, now: Self.start).victim == nil)
    for index in 0..<511 {
      #expect(table.begin(connection(from: "\(index % 64)"), now: Self.start).victim == nil)
    }
    return table
  }

  @Test("Sources that flood push out their own, however many they are")
  func begin_manySources_spareTheOthers() throws {
    var table = flooded(connection(from: "good"))
    let later = Self.start.advanced(by: .seconds(1))
    for index in 0..<2000 {
      let newcomer = connection(from: "\(index % 64)")
      let victim = try #require(table.begin(newcomer, now: later).victim)
      #expect(victim.connection.source == newcomer.source && victim.limit == .handshakes)
    }
  }

  @Test("A source with few handshakes gets in, at the cost of the oldest")
  func begin_newSource_getsIn() throws {
    let good = connection(from: "good")
    var table = flooded(good)
    let later = Self.start.advanced(by: .seconds(1))
    let (_, victim) = table.begin(connection(from: "other"), now: later)
    #expect(try #require(victim).connection === good)
  }
}
