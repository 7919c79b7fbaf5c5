/// One way to call one method, and who may.
///
/// A request is the JSON that the command line takes, with names in `<…>` for what it is about; see
/// `MatrixStage.value`.
struct MatrixRow: Sendable {
  /// What a call is about, which says who may know of it.
  enum Object: Sendable {
    /// Nothing of anybody's: everyone gets an answer of their own.
    case none
    case portfolio
    case property
    case unit
    case device
    /// A pass that a guest has for a device.
    case pass
    /// A session or the rights of a user, which are nobody else's; operators read some of it.
    case self_
    /// Of another user, which operators alone read; the others are told that there is none.
    case somebody
    /// What belongs to operators as a whole.
    case system
    /// For services; users are kept out before the handler.
    case service
    /// Of a product that is not the smart home: nobody may, and everybody is told that there is none.
    case foreignProduct
    /// Of a service that this installation does not have, because its policy has no use for it.
    case unserved

    /// Who may know of the object of their own house; the others are told that there is none, and
    /// suspended users the same of everything.
    var knowing: Set<MatrixRole> {
      switch self {
      case .none, .self_, .system, .service, .unserved: .everyone
      case .somebody: .operators
      case .foreignProduct: []
      case .portfolio: .portfolioStaff
      case .property: .staff
      case .unit: .unitUsers
      case .device: .deviceUsers
      case .pass: .passUsers
      }
    }

    /// Whether the same call can be made about somebody else's.
    var isOwned: Bool {
      switch self {
      case .none, .somebody, .system, .service, .unserved: false
      case .portfolio, .property, .unit, .device, .pass, .self_, .foreignProduct: true
      }
    }
  }

  /// `Portfolios/Create`.
  let method: String
  let object: Object
  let allowed: Set<MatrixRole>
  let request: String
  /// What an answer says that allows something, for methods that answer denials; nil for those that
  /// fail then.
  let yes: String?
  /// Whether the session that made the call is over after it.
  let endsSession: Bool
  /// Whether operators are answered about what does not exist too: EntitlementService does not know what does.
  let tellsOperators: Bool

  init(
    _ method: String,
    _ object: Object,
    _ allowed: Set<MatrixRole>,
    _ request: String = "{}",
    yes: String? = nil,
    endsSession: Bool = false,
    tellsOperators: Bool = false
  ) {
    self.method = method
    self.object = object
    self.allowed = allowed
    self.request = request
    self.yes = yes
    self.endsSession = endsSession
    self.tellsOperators = tellsOperators
  }
}
