extension Simulation {
  /// Ends everything in the simulation, so that nothing of it stays in memory.
  ///
  /// Closes the connections of its networks, cancels the tasks that `start` made, runs until they have
  /// ended, and lets go of all that the loops still hold: what waits for a loop holds the loop, and
  /// neither would be freed. Nothing may be started afterwards. Within `Teardown.run` a simulation ends by
  /// itself.
  ///
  /// Throws `SimulationError.stuck` when a task neither ends nor heeds that it was cancelled.
  public func end() throws(SimulationError) {
    defer { letGo() }
    for network in networks { network.network?.end() }
    for (_, cancel) in tasks.sorted(by: { $0.key < $1.key }) { cancel() }
    turnCountMax += turnCount
    try run(within: .seconds(3600)) { tasks.isEmpty }
    // Handlers and calls that were cancelled clean up after those.
    try run(within: .seconds(60)) { timerCount == 0 }
    try settle()
    guard tasks.isEmpty else { throw .stuck(seed: seed) }
  }

  private func letGo() {
    tasks = [:]
    forgetArrivals()
    for network in networks { network.network?.letGo() }
    for loop in loops { loop.letGo() }
  }

  /// A network, whose own life is its user's matter.
  struct Attached {
    weak var network: SimulatedNetwork?
  }
}
