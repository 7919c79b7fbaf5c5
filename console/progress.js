// Deletions and imports: lists that are looked at again while something in them goes on.

import { get, query } from "./api.js";
import { badge, card, el, empty, field, grid, link, name, now, number, renew, t, time, word } from "./base.js";
import { place, remember } from "./main.js";
import { lookAgain, soonest } from "./pace.js";
import { typeWord } from "./things.js";

const perPage = 50;
const mostShown = 1000;
/** How long until a list in which everything waits is looked at again, in milliseconds. */
const waiting = 60_000;
/** How long after its last batch an import is taken to be running. */
const running = 120_000;

/** A list that grows by its button and is read again, as far as it is shown, at the pace of `pause` and `due` of its rows.
 * Without being asked to it demands no proof of the viewer: when one is needed, it says that nothing new comes in. */
function followed(title, signal, { find, table, none, pause, due = () => undefined, above = [] }) {
  const results = el("div", { class: "stack" });
  let rows = [];
  let newest = 0;
  let reading = 0;
  const draw = (nextPageToken) => renew(results, [rows.length === 0 ? empty(none()) : table(rows),
    nextPageToken ? el("div", {}, el("button", { type: "button", click: () => read({ limit: perPage, pageToken: nextPageToken }).then(pace.start, section.reload) }, t("showMore"))) : null].filter(Boolean));
  /** Whether what was read differs from what was shown. */
  const read = async (more, asks = true) => {
    const turn = ++newest;
    reading += 1;
    const answer = await find(more, asks).finally(() => { reading -= 1; });
    if (turn !== newest) return false;
    const known = more.pageToken ? rows.length : 0;
    const before = JSON.stringify(rows);
    rows = [...rows.slice(0, known), ...answer.items];
    draw(answer.nextPageToken);
    // Where the next page begins, for those who cannot see that there is more.
    if (known > 0) results.querySelectorAll("tbody tr")[known]?.querySelector("a")?.focus();
    return JSON.stringify(rows) !== before;
  };
  const again = async () => {
    // What a person has asked for is on its way.
    if (reading > 0) return false;
    try {
      return await read({ limit: Math.min(mostShown, perPage * Math.max(1, Math.ceil(rows.length / perPage))) }, false);
    } catch (problem) {
      if (problem.reason !== "STEP_UP_REQUIRED") return false;
      results.prepend(el("div", { class: "note warn" }, el("p", {}, t("staleText")), el("button", { type: "button", click: () => section.reload() }, t("lookAgain"))));
      return "stop";
    }
  };
  const pace = lookAgain(signal, { look: again, pause: () => pause(rows), due: () => due(rows) });
  const section = card(title, async () => {
    await read({ limit: perPage });
    pace.start();
    return [...above, results];
  }, { wide: true });
  return section;
}

const isUnderWay = (one) => !one.finishedAt;

/** Until each of the deletions that are under way goes on, in milliseconds. */
const untilEach = (rows) => rows.map((one) => one.deletion).filter(isUnderWay).map((one) => Date.parse(one.nextAttemptAt ?? one.eraseAt) - now());

/** Often while something is being erased, seldom while all wait. */
function paceOf(rows) {
  const until = untilEach(rows);
  return until.length === 0 ? undefined : until.some((one) => !(one > soonest)) ? soonest : waiting;
}

/** Until the next of the deletions goes on. */
const nextOf = (rows) => Math.min(...untilEach(rows).filter((one) => one > 0));

/** What is being erased now, or is tried next. */
function stateOf(one) {
  const mark = badge(word("deletionState", one.state), one.finishedAt ? "good" : "warn");
  return one.step && !one.step.endsWith("UNSPECIFIED") && isUnderWay(one) ? [mark, " ", el("span", { class: "quiet small" }, word("deletionStep", one.step))] : mark;
}

/** The choice between what is under way and what is done, kept in the address by its name. */
function stateChoice(key, reload) {
  const finished = place().values.get(key) === "true";
  const choice = field(t("choose"), el("select", { name: key, change: () => {
    remember({ [key]: choice.input.value });
    reload();
  } }, [["", t("underWay")], ["true", t("finished")]].map(([value, label]) => el("option", { value, selected: (value === "true") === finished }, label))));
  return choice;
}

