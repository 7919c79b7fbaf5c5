// One webhook: how it stands, what can be done with it, and the log of its deliveries, as they run.

import { call, get, post, query } from "./api.js";
import { badge, cancel, card, complaint, confirmed, dialog, el, empty, facts, field, form, grid, id, input, instantOf, learnEvents, local, name, now, number, renew, say, sentence, t, time } from "./base.js";
import { onLive } from "./live.js";
import { go, isSupport, me } from "./main.js";
import { namesOf, roleWord } from "./things.js";
import { change, eventWord, holder, showKey, stateBadge, stateOf, standing, typesText, wayTo } from "./webhooks.js";

const perPage = 50;
const mostShown = 1000;
const hour = 3_600_000;
/** How often to look: while something runs, while something waits, and otherwise. */
const pauses = { busy: 2_000, waiting: 5_000, idle: 10_000 };
const busyFor = 20_000;

export default async function webhookPage({ argument, signal, page }) {
  let [current] = await Promise.all([get("tenancy", `webhooks/${encodeURIComponent(argument)}`), learnEvents()]);
  const [entity, names] = await Promise.all([holder(current.entityId), namesOf([current.createdBy])]);
  const stale = el("div", { class: "note warn", hidden: true }, el("p", {}, t("staleText")),
    el("button", { type: "button", click: () => watch.now() }, t("lookAgain")));
  const state = card(t("state"), () => [el("p", { role: "status" }, stateBadge(current), " ", standing(current)), about(current, names),
    el("div", { class: "row" }, actions(entity, current, () => watch.now()))]);
  const log = attempts(argument, () => current, () => watch.now());
  const watch = watching(signal, () => current, async (asks, isBusy) => {
    const found = await get("tenancy", `webhooks/${current.id}`, { signal, asks });
    const isNew = JSON.stringify(found) !== JSON.stringify(current);
    current = found;
    if (isNew) state.reload();
    // A webhook of which nothing is new has delivered nothing.
    if (isNew || isBusy) await log.refresh(asks);
  }, stale);
  const title = current.name || current.url;
  page(title, el("div", { class: "stack" }, stale, state, log), { text: t("webhookOf", { name: entity.name }), crumbs: wayTo(entity, title) });
  watch.start();
}

/** Looks again while deliveries run: often after something was done or has changed, seldom otherwise. It asks for no proof
 * by itself: without one, `stale` says that nothing new comes in. */
