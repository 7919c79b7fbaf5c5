/// Which event an action is that the audit log names.
///
/// A service that keeps events has a rule for each action that is news to other systems; writing the audit record
/// writes the event, so that none can be forgotten where the action is done.
public struct EventRule: Sendable {
  /// Where the record of the action has the person it is about.
  public enum Person: Sendable {
    /// The object is the person.
    case object
    /// The acting user is.
    case actor
    /// There is none.
    case nobody
  }

  package let type: String
  let person: Person
  private let members: KeyValuePairs<String, String?>

  /// Makes a rule: the event's type, whom it is about, and members that all events of the action have.
  public init(
    _ type: StaticString,
    about person: Person = .object,
    _ members: KeyValuePairs<String, String?> = [:]
  ) {
    self.type = "\(type)"
    self.person = person
    self.members = members
  }

  /// The members that all events of the action have, a JSON object.
  package var data: String { EventData(members).text }

  /// The event of an action that was done, at an instant in milliseconds since 1970.
  func event(of record: AuditRecord, at now: Int64) -> Event {
    Event(
      recordedAt: now,
      type: type,
      object: record.object,
      scope: record.scope,
      userID: userID(of: record),
      actor: record.actor,
      requestID: record.requestID,
      data: data
    )
  }

  private func userID(of record: AuditRecord) -> String {
    switch person {
    case .object: record.object
    case .actor: AuditActor.userID(of: record.onBehalfOf ?? record.actor) ?? ""
    case .nobody: ""
    }
  }
}

/// The rules of a service, by action.
public typealias EventRules = [String: EventRule]
