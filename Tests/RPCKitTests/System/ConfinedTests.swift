import Glibc
import Testing

@testable import RPCKit

/// State that only one thread uses.
@Suite struct ConfinedTests {
  /// An owner as there are in the library, with a value that is freed with it.
  private final class Owner {
    struct State: ~Copyable {
      var number = 1
      let token: Token

      mutating func change(while body: () -> Void) {
        number += 1
        body()
      }

      func read(while body: () -> Void) -> Int {
        body()
        return number
      }
    }

    final class Token {}

    let confinedState: Confined<State>
    var state: State {
      _read { yield confinedState.value }
      _modify { yield &confinedState.value }
    }

    init(_ token: Token) {
      confinedState = Confined(State(token: token))
    }
  }

  /// Keeps the runtime from spending a minute on the symbols of a trap that is expected.
  private static func diesWithoutReport() {
    for signal in [SIGILL, SIGTRAP, SIGABRT] { _ = Glibc.signal(signal, SIG_DFL) }
  }

  @Test("Changes are seen by later uses, also after a use that threw")
  func changes_areSeen() {
    struct Failure: Error {}
    func fail(_ number: inout Int) throws(Failure) {
      number += 1
      throw Failure()
    }
    let owner = Owner(Owner.Token())
    owner.state.number += 1
    #expect(throws: Failure.self) { try fail(&owner.state.number) }
    owner.state.change {}
    #expect(owner.state.read {} == 4)
  }

  @Test("Uses that only read may overlap")
  func reads_mayOverlap() {
    let owner = Owner(Owner.Token())
    var inner = 0
    let outer = owner.state.read { inner = owner.state.number }
    #expect(inner == 1 && outer == 1)
    owner.state.number = 2
    #expect(owner.state.number == 2)
  }

  @Test("The value is freed with its owner")
  func value_isFreedWithItsOwner() {
    weak var token: Owner.Token?
    do {
      let kept = Owner.Token()
      token = kept
      _ = Owner(kept)
    }
    #expect(token == nil)
  }

  @Test("A change in the middle of a change ends the process")
  func changeWhileChanging_traps() async {
    await #expect(processExitsWith: .failure) {
      ConfinedTests.diesWithoutReport()
      let owner = Owner(Owner.Token())
      owner.state.change { owner.state.number = 0 }
    }
  }

  @Test("A change in the middle of a read ends the process")
  func changeWhileReading_traps() async {
    await #expect(processExitsWith: .failure) {
      ConfinedTests.diesWithoutReport()
      let owner = Owner(Owner.Token())
      _ = owner.state.read { owner.state.number = 0 }
    }
  }

  @Test("A read in the middle of a change ends the process")
  func readWhileChanging_traps() async {
    await #expect(processExitsWith: .failure) {
      ConfinedTests.diesWithoutReport()
      let owner = Owner(Owner.Token())
      owner.state.change { _ = owner.state.number }
    }
  }
}
