import Foundation

/// One thing that can happen to the files of a store between two starts.
struct StoreDamage: Sendable, CustomStringConvertible {
  /// How the files were left before it.
  enum Before: String, CaseIterable, Sendable {
    case closed = "closed in order"
    case killed = "killed"
    case killedWhileMovingTheLog = "killed while the log was moved"
  }

  /// What becomes of it.
  enum Outcome: String, Sendable {
    /// It is an error that says so.
    case found = "found"
    /// Nothing that was written is lost or changed by it.
    case harmless = "harmless"
    /// It goes unnoticed.
    case missed = "not found"
  }

  /// The files of a store by what follows `notes.db` in their names.
  typealias Files = [String: Data]

  /// The row of the table in docs/operations/services.md that it belongs to.
  let row: String
  let name: String
  let before: Before
  let atStart: Outcome
  let byVerify: Outcome
  let change: @Sendable (inout Files) -> Void

  var description: String { "\(before.rawValue): \(name)" }

  init(
    _ row: String,
    _ name: String,
    _ before: Before = .closed,
    atStart: Outcome = .found,
    byVerify: Outcome = .found,
    _ change: @escaping @Sendable (inout Files) -> Void
  ) {
    self.row = row
    self.name = name
    self.before = before
    self.atStart = atStart
    self.byVerify = byVerify
    self.change = change
  }
}

extension StoreDamage {
  static let pageByteCount = 4096
  /// Bytes of a frame of the log: its header and a page.
  static let frameByteCount = 24 + pageByteCount

  /// All that need nothing but the files themselves.
  static let all: [StoreDamage] =
    gone + cut + flips(.closed) + flips(.killed) + pages + logs + markers + whileMoving

  private static let gone: [StoreDamage] = [
    StoreDamage("file missing or empty", "file missing") { $0[""] = nil },
    StoreDamage("file missing or empty", "file empty") { $0[""] = Data() },
    StoreDamage("file missing or empty", "file missing", .killed) { $0[""] = nil },
    StoreDamage("file missing or empty", "file empty", .killed) { $0[""] = Data() },
    StoreDamage("file missing or empty", "file empty, no marker, log there", .killed) { files in
      files[""] = Data()
      files[".lock"] = Data()
    },
    StoreDamage("file missing or empty", "everything but the marker missing", .killed) { files in
      files = files.filter { $0.key == ".lock" }
    },
    StoreDamage("not a database", "text") { $0[""] = Data(repeating: 0x41, count: 20_000) },
    StoreDamage("not a database", "zeros") { $0[""] = Data(repeating: 0, count: 20_000) },
  ]

  private static let cut: [StoreDamage] =
    [1, 99, 100, 512, 4095, 4096, 4097, 8192, 40_960, 50_000].map { size in
      StoreDamage("file too short or too long", "cut to \(size) bytes") { files in
        files[""] = files[""]?.prefix(size)
      }
    }
    + [-1, -4096, -12_288].map { change in
      StoreDamage("file too short or too long", "\(-change) bytes cut off", .killed) { files in
        files[""] = files[""]?.dropLast(-change)
      }
    } + [
      StoreDamage("file too short or too long", "one byte more") { $0[""]?.append(0) },
      StoreDamage("file too short or too long", "one page more") { files in
        files[""]?.append(Data(repeating: 0, count: pageByteCount))
      },
    ]

  /// Single bits: of the header, of the schema, and at places spread over all pages, rows and free
  /// space alike.
  private static func flips(_ before: Before) -> [StoreDamage] {
    let header = [0, 16, 18, 27, 28, 43, 60, 68, 72, 95, 103].map {
      ("of the header, byte \($0)", $0)
    }
    let spread = (0..<12).map { ("at \($0) twelfths", -1 - $0) }
    return (header + spread).map { name, place in
      StoreDamage("one bit of the file flipped", "one bit \(name)", before) { files in
        guard let count = files[""]?.count else { return }
        let offset =
          place >= 0 ? place : pageByteCount + (count - pageByteCount) / 12 * (-1 - place) + 77
        files[""]?.flip(offset)
      }
    }
  }

  private static let pages: [StoreDamage] =
    [0, 1, 2, 7, -2, -1].map { number in
      StoreDamage("page zeroed, swapped or old", "page \(number) zeroed") { files in
        guard let file = files[""] else { return }
        let page = number >= 0 ? number : file.count / pageByteCount + number
        files[""]?.replaceSubrange(
          page * pageByteCount..<(page + 1) * pageByteCount,
          with: Data(repeating: 0, count: pageByteCount)
        )
      }
    } + [
      StoreDamage("page zeroed, swapped or old", "two pages swapped") { files in
        guard let file = files[""] else { return }
        let (first, second) = (file.page(5), file.page(6))
        files[""]?.replaceSubrange(5 * pageByteCount..<6 * pageByteCount, with: second)
        files[""]?.replaceSubrange(6 * pageByteCount..<7 * pageByteCount, with: first)
      },
      StoreDamage("page zeroed, swapped or old", "one page over another", .killed) { files in
        guard let page = files[""]?.page(5) else { return }
        files[""]?.replaceSubrange(6 * pageByteCount..<7 * pageByteCount, with: page)
      },
    ]

