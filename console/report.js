// The compliance report of a tree: read line by line, looked at here, and downloaded as a file.

import { downloadFile, get, query, stream } from "./api.js";
import { badge, card, el, empty, field, form, grid, input, instantOf, link, local, name, now, number, readable, say, sentence, t, time, word } from "./base.js";
import { isSupport, remember } from "./main.js";
import { actionWord, crumbs, roleWord } from "./things.js";

const day = 86_400_000;
const shownLines = 500;

export default async function reportPage({ argument, values, signal, page }) {
  const entity = await get("tenancy", `entities/${encodeURIComponent(argument)}`);
  const from = field(t("from"), input({ type: "datetime-local", name: "from", required: true, value: values.get("from") ?? local(now() - 30 * day) }));
  const until = field(t("until"), input({ type: "datetime-local", name: "until", value: values.get("until") ?? "" }), t("atHint"));
  const result = el("div", { class: "stack" });
  const look = async () => {
    remember({ from: from.input.value, until: until.input.value });
    const shown = card(t("report"), () => read(argument, { from: instantOf(from), until: instantOf(until) }, signal), { wide: true,
      actions: ["csv", "json"].map((format) => save(argument, { from: instantOf(from), until: instantOf(until), format }, entity)) });
    result.replaceChildren(shown);
    await shown.ready;
  };
  const asked = form([from, until], t("showReport"), look);
  asked.classList.add("inline");
  page(t("reportOf", { name: entity.name }), el("div", { class: "stack" }, card(t("interval"), () => asked, { wide: true }), result),
    { text: t("reportText"), crumbs: crumbs([entity], t("report")) });
}

const save = (root, values, entity) => el("button", { type: "button", click: async (event) => {
  event.target.disabled = true;
  try {
    await downloadFile("tenancy", `reports/${root}/download?${query(values)}`, `${entity.name.replace(/[^\p{L}\p{N}-]+/gu, "-")}.${values.format}`);
  } catch (problem) {
    say(sentence(problem), true);
  }
  event.target.disabled = false;
} }, t("downloadAs", { format: values.format.toUpperCase() }));

/** All lines with their seal; the first of them as a table. */
async function read(root, values, signal) {
  let text = "";
  let seal;
  const names = new Map();
  for await (const part of stream("tenancy", `reports/${root}?${query(values)}`, { signal })) {
    text += part.lines ?? "";
    seal = part.seal ?? seal;
    for (const person of part.names?.people ?? []) names.set(`user:${person.id}`, person.displayName);
  }
  const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const shown = lines.slice(1, shownLines + 1);
  const counts = Object.entries(Object.groupBy(lines.slice(1), (line) => line.kind));
  return [await sealed(seal, text), counts.length > 0 ? el("p", { class: "row" }, counts.map(([kind, found]) => badge(`${word("line", kind)}: ${number(found.length)}`))) : null,
    shown.length === 0 ? empty(t("nothingHappened")) : grid(t("report"), [
      [t("what"), (line) => [el("strong", {}, word("line", line.kind)), " ", line.action ? actionWord(line.action) : ""]],
      [t("who"), (line) => line.actor ? person(line.actor, names) : "–"],
      [t("role"), (line) => line.role ? roleWord(line.role) : "–"],
      [t("object"), (line) => name(line.name || line.object, "–")],
      [t("outcome"), (line) => line.reason ? [badge(t("refused"), "bad"), " ", t(`reason.${line.reason}`, { or: readable(line.reason.toLowerCase()) }), line.count ? ` (${number(Number(line.count))})` : ""] : "–"],
      [t("when"), (line) => [time(line.time), line.until ? [" – ", time(line.until)] : ""]],
    ], shown),
    lines.length - 1 > shown.length ? el("p", { class: "quiet" }, t("moreLines", { count: number(lines.length - 1 - shown.length) })) : null].flat().filter(Boolean);
}

function person(actor, names) {
  const known = name(names.get(actor) ?? actor.replace(/^user:/, ""));
  return isSupport() && actor.startsWith("user:") ? link(`#/people/${actor.slice(5)}`, known) : known;
}

/** Whether all lines are there as they were sealed. */
async function sealed(seal, text) {
  if (!seal) return el("p", {}, badge(t("sealMissing"), "bad"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const fits = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === seal.sha256;
  return el("p", { role: "status" }, fits ? badge(t("sealFits"), "good") : badge(t("sealBroken"), "bad"), " ",
    el("span", { class: "quiet small" }, t("sealText", { count: number(Number(seal.lineCount)), key: seal.keyId.slice(0, 12) })));
}
