import Testing

@testable import ServiceKit

/// Which hosts of an address are tried one by one.
@Suite("Hosts of an address of PostgreSQL")
struct PostgresHostsTests {
  private func hosts(
    _ given: [String: String],
    _ environment: [String: String] = [:]
  ) -> PostgresHosts {
    PostgresHosts(given: given, defaultPort: "5432", environment: environment)
  }

  @Test(
    "Each of several hosts comes with what names it, in their order",
    arguments: [
      (["host": "a,b"], [["host": "a"], ["host": "b"]]),
      (["host": "a,b", "port": "6"], [["host": "a", "port": "6"], ["host": "b", "port": "6"]]),
      (
        ["host": "a,b", "port": ",7"],
        [["host": "a", "port": "5432"], ["host": "b", "port": "7"]]
      ),
      (["host": "/run/a,::1"], [["host": "/run/a"], ["host": "::1"]]),
      (["hostaddr": "10.0.0.1,10.0.0.2"], [["hostaddr": "10.0.0.1"], ["hostaddr": "10.0.0.2"]]),
      (
        ["host": "a,b", "hostaddr": "10.0.0.1,10.0.0.2", "port": "1,2"],
        [
          ["host": "a", "hostaddr": "10.0.0.1", "port": "1"],
          ["host": "b", "hostaddr": "10.0.0.2", "port": "2"],
        ]
      ),
    ]
  )
  func several_areListed(_ given: [String: String], _ expected: [PostgresHosts.Host]) {
    #expect(hosts(given).inOrder == expected)
    #expect(hosts(given).areSeveral)
  }

  @Test(
    "One host, none, and lists that do not fit together are left to libpq",
    arguments: [
      [:], ["host": ""], ["host": "a"], ["host": "a,"], ["host": "a", "port": "1,2"],
      ["host": "a,b", "port": "1,2,3"], ["host": "a,b", "hostaddr": "10.0.0.1"],
      ["hostaddr": "10.0.0.1,"], ["host": "a,b", "service": "gatehouse"],
      ["host": "a,b", "target_session_attrs": "prefer-standby"],
    ]
  )
  func others_areLeft(_ given: [String: String]) {
    #expect(hosts(given).inOrder == [[:]])
    #expect(!hosts(given).areSeveral)
  }

  @Test(
    "Lists of the environment are left to libpq, what holds for each host is not",
    arguments: [
      (["PGHOST": "x,y", "PGPORT": "5433"], 2), (["PGPORT": "1,2"], 1), (["PGSERVICE": "s"], 1),
      (["PGHOSTADDR": "10.0.0.1,10.0.0.2"], 1),
    ]
  )
  func environment_isHeeded(_ environment: [String: String], _ count: Int) {
    #expect(hosts(["host": "a,b"], environment).inOrder.count == count)
  }

  @Test("Hosts that share the load are tried in any order, by the address or the environment")
  func balancing_shuffles() {
    let names = (0..<8).map(String.init)
    let list = names.joined(separator: ",")
    let shuffled = [
      hosts(["host": list, "load_balance_hosts": "random"]),
      hosts(["host": list], ["PGLOADBALANCEHOSTS": "random"]),
    ]
    for one in shuffled {
      let orders = (0..<20).map { _ in one.inOrder.compactMap { $0["host"] } }
      #expect(orders.allSatisfy { $0.sorted() == names })
      #expect(Set(orders).count > 1)
    }
    let fixed = hosts(
      ["host": list, "load_balance_hosts": "disable"],
      ["PGLOADBALANCEHOSTS": "random"]
    )
    #expect(fixed.inOrder.compactMap { $0["host"] } == names)
  }

  @Test("A host is named by its name or address, and by its port if that is said")
  func name_isShort() {
    #expect(PostgresHosts.name(["host": "a", "hostaddr": "10.0.0.1", "port": "1"]) == "a:1")
    #expect(PostgresHosts.name(["hostaddr": "10.0.0.1"]) == "10.0.0.1")
  }

  @Test("The highest timeline stays, and all hosts are looked at once")
  func memory_keepsTheHighest() {
    let memory = StoreTimeline()
    #expect(memory.highest == 0)
    memory.note(3)
    memory.note(2)
    #expect(memory.highest == 3)
    #expect(memory.beginLooking())
    #expect(!memory.beginLooking())
  }
}