  private static let logs: [StoreDamage] = [
    StoreDamage("log missing, cut or changed", "log missing", .killed) { $0["-wal"] = nil },
    StoreDamage("log missing, cut or changed", "log empty", .killed) { $0["-wal"] = Data() },
    StoreDamage("log missing, cut or changed", "only a header", .killed) { files in
      files["-wal"] = files["-wal"]?.prefix(32)
    },
    StoreDamage("log missing, cut or changed", "half a log", .killed) { files in
      files["-wal"] = files["-wal"].map { $0.prefix($0.count / 2) }
    },
    StoreDamage("log missing, cut or changed", "last page cut off", .killed) { files in
      files["-wal"] = files["-wal"]?.dropLast(frameByteCount)
    },
    StoreDamage("log missing, cut or changed", "last byte cut off", .killed) { files in
      files["-wal"] = files["-wal"]?.dropLast(1)
    },
    StoreDamage("log missing, cut or changed", "one bit of its header", .killed) { files in
      files["-wal"]?.flip(17)
    },
    StoreDamage("log missing, cut or changed", "one bit of its checksum", .killed) { files in
      files["-wal"]?.flip(25)
    },
    StoreDamage("log missing, cut or changed", "one bit of its first page", .killed) { files in
      files["-wal"]?.flip(32 + 24 + 100)
    },
    StoreDamage("log missing, cut or changed", "one bit in the middle", .killed) { files in
      guard let count = files["-wal"]?.count else { return }
      files["-wal"]?.flip(count / 2)
    },
    StoreDamage("log missing, cut or changed", "one bit of its last page", .killed) { files in
      guard let count = files["-wal"]?.count else { return }
      files["-wal"]?.flip(count - 1000)
    },
    StoreDamage("log missing, cut or changed", "zeros", .killed) { files in
      files["-wal"] = files["-wal"].map { Data(repeating: 0, count: $0.count) }
    },
    StoreDamage(
      "shared memory gone or damaged",
      "shared memory missing",
      .killed,
      atStart: .harmless,
      byVerify: .harmless
    ) { $0["-shm"] = nil },
    StoreDamage(
      "shared memory gone or damaged",
      "shared memory overwritten",
      .killed,
      atStart: .harmless,
      byVerify: .harmless
    ) { files in files["-shm"] = Data(repeating: 0x5A, count: 32_768) },
    StoreDamage(
      "log without content beside a closed store",
      "empty log",
      atStart: .harmless,
      byVerify: .harmless
    ) { $0["-wal"] = Data() },
    StoreDamage(
      "log without content beside a closed store",
      "a log of noise",
      atStart: .harmless,
      byVerify: .harmless
    ) { $0["-wal"] = Data(repeating: 0x5A, count: 20_000) },
    StoreDamage("journal of another file", "a journal beside the file") { files in
      files["-journal"] = Data(repeating: 0x5A, count: 20_000)
    },
  ]

  private static let markers: [StoreDamage] = [
    StoreDamage("marker damaged", "one bit of its identity") { $0[".lock"]?.flip(40) },
    StoreDamage("marker damaged", "one bit of its state") { $0[".lock"]?.flip(530) },
    StoreDamage("marker damaged", "cut") { $0[".lock"] = $0[".lock"]?.prefix(100) },
    StoreDamage(
      "marker deleted, nothing else",
      "marker missing",
      atStart: .harmless,
      byVerify: .harmless
    ) { $0[".lock"] = nil },
    StoreDamage(
      "marker deleted, and the store with it",
      "everything missing",
      atStart: .missed,
      byVerify: .found
    ) { $0 = [:] },
    StoreDamage(
      "marker deleted, and a value changed",
      "marker missing, one bit of a row",
      atStart: .missed,
      byVerify: .missed
    ) { files in
      files[".lock"] = nil
      files.flipFirstNote()
    },
  ]

  private static let whileMoving: [StoreDamage] = [
    StoreDamage(
      "structure damaged while no digest is known",
      "a page zeroed",
      .killedWhileMovingTheLog
    ) { files in
      files[""]?.replaceSubrange(
        7 * pageByteCount..<8 * pageByteCount,
        with: Data(repeating: 0, count: pageByteCount)
      )
    },
    StoreDamage(
      "value in a row changed while no digest is known",
      "one bit of a row",
      .killedWhileMovingTheLog,
      atStart: .missed,
      byVerify: .missed
    ) { files in files.flipFirstNote() },
    StoreDamage(
      "file missing or empty",
      "file empty",
      .killedWhileMovingTheLog
    ) { $0[""] = Data() },
    StoreDamage(
      "log missing, cut or changed",
      "log missing",
      .killedWhileMovingTheLog
    ) { $0["-wal"] = nil },
  ]
}

extension Data {
  /// Flips the lowest bit of a byte.
  mutating func flip(_ offset: Int) { self[startIndex + offset] ^= 1 }

  fileprivate func page(_ number: Int) -> Data {
    subdata(in: number * StoreDamage.pageByteCount..<(number + 1) * StoreDamage.pageByteCount)
  }
}

extension StoreDamage.Files {
  /// Changes a letter in the text of the oldest note.
  fileprivate mutating func flipFirstNote() {
    guard let range = self[""]?.range(of: Data("text of note 0:".utf8)) else { return }
    self[""]?.flip(range.upperBound + 3)
  }
}
