import Foundation

/// Every word that means something to a compiler of generated code, or to generated code itself.
///
/// The toolchain is asked where it can be, so that a newer one brings its new words along.
enum Words {
  /// All of them, in a fixed order, as names that protoc accepts.
  static func all() throws -> [String] {
    usable(try forSwift() + macros(of: "cc") + macros(of: "clang"))
  }

  /// Those that can mean something in Swift, which knows no macros.
  static func forSwift() throws -> [String] {
    usable(try swiftKeywords() + cKeywords + generatedNames() + others)
  }

  private static func usable(_ words: [String]) -> [String] {
    // Entries of maps are messages that protoc adds on its own, and AnyMessage is what `Any` becomes.
    Set(words).filter { $0.wholeMatch(of: /_*[A-Za-z][A-Za-z0-9_]*/) != nil }
      .filter { !$0.hasSuffix("Entry") && $0 != "AnyMessage" }
      .sorted()
  }

  /// From the parser that the toolchain ships.
  private static func swiftKeywords() throws -> [String] {
    let target = try Protoc.run(environment, ["swiftc", "-print-target-info"])
    let text = String(decoding: target.output, as: UTF8.self)
    guard let path = text.firstMatch(of: /"runtimeResourcePath": "([^"]+)"/)?.output.1 else {
      throw CocoaError(.fileNoSuchFile)
    }
    let folder = URL(filePath: String(path)).appending(path: "host/SwiftSyntax.swiftmodule")
    let interface = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .first { $0.hasSuffix(".swiftinterface") && !$0.contains("private") }
    let syntax = String(
      decoding: try Data(contentsOf: folder.appending(path: interface ?? "")),
      as: UTF8.self
    )
    let cases =
      syntax.components(separatedBy: "public enum Keyword :").last?
      .components(separatedBy: "\n}").first ?? ""
    return cases.matches(of: /\n  case `?([A-Za-z_]+)`?/).map { String($0.output.1) }
  }

  /// What a C compiler defines before it has read anything, and once it has read protobuf-c's header.
  private static func macros(of compiler: String) throws -> [String] {
    let outcome = try Protoc.run(
      environment,
      [compiler, "-dM", "-E", "-x", "c", "-"],
      input: Array("#include <protobuf-c/protobuf-c.h>\n".utf8)
    )
    return String(decoding: outcome.output, as: UTF8.self)
      .matches(of: /#define ([A-Za-z0-9_]+)/).map { String($0.output.1) }
  }

  /// Every identifier, comments aside, in what is generated for a contract that uses every feature.
  private static func generatedNames() throws -> [String] {
    var names: Set<String> = []
    for path in [
      "Sources/Contracts/Testing/Swift/TestingV1Rich.swift",
      "Sources/Contracts/Testing/C/include/testing/v1/rich.pb-c.h",
      "Sources/Contracts/Testing/C/generated/testing/v1/rich.pb-c.c",
    ] {
      let data = try Data(contentsOf: Protoc.root.appending(path: path))
      let text = String(decoding: data, as: UTF8.self)
        .replacing(/"[^"\n]*"/, with: "")
        .replacing(/\/\/.*/, with: "")
        .replacing(/\/\*(.|\n)*?\*\//, with: "")
      for match in text.matches(of: /[A-Za-z_][A-Za-z0-9_]*/) {
        let name = String(match.output)
        // Of the contract's own names only the parts are of interest.
        if name.lowercased().contains("testing__") {
          names.formUnion(name.components(separatedBy: "__"))
        } else if name.wholeMatch(of: /(n_)?[fopv][0-9]+_.*/) == nil {
          names.insert(name)
        }
      }
    }
    return Array(names)
  }

  private static let environment = URL(filePath: "/usr/bin/env")

  /// C23 and C++23.
  private static let cKeywords = """
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool \
    break case catch char char16_t char32_t char8_t class co_await co_return co_yield compl concept \
    const const_cast consteval constexpr constinit continue decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    reflexpr register reinterpret_cast requires restrict return short signed sizeof static \
    static_assert static_cast struct switch synchronized template this thread_local throw true try \
    typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t \
    while xor xor_eq _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 \
    _Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local asm fortran
    """.split(separator: " ").map(String.init)

  /// Members of Swift's own types, and types and endings that contracts have used before.
  private static let others = """
    Element Index Iterator RawValue AllCases ID Failure Output Value Key Hasher Result Task Actor \
    MainActor Error AnyObject Character Substring Range Sequence Collection Regex Encoder Decoder \
    IntegerLiteralType StringLiteralType BooleanLiteralType FloatLiteralType ArrayLiteralElement \
    map flatMap take unsafelyUnwrapped hash hashValue rawValue isDefined allCases description \
    debugDescription customMirror encoded count isEmpty first last index min max print abs swap \
    type protocol x n_x x_case kind kind_case has_x x_storage xStorage x_pattern xPattern x_ _x \
    f1_x o0_x p1_x v0_x x_file xFile Service Client Methods OneOf xService xClient xMethods xOneOf \
    Contracts Foundation Glibc Builtin _Concurrency _StringProcessing CLinux SwiftShims
    """.split(separator: " ").map(String.init)
}
