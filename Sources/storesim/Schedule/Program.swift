/// One life of a simulated program, from its start until it ends or is killed.
///
/// Threads and tasks belong to one, and run only while it does.
final class Program: @unchecked Sendable {
  // @unchecked: one thread of the simulation runs at a time, as in all its classes.

  /// Names it in the account of a run: `p1.2` is the second life of the first program.
  let name: String
  /// Which of the programs it is.
  let place: Int
  /// Killed: what it still does changes nothing.
  var isDead = false
  /// Until when it is stopped, in microseconds of the simulation.
  var stoppedUntil: Int64 = 0

  init(place: Int, life: Int) {
    self.place = place
    name = "p\(place + 1).\(life)"
  }
}