function watching(signal, current, look, stale) {
  let busyUntil = 0;
  let timer;
  const next = () => {
    const pause = Date.now() < busyUntil ? pauses.busy : Number(current().waitingCount) > 0 ? pauses.waiting : pauses.idle;
    clearTimeout(timer);
    if (!signal.aborted && stale.hidden) timer = setTimeout(run, pause);
  };
  const run = async () => {
    // What is shown stays when it cannot be read again; the banner says that nothing comes in.
    if (!document.hidden) await look(false, Date.now() < busyUntil).catch((problem) => { stale.hidden = problem.reason !== "STEP_UP_REQUIRED"; });
    next();
  };
  const busy = () => {
    busyUntil = Date.now() + busyFor;
    next();
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  return {
    start: () => {
      onLive(signal, busy);
      document.addEventListener("visibilitychange", busy, { signal });
      next();
    },
    /** At once, since something was done. */
    now: async () => {
      await look(true, true).then(() => { stale.hidden = true; }, (problem) => problem.name === "AbortError" || say(sentence(problem), true));
      busy();
    },
  };
}

function about(webhook, names) {
  const maker = names.get(webhook.createdBy);
  const formerSecret = webhook.formerSecretUntil && Date.parse(webhook.formerSecretUntil) > now();
  return facts([webhook.name ? [t("name"), name(webhook.name)] : null, [t("address"), el("bdi", {}, webhook.url)], [t("events"), typesText(webhook)],
    [t("actsAs"), webhook.role ? roleWord(webhook.role) : t("actsAsMaker")],
    [t("eventsWaiting"), number(Number(webhook.waitingCount))],
    webhook.oldestWaitingAt ? [t("oldestWaiting"), time(webhook.oldestWaitingAt)] : null,
    Number(webhook.failedCount) > 0 ? [t("eventsGivenUp"), number(Number(webhook.failedCount))] : null,
    webhook.failingSince ? [t("failingSince"), time(webhook.failingSince)] : null,
    [t("lastSuccess"), time(webhook.lastSuccessAt)],
    [t("signedBy"), t(`signature.${webhook.publicKey ? "ED25519" : "HMAC"}`)],
    webhook.publicKey ? [t("publicKey"), id(webhook.publicKey)] : null,
    formerSecret ? [t("formerSecret"), [t("formerSecretText"), " ", time(webhook.formerSecretUntil)]] : null,
    [t("madeBy"), webhook.createdBy === me.id ? t("you") : isSupport() ? el("a", { href: `#/people/${webhook.createdBy}` }, name(maker, webhook.createdBy)) : name(maker, webhook.createdBy)],
    [t("created"), time(webhook.createdAt)], [t("changed"), time(webhook.updatedAt)], [t("id"), id(webhook.id)]]);
}

/** What can be done with a webhook as it stands. */
function actions(entity, webhook, done) {
  const path = `webhooks/${webhook.id}`;
  const state = stateOf(webhook);
  const act = async (send, text = t("done")) => {
    try {
      const answer = await send();
      const said = typeof text === "function" ? text(answer) : text;
      if (said) say(said);
    } catch (problem) {
      say(sentence(problem), true);
    }
    await done();
  };
  const button = (label, click, kind = "") => el("button", { type: "button", class: kind, click }, label);
  return [
    button(t("ping"), async (event) => {
      event.target.disabled = true;
      await act(() => post("tenancy", `${path}/ping`), ping);
    }, state === "UNCONFIRMED" ? "primary" : ""),
    button(t("change"), () => change(entity, webhook, done)),
    state === "PAUSED" || state === "DOWN" ? button(t(state === "DOWN" ? "tryNow" : "sendOn"), () => resume(path, state, act), "primary") : null,
    state === "ACTIVE" || state === "DOWN" ? button(t("pause"), () => act(() => post("tenancy", `${path}/pause`))) : null,
    state !== "UNCONFIRMED" ? button(t("replay"), () => replay(path, act)) : null,
    Number(webhook.failedCount) > 0 ? button(t("replayGivenUp", { count: Number(webhook.failedCount) }),
      () => act(() => post("tenancy", `${path}/replay`), ({ count }) => t("sentAgain", { count }))) : null,
    button(t(webhook.publicKey ? "rotateKey" : "rotateSecret"), () => rotate(path, webhook, act)),
    button(t("delete"), () => remove(entity, webhook), "danger"),
  ].filter(Boolean);
}

/** What came of a ping; a receiver that failed is an alert. */
function ping({ isAnswered, status }) {
  if (isAnswered) return t("pingAnswered", { status });
  say(status ? t("pingRefused", { status }) : t("pingUnreachable"), true);
  return "";
}

async function resume(path, state, act) {
  if (state === "DOWN") return act(() => post("tenancy", `${path}/resume`));
  const from = field(t("dropBefore"), input({ type: "datetime-local", name: "dropping_before" }), t("dropBeforeHint"));
  const sent = await dialog(t("sendOn"), (close) => [el("p", {}, t("sendOnText")), form([from], t("sendOn"), async () => {
    close(await post("tenancy", `${path}/resume`, { droppingBefore: instantOf(from) }));
  }, { more: [cancel(close)] })]);
  if (sent) await act(async () => sent);
}

/** Sends the events of a time again, after saying how many there are. */
async function replay(path, act) {
  const since = field(t("from"), input({ type: "datetime-local", name: "since", required: true, value: local(now() - hour) }));
  const until = field(t("until"), input({ type: "datetime-local", name: "until" }), t("atHint"));
  const asked = await dialog(t("replay"), (close) => [el("p", {}, t("replayText")), form([since, until], t("continue"), async () => {
    const span = { since: instantOf(since), until: instantOf(until) };
    close({ span, count: (await post("tenancy", `${path}/replay`, { ...span, isDryRun: true })).count });
  }, { more: [cancel(close)] })]);
  if (!asked) return;
  if (asked.count === 0) return say(t("nothingToReplay"));
  const sure = await dialog(t("replay"), (close) => [el("p", {}, t("replayCount", { count: asked.count })), el("div", { class: "row" },
    el("button", { type: "button", class: "primary", click: () => close(true) }, t("deliverAgain")), cancel(close))]);
  if (sure) await act(() => post("tenancy", `${path}/replay`, asked.span), ({ count }) => t("sentAgain", { count }));
}

async function rotate(path, webhook, act) {
  const what = webhook.publicKey ? "rotateKey" : "rotateSecret";
  if (!(await confirmed(t(what), t(`${what}Text`), t(what)))) return;
  await act(async () => showKey(await post("tenancy", `${path}/secret`)), "");
}

async function remove(entity, webhook) {
  const text = t("deleteWebhookText", { address: webhook.url, count: Number(webhook.waitingCount) });
  if (!(await confirmed(t("deleteWebhook"), text, t("delete")))) return;
  try {
    await call("tenancy", "DELETE", `webhooks/${webhook.id}`);
    say(t("done"));
    go(`/objects/${entity.id}/webhooks`);
  } catch (problem) {
    say(sentence(problem), true);
  }
}

// --- the log of deliveries ------------------------------------------------------------------------------------------------

const tones = { DELIVERED: "good", REFUSED: "bad", UNREACHABLE: "bad", NOT_ALLOWED: "warn" };

/** The log, the newest first, by pages; `refresh` looks again as far as it is shown. */
function attempts(webhookId, current, done) {
  const filter = field(t("outcome"), el("select", { name: "outcome", change: () => load() },
    el("option", { value: "" }, t("allDeliveries")), el("option", { value: "FAILED" }, t("onlyFailures")),
    Object.keys(tones).map((kind) => el("option", { value: kind }, t(`delivery.${kind}`)))));
  const wanted = () => filter.input.value === "FAILED" ? { failuresOnly: true }
    : { outcome: filter.input.value && `WEBHOOK_OUTCOME_${filter.input.value}` };
  const results = el("div", { class: "stack" });
  let rows = [];
  let shown = "";
  let newest = 0;
  const ask = async (more, asks, turn = ++newest) => {
    const answer = await get("tenancy", `webhooks/${webhookId}/attempts?${query({ ...wanted(), ...more })}`, { asks });
    return turn === newest ? answer : undefined;
  };
  const draw = (nextPageToken) => {
    const drawn = [rows.length === 0 ? empty(t({ "": "noDeliveries", FAILED: "noFailures" }[filter.input.value] ?? "noSuchDeliveries")) : table(rows, current, again),
      nextPageToken ? el("div", {}, el("button", { type: "button", click: () => next(nextPageToken) }, t("showMore"))) : null].filter(Boolean);
    const text = drawn.map((part) => part.textContent).join();
    if (text !== shown) renew(results, drawn);
    shown = text;
  };
  const read = async (asks) => {
    const answer = await ask({ limit: Math.min(mostShown, perPage * Math.max(1, Math.ceil(rows.length / perPage))) }, asks);
    if (!answer) return;
    rows = answer.attempts;
    draw(answer.nextPageToken);
  };
  const load = async () => {
    rows = [];
    shown = "";
    await read().catch((problem) => renew(results, complaint(problem, load)));
  };
  const next = async (pageToken) => {
    try {
      const answer = await ask({ limit: perPage, pageToken });
      if (!answer) return;
      const { length } = rows;
      rows = [...rows, ...answer.attempts];
      draw(answer.nextPageToken);
      results.querySelectorAll("tbody tr")[length]?.querySelector("button")?.focus();
    } catch (problem) {
      say(sentence(problem), true);
    }
  };
  const again = async (eventId) => {
    await post("tenancy", `webhooks/${webhookId}/replay`, { eventId }).then(({ count }) => say(t("sentAgain", { count })), (problem) => say(sentence(problem), true));
    await done();
  };
  const section = card(t("deliveryLog"), async () => {
    await read();
    return [filter, results];
  }, { wide: true });
  section.refresh = read;
  return section;
}

const table = (rows, current, again) => el("div", { class: "log" }, grid(t("deliveryLog"), [
  [t("event"), (one) => [eventWord(one.type), " ", el("code", { class: "quiet" }, one.type), el("br"), id(one.eventId)]],
  [t("object"), (one) => one.object ? id(one.object) : "–"],
  [t("when"), (one) => time(one.attemptedAt)],
  [t("attempt"), (one) => [number(one.attempt), one.isReplay ? [" ", badge(t("isReplay"))] : ""].flat()],
  [t("outcome"), (one) => [...outcome(one), el("br"), el("span", { class: "quiet small" }, t("milliseconds", { count: one.durationMs, number: number(one.durationMs) }))]],
  [t("actions"), (one) => one.type === "webhook.ping" || stateOf(current()) === "UNCONFIRMED" ? "" : el("button", { type: "button", class: "small",
    "aria-label": `${t("deliverAgain")}: ${eventWord(one.type)}, ${one.eventId}, ${one.attempt}`, click: () => again(one.eventId) }, t("deliverAgain"))],
], rows));

function outcome(one) {
  const kind = one.outcome.replace("WEBHOOK_OUTCOME_", "");
  return [badge(t(`delivery.${kind}`), tones[kind]), one.status ? [" ", el("code", {}, String(one.status))] : ""].flat();
}
