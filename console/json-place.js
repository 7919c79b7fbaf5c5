// Where in a JSON text something is, by a path such as `types.door.actions.open` or `assertions.expect[3]`.

/** From where to where the value of a path goes; as much of the path as there is, and the whole text for none. */
export function placeOf(text, path) {
  const steps = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) => (index === undefined ? key : Number(index)));
  const reader = new Reader(text);
  let place = [0, text.length];
  try {
    reader.skip();
    let from = reader.at;
    for (let left = steps; left.length > 0;) {
      const found = reader.enter(left);
      if (!found) break;
      from = found.from;
      left = left.slice(found.taken);
      reader.at = found.value;
      const end = new Reader(text, found.value);
      end.pass();
      place = [from, end.at];
    }
  } catch {
    // A text that is no JSON has the places before its mistake alone.
  }
  return place;
}

class Reader {
  constructor(text, at = 0) {
    this.text = text;
    this.at = at;
  }

  skip() { while (/\s/.test(this.text[this.at] ?? "")) this.at += 1; }

  expect(sign) {
    this.skip();
    if (this.text[this.at] !== sign) throw new Error(`no ${sign}`);
    this.at += 1;
  }

  string() {
    const from = this.at;
    this.expect("\"");
    while (this.text[this.at] !== "\"") {
      if (this.at >= this.text.length) throw new Error("no end");
      this.at += this.text[this.at] === "\\" ? 2 : 1;
    }
    this.at += 1;
    return JSON.parse(this.text.slice(from, this.at));
  }

  /** Where the first step leads from the value here; keys may have dots, so it can be several parts of the path. */
  enter(steps) {
    this.skip();
    if (this.text[this.at] === "{") {
      for (const [key, from, value] of this.members()) {
        for (let count = 1; count <= steps.length && steps.slice(0, count).every((step) => typeof step === "string"); count += 1) {
          if (key === steps.slice(0, count).join(".")) return { from, value, taken: count };
        }
      }
    } else if (this.text[this.at] === "[") {
      let index = 0;
      for (const value of this.elements()) {
        if (index === steps[0]) return { from: value, value, taken: 1 };
        index += 1;
      }
    }
    return undefined;
  }

  * members() {
    this.expect("{");
    this.skip();
    while (this.text[this.at] !== "}") {
      const from = this.at;
      const key = this.string();
      this.expect(":");
      this.skip();
      yield [key, from, this.at];
      this.pass();
      this.comma("}");
    }
    this.at += 1;
  }

  * elements() {
    this.expect("[");
    this.skip();
    while (this.text[this.at] !== "]") {
      yield this.at;
      this.pass();
      this.comma("]");
    }
    this.at += 1;
  }

  comma(end) {
    this.skip();
    if (this.text[this.at] === ",") this.at += 1;
    else if (this.text[this.at] !== end) throw new Error("no comma");
    this.skip();
  }

  /** To the end of the value here. */
  pass() {
    this.skip();
    const first = this.text[this.at];
    if (first === "{") for (const _ of this.members());
    else if (first === "[") for (const _ of this.elements());
    else if (first === "\"") this.string();
    else while (/[^\s,\]}]/.test(this.text[this.at] ?? " ")) this.at += 1;
  }
}
