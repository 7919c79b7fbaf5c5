// A QR code of a text (ISO/IEC 18004): bytes, error correction L, versions 1 to 10, drawn as one path.

const eccPerBlock = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18];
const blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
const codewords = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346];
const alignments = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

const exp = new Uint8Array(512);
const log = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  exp[power] = exp[power + 255] = value;
  log[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const multiply = (one, other) => (one && other ? exp[log[one] + log[other]] : 0);

/** The rest of data divided by the generator of a degree: its error correction. */
function correction(data, degree) {
  let generator = [1];
  for (let root = 0; root < degree; root += 1) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((value, place) => {
      next[place] ^= value;
      next[place + 1] ^= multiply(value, exp[root]);
    });
    generator = next;
  }
  const rest = new Uint8Array(degree);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[degree - 1] = 0;
    for (let place = 0; place < degree; place += 1) rest[place] ^= multiply(generator[place + 1], factor);
  }
  return rest;
}

/** Data and error correction in the order in which they are drawn. */
function sequence(bytes, version) {
  const [blocks, ecc, total] = [blockCounts[version - 1], eccPerBlock[version - 1], codewords[version - 1]];
  const room = total - blocks * ecc;
  const bits = [];
  const put = (value, count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let place = 0; place < bits.length; place += 8) data.push(bits.slice(place, place + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; data.length < room; pad ^= 0xfd) data.push(pad);
  const short = Math.floor(room / blocks);
  const longer = room % blocks;
  const parts = [];
  for (let block = 0, from = 0; block < blocks; block += 1) {
    const length = short + (block >= blocks - longer ? 1 : 0);
    const part = data.slice(from, from + length);
    parts.push({ part, ecc: correction(part, ecc) });
    from += length;
  }
  const result = [];
  for (let place = 0; place <= short; place += 1) for (const { part } of parts) if (place < part.length) result.push(part[place]);
  for (let place = 0; place < ecc; place += 1) for (const one of parts) result.push(one.ecc[place]);
  return result;
}

const masks = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];

/** The modules of a code: rows of truth values. */
export function modules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = codewords.findIndex((total, index) =>
    total - blockCounts[index] * eccPerBlock[index] >= bytes.length + (index < 9 ? 2 : 3)) + 1;
  if (version === 0) throw new RangeError("the text is too long for a code");
  const size = version * 4 + 17;
  const drawn = Array.from({ length: size }, () => new Array(size).fill(undefined));
  const set = (x, y, dark) => { if (x >= 0 && y >= 0 && x < size && y < size) drawn[y][x] = Boolean(dark); };
  patterns(set, size, version);
  const base = drawn.map((row) => row.map((dark) => dark !== undefined));
  const bits = sequence(bytes, version).flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
  fill(drawn, base, bits, size);
  let best;
  masks.forEach((mask, index) => {
    const masked = drawn.map((row, y) => row.map((dark, x) => (base[y][x] ? dark : dark !== (mask(x, y) === 0))));
    format((x, y, dark) => { masked[y][x] = Boolean(dark); }, size, index);
    const penalty = penalties(masked, size);
    if (!best || penalty < best.penalty) best = { masked, penalty };
  });
  return best.masked;
}

function patterns(set, size, version) {
  for (let place = 0; place < size; place += 1) {
    set(6, place, place % 2 === 0);
    set(place, 6, place % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy += 1) for (let dx = -4; dx <= 4; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
    }
  }
  const places = alignments[version - 1];
  const last = places.length - 1;
  places.forEach((cy, row) => places.forEach((cx, column) => {
    if ((row === 0 && (column === 0 || column === last)) || (row === last && column === 0)) return;
    for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  format(set, size, 0);
  if (version < 7) return;
  let rest = version;
  for (let bit = 0; bit < 12; bit += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const value = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit += 1) {
    const [one, other] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(one, other, (value >> bit) & 1);
    set(other, one, (value >> bit) & 1);
  }
}

/** Level L and the mask, twice. */
function format(set, size, mask) {
  const data = (1 << 3) | mask;
  let rest = data;
  for (let bit = 0; bit < 10; bit += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const value = ((data << 10) | rest) ^ 0x5412;
  const bit = (place) => (value >> place) & 1;
  for (let place = 0; place < 6; place += 1) set(8, place, bit(place));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let place = 9; place < 15; place += 1) set(14 - place, 8, bit(place));
  for (let place = 0; place < 8; place += 1) set(size - 1 - place, 8, bit(place));
  for (let place = 8; place < 15; place += 1) set(8, size - 15 + place, bit(place));
  set(8, size - 8, 1);
}

function fill(drawn, base, bits, size) {
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) for (const x of [right, right - 1]) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      if (base[y][x]) continue;
      drawn[y][x] = Boolean(bits[next]);
      next += 1;
    }
  }
}

/** How hard a code is to read: long runs, blocks, and more dark than light. */
function penalties(rows, size) {
  let sum = 0;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  for (const line of [...rows, ...columns]) {
    for (let place = 0, run = 1; place < size; place += 1, run += 1) {
      if (line[place] === line[place + 1]) continue;
      if (run >= 5) sum += run - 2;
      run = 0;
    }
    const text = line.map(Number).join("");
    sum += 40 * ((text.match(/(?=10111010000)/g) ?? []).length + (text.match(/(?=00001011101)/g) ?? []).length);
  }
  for (let y = 0; y < size - 1; y += 1) for (let x = 0; x < size - 1; x += 1) {
    if (rows[y][x] === rows[y][x + 1] && rows[y][x] === rows[y + 1][x] && rows[y][x] === rows[y + 1][x + 1]) sum += 3;
  }
  const dark = rows.flat().filter(Boolean).length / (size * size);
  return sum + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

/** A picture of a code, with its quiet zone, by the name that readers of screens say. */
export function qrCode(text, label) {
  const rows = modules(text);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}
