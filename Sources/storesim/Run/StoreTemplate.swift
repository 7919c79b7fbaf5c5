import ServiceKit

/// The store with which each seed begins, made by a program without faults.
enum StoreTemplate {
  static func make(at path: String, in folder: String) {
    let schedule = Schedule(seed: 0)
    let cluster = Cluster(folder: folder, template: nil, schedule: schedule)
    Hooks.stage.schedule = schedule
    Hooks.stage.cluster = cluster
    schedule.start(nil) {
      guard let location = PostgresLocation(Household.address) else {
        preconditionFailure("it is one")
      }
      do {
        let database = try await Database.open(
          DatabaseConfiguration(.server(location), applicationID: Household.applicationID),
          migrations: Household.migrations
        )
        await database.close()
      } catch {
        fatalError("the store cannot be made: \(error)")
      }
    }
    guard schedule.run(until: .max, while: { !schedule.isIdle }) else {
      fatalError("no store is made")
    }
    fill(cluster.primary.path)
    ServerFile.copy(cluster.primary.path, to: path)
  }

  private static func fill(_ path: String) {
    let file = ServerFile(path)
    for (house, people) in Household.firstOwners {
      for person in people { file.run("INSERT INTO owner VALUES ('\(house)', '\(person)')") }
    }
    for account in Household.accounts {
      file.run("INSERT INTO account VALUES ('\(account)', \(World.firstBalance))")
    }
  }
}
