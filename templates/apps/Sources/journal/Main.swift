import GatehouseKit
import SampleSupport

/// A mood of the journal.
struct Mood: Codable, Equatable, Sendable {
  var level: Int
  var note: String?
}

@main
enum Journal {
  static func main() async {
    await Sample.run {
      let gatehouse = Sample.gatehouse("journal")
      try await Sample.enter(gatehouse, email: "journal@example.com", name: "Uma")
      let moods = gatehouse.documents.collection("moods", as: Mood.self)
      let writer = Task {
        let revision = try await moods.put("today", Mood(level: 3))
        try await moods.put("today", Mood(level: 4, note: "walked"), ifRevision: revision)
      }
      for try await list in moods.live() where list.isCurrent {
        print("moods:", list.documents.map { "\($0.id) \($0.content.level)" })
        if list.documents.first?.content.note == "walked" { break }
      }
      try await writer.value
      try await conflict(moods)
      try await moods.remove("today")
      print("server knows of the sign-out:", try await gatehouse.account.signOut())
    }
  }

  /// A change that another device's has overtaken is refused, and says so to the person.
  static func conflict(_ moods: DocumentCollection<Mood>) async throws {
    let old = try await moods.get("today").revision
    try await moods.put("today", Mood(level: 5))
    do {
      try await moods.put("today", Mood(level: 1), ifRevision: old)
    } catch let error as KitError where error.kind == .conflict {
      print(error.sentence())
    }
  }
}
