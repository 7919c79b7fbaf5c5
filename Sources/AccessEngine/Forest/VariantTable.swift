/// Roles of tenants' own: variants of roles of the policy, found by their numbers.
///
/// A number is given to another one only after `release`, so that an association which still has it grants nothing.
struct VariantTable: Sendable {
  /// A tenant-defined role.
  struct Variant: Sendable {
    let id: String
    let name: String
    /// The tenant.
    let root: UInt32
    let base: RoleID
    let actions: ActionSet
    /// Whether it stands for its base role inside the tenant.
    let replacesBase: Bool
  }

  private struct Replaced: Hashable, Sendable {
    let root: UInt32
    let role: RoleID
  }

  /// The number of one that is not there: it grants nothing.
  static let unknown = UInt32.max

  private var entries: [Variant?] = []
  /// Numbers that are free again.
  private var free: [UInt32] = []
  private var numbers: [String: UInt32] = [:]
  private var replacing: [Replaced: UInt32] = [:]

  /// Whether no tenant has any.
  var isEmpty: Bool { numbers.isEmpty }

  /// All of them.
  var all: [Variant] { entries.compactMap(\.self) }

  /// The one of a number, which is not 0; nil when it is gone.
  subscript(_ number: UInt32) -> Variant? {
    Int(number) <= entries.count ? entries[Int(number) - 1] : nil
  }

  /// The one of an identifier.
  subscript(_ id: String) -> Variant? { numbers[id].flatMap { self[$0] } }

  /// Whether the one of a number includes an action.
  func includes(_ action: ActionID, in number: UInt32) -> Bool {
    self[number]?.actions.contains(action) ?? false
  }

  /// The number of one that is held in a tenant; `unknown` when the tenant has no such role.
  func number(of id: String, root: UInt32) -> UInt32 {
    guard let number = numbers[id], self[number]?.root == root else { return Self.unknown }
    return number
  }

  /// The number of the one that stands for a role of the policy inside a tenant; 0 when none does.
  func number(replacing role: RoleID, root: UInt32) -> UInt32 {
    replacing[Replaced(root: root, role: role)] ?? 0
  }

  /// Adds one, or gives the one of the same identifier other actions.
  mutating func put(_ variant: Variant) {
    if let number = numbers[variant.id] {
      entries[Int(number) - 1] = variant
      return
    }
    let number = free.popLast() ?? UInt32(entries.count + 1)
    if Int(number) > entries.count {
      entries.append(variant)
    } else {
      entries[Int(number) - 1] = variant
    }
    numbers[variant.id] = number
    guard variant.replacesBase else { return }
    replacing[Replaced(root: variant.root, role: variant.base)] = number
  }

  /// Removes one together with all associations of its tenant, so that its number can be another one's.
  mutating func release(_ id: String) {
    guard let number = numbers[id], remove(id) != nil else { return }
    free.append(number)
  }

  /// Removes one; what it was, if it was there.
  mutating func remove(_ id: String) -> Variant? {
    guard let number = numbers.removeValue(forKey: id) else { return nil }
    let variant = entries[Int(number) - 1]
    entries[Int(number) - 1] = nil
    if let variant, variant.replacesBase {
      replacing[Replaced(root: variant.root, role: variant.base)] = nil
    }
    return variant
  }
}

/// Some of the actions of a policy, as bits.
struct ActionSet: Hashable, Sendable {
  private var words: [UInt64] = []

  init(_ actions: [ActionID]) {
    for action in actions {
      let word = Int(action.index) / 64
      while words.count <= word { words.append(0) }
      words[word] |= 1 << UInt64(action.index % 64)
    }
  }

  func contains(_ action: ActionID) -> Bool {
    let word = Int(action.index) / 64
    return word < words.count && words[word] >> UInt64(action.index % 64) & 1 == 1
  }
}
