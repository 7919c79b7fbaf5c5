import Testing

@testable import RPCKit

@Suite("The machine of one connection slot")
struct ConnectionSlotMachineTests {
  @Test("is idle until somebody wants it")
  func idle() {
    var machine = ConnectionSlotMachine.idle
    #expect(machine.connect() == .connect)
    #expect(machine.connect() == .ignore)
    var released = ConnectionSlotMachine.idle
    #expect(released.release() == .closed)
    #expect(released.connect() == .ignore)
  }

  @Test("connecting becomes ready, backs off, or drains")
  func connecting() {
    var machine = ConnectionSlotMachine.connecting(failures: 2)
    #expect(machine.connect() == .ignore)
    #expect(machine.lost(wasUseful: false) == .backOff(failures: 3))
    #expect(machine.connect() == .connect)
    #expect(machine.connected() == .announce)
    #expect(machine.lost(wasUseful: false) == .backOff(failures: 4))
    var released = ConnectionSlotMachine.connecting(failures: 0)
    #expect(released.release() == .drainConnection)
    #expect(released.connected() == .ignore)
    #expect(released.lost(wasUseful: false) == .closed)
  }

  @Test("ready connects anew after use, and after a first GOAWAY without use")
  func ready() {
    var useful = ConnectionSlotMachine.ready(failures: 3)
    #expect(useful.connect() == .ignore)
    #expect(useful.lost(wasUseful: true) == .connect)
    #expect(useful.lost(wasUseful: false) == .backOff(failures: 1))
    var retired = ConnectionSlotMachine.ready(failures: 0)
    #expect(retired.retired(wasUseful: false) == .connect)
    #expect(retired.connected() == .announce)
    #expect(retired.retired(wasUseful: false) == .backOff(failures: 2))
    var worn = ConnectionSlotMachine.ready(failures: 9)
    #expect(worn.retired(wasUseful: true) == .connect)
    #expect(worn.connected() == .announce)
    #expect(worn.release() == .drainConnection)
  }

  @Test("in back-off can be released")
  func backingOff() {
    var machine = ConnectionSlotMachine.backingOff(failures: 1)
    #expect(machine.release() == .closed)
    #expect(machine.release() == .ignore)
  }

  @Test("draining waits for its connection and nothing else")
  func draining() {
    var machine = ConnectionSlotMachine.draining
    #expect(machine.connect() == .ignore)
    #expect(machine.connected() == .ignore)
    #expect(machine.retired(wasUseful: true) == .ignore)
    #expect(machine.release() == .ignore)
    #expect(machine.lost(wasUseful: true) == .closed)
  }

  @Test("closed ignores everything")
  func closed() {
    var machine = ConnectionSlotMachine.closed
    #expect(machine.connect() == .ignore)
    #expect(machine.connected() == .ignore)
    #expect(machine.lost(wasUseful: true) == .ignore)
    #expect(machine.retired(wasUseful: true) == .ignore)
    #expect(machine.release() == .ignore)
  }
}
