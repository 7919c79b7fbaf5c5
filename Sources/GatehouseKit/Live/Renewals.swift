import Foundation
import Synchronization

/// Fetches rights anew a while before they end, as long as the app is in front.
struct Renewals: Sendable {
  private static let lookAfter = Duration.seconds(30)

  let core: Core
  let rights: Rights

  func run() async {
    var pause = Backoff()
    while !Task.isCancelled {
      let scope = core.scope.withLock { $0 }
      let known = rights.nextInstants()
      let now = core.time.uptime
      let isDue = (known.renewAt ?? now) <= now
      if scope.context != nil, isDue, now >= pause.until {
        do {
          try await rights.refresh()
          pause.clear()
        } catch {
          let delay = (error as? KitError)?.retryAfter
          let random = Double.random(in: 0...1)
          pause.fail(at: core.time.uptime, atLeast: delay, random: random)
        }
      }
      await wait(of: scope, pause)
    }
  }

  /// Waits until something is due, or the person or object is another.
  private func wait(of scope: Core.Scope, _ pause: Backoff) async {
    let known = rights.nextInstants()
    let now = core.time.uptime
    let instants = [known.renewAt, known.endsAt, pause.until].compactMap(\.self)
    let next = instants.filter { $0 > now }.min() ?? now + Self.lookAfter
    await withTaskGroup { group in
      group.addTask { [core] in try? await core.time.wait(until: next) }
      group.addTask { [core] in
        for await other in core.scopes.values where other.number != scope.number { return }
      }
      await group.next()
      group.cancelAll()
    }
    if let end = known.endsAt, end > now, core.time.uptime >= end { rights.noteTime() }
  }
}
