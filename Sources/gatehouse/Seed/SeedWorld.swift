/// People and what they use a product for, as data: `Seeder` makes what of it is not there yet.
///
/// Texts of requests name a person or thing as `{key}`, which stands for its identifier.
struct SeedWorld: Sendable {
  /// The part of addresses behind the `@`; keys of people stand before it.
  let domain: String
  let people: [Person]
  var things: [Thing] = []
  var roles: [Role] = []
  var steps: [Step] = []
  /// The PIN of the family whose parent mode takes what is guarded; nil for none.
  var familyPin: FamilyPin?
  /// The commands to type after signing in.
  let next: [String]

  /// A person with an account.
  struct Person: Sendable {
    let key: String
    let name: String
    /// The person's part in this world.
    let about: String
  }

  /// The PIN of a family.
  struct FamilyPin: Sendable {
    /// The key of the family.
    let family: String
    let pin: String
    /// The organizer who sets it.
    let by: String
  }

  /// An entity.
  struct Thing: Sendable {
    let key: String
    let type: String
    let name: String
    /// The key of the entity above; nil for a root.
    var parent: String?
    /// The creator.
    let by: String
    /// JSON.
    var attributes = "{}"
  }

  /// A role of a person on a thing.
  struct Role: Sendable {
    let role: String
    let to: String
    let on: String
    /// The granter.
    let by: String
    /// How many days it lasts; nil is without an end.
    var days: Int64?
    /// Whether it is granted in parent mode.
    var isGuarded = false
  }

  /// Another call, repeated in each run unless something is there already.
  ///
  /// Methods that are called here do nothing when they are called again, or refuse with ALREADY_EXISTS.
  struct Step: Sendable {
    let by: String
    let method: String
    /// JSON.
    let request: String
    var unless: Lookup?
    /// Whether it is called in parent mode.
    var isGuarded = false
  }

  /// A call whose answer says whether something is there: a list with an element, or with a certain one.
  struct Lookup: Sendable {
    let method: String
    /// JSON.
    let request: String
    let list: String
    /// The application that the element is about; nil is any element.
    var app: String?
  }
}

extension SeedProduct {
  /// The world to create.
  var world: SeedWorld {
    switch self {
    case .stables: .stables
    case .family: .family
    case .journal: .journal
    case .smartHome: .smartHome
    }
  }
}