export function accountDeletions(signal) {
  const choice = stateChoice("finished", () => section.reload());
  const section = followed(t("deletionsOfAccounts"), signal, { above: [choice], pause: paceOf, due: nextOf,
    none: () => t(choice.input.value ? "noFinishedDeletions" : "noDeletions"),
    find: async (more, asks) => {
      const answer = await get("auth", `operators/deletions?${query({ finished: choice.input.value, ...more })}`, { signal, asks });
      return { items: answer.deletions, nextPageToken: answer.nextPageToken };
    },
    table: (rows) => el("div", { class: "log" }, grid(t("deletionsOfAccounts"), [
      [t("person"), (one) => one.userId ? link(`#/people/${one.userId}`, name(one.displayName, one.userId)) : el("span", { class: "quiet" }, t("erased"))],
      [t("state"), (one) => stateOf(one.deletion)],
      [t("requestedAt"), (one) => time(one.deletion.requestedAt)],
      [t("goesOn"), (one) => one.deletion.finishedAt ? [t("finishedAt"), " ", time(one.deletion.finishedAt)] : time(one.deletion.nextAttemptAt)],
      [t("failedAttempts"), (one) => one.deletion.failedAttempts > 0 ? badge(number(one.deletion.failedAttempts), "bad") : "0"],
      [t("number"), (one) => link(`#/deletions?id=${encodeURIComponent(one.deletion.id)}`, el("code", {}, one.deletion.id))],
    ], rows)) });
  return section;
}

/** How far a deletion of an object is, in a word. */
export const stateOfObject = (one) => badge(t(one.finishedAt ? "finished" : "underWay"), one.finishedAt ? "good" : "warn");

/** How many of those that have plans or points EntitlementService is through with. */
export const endedOfAll = (one) => t("ofAll", { count: number(Number(one.endedHolderCount)), all: number(Number(one.holderCount)) });

const objectDeletions = (signal, path, more) => followed(t("deletionsOfObjects"), signal, { ...more,
  pause: (rows) => (rows.some(isUnderWay) ? soonest : undefined),
  find: async (asked, asks) => {
    const answer = await get("tenancy", `${path}?${query({ ...more.filter?.(), ...asked })}`, { signal, asks });
    return { items: answer.deletions, nextPageToken: answer.nextPageToken };
  },
  table: (rows) => el("div", { class: "log" }, grid(t("deletionsOfObjects"), [
    [t("object"), (one) => [one.entityName ? [name(one.entityName), " "] : [], el("span", { class: "quiet small" }, typeWord(one.entityType))].flat()],
    more.filter ? [t("who"), (one) => link(`#/people/${one.deletedBy}`, name(one.deletedByName, one.deletedBy))] : null,
    [t("state"), stateOfObject],
    [t("deletedAt"), (one) => time(one.deletedAt)],
    [t("holdersEnded"), endedOfAll],
    [t("number"), (one) => link(`#/deletions?id=${encodeURIComponent(one.id)}`, el("code", {}, one.id))],
  ].filter(Boolean), rows)) });

/** Objects that anybody has deleted, for operators and support people. */
export function allObjectDeletions(signal) {
  const choice = stateChoice("finished_objects", () => section.reload());
  const section = objectDeletions(signal, "entity-deletions:all", { above: [choice], filter: () => ({ finished: choice.input.value }),
    none: () => t(choice.input.value ? "noFinishedObjectDeletions" : "noObjectDeletions") });
  return section;
}

/** Objects that the viewer has deleted. */
export const ownObjectDeletions = (signal) => objectDeletions(signal, "entity-deletions", { none: () => t("noOwnDeletions") });

const isRunning = (one) => now() - Date.parse(one.changedAt) < running;

export function importRuns(signal) {
  return followed(t("imports"), signal, { none: () => t("noImports"), pause: (rows) => (rows.some(isRunning) ? soonest : undefined),
    find: async (more, asks) => {
      const answer = await get("auth", `operators/imports?${query(more)}`, { signal, asks });
      return { items: answer.runs, nextPageToken: answer.nextPageToken };
    },
    table: (rows) => grid(t("imports"), [
      [t("importSource"), (one) => name(one.source)],
      [t("importRun"), (one) => [name(one.run), isRunning(one) ? [" ", badge(t("running"), "warn")] : []].flat()],
      [t("importCreated"), (one) => number(Number(one.progress.created))],
      [t("importUnchanged"), (one) => number(Number(one.progress.unchanged))],
      [t("importRefused"), (one) => Number(one.progress.refused) > 0 ? badge(number(Number(one.progress.refused)), "bad") : "0"],
      [t("importNext"), (one) => number(Number(one.progress.nextPosition))],
      [t("changed"), (one) => time(one.changedAt)],
    ], rows) });
}
