// A family and its children: points, requests that wait, and devices that are paired.

import { call, get, post } from "./api.js";
import { badge, cancel, card, confirmed, date, dialog, el, empty, field, form, grid, input, name, number, readable, say, sentence, t, time, word } from "./base.js";
import { creatable, makeNew } from "./edit.js";
import { onLive } from "./live.js";
import { objectLink, schema } from "./things.js";

const codeLives = 1000;

export function familyCards(family, actions, signal) {
  const overview = () => get("tenancy", `families/${encodeURIComponent(family.id)}/overview?allowPartial=true`);
  const children = card(t("children"), async () => {
    const found = await overview();
    const missing = found.missing.length > 0 ? el("p", { role: "status" }, badge(t("pointsMissing"), "warn")) : null;
    if (found.children.length === 0) return empty(t("noChildren"));
    return [missing, el("ul", { class: "lines" }, found.children.map(childLine)),
      found.childrenCut ? el("p", { class: "quiet small" }, t("moreThere")) : null].filter(Boolean);
  }, { actions: [newChild(family, actions, () => children.reload())] });
  const waiting = card(t("requestsWaiting"), async () => {
    const found = await overview();
    const all = found.children.flatMap(({ child, points }) => (points?.requests ?? []).map((one) => ({ ...one, child })));
    return all.length === 0 ? empty(t("noRequests")) : requests(all, () => reload());
  });
  const devices = actions.has("family.list_pairings") ? pairings(family, actions, overview) : null;
  const reload = () => [children, waiting].forEach((one) => one.reload());
  onLive(signal, (event) => ["points", "resync"].includes(event.kind) && reload());
  return [children, waiting, devices].filter(Boolean);
}

/** The button stays empty until the schema says what a child has. */
function newChild(family, actions, done) {
  const holder = el("span", {});
  schema().then(({ types }) => {
    const [type] = creatable(family, types.filter((one) => one.name === "child"), actions);
    if (type) holder.append(el("button", { type: "button", class: "primary", click: () => makeNew(type, family.id, done) }, t("addChild")));
  }).catch(() => {});
  return holder;
}

function childLine({ child, points }) {
  const minutes = (points?.balances ?? []).reduce((sum, one) => sum + Number(one.rewardMinutes), 0);
  return el("li", {}, el("span", { class: "main" }, objectLink(child.id, child.name, child.type),
    ...(points?.rewards ?? []).map((one) => el("span", { class: "small" }, t("rewardRuns", { name: one.reward || t("anyReward") }), " ", time(one.endsAt)))),
  points ? el("span", {}, t("pointsAndMinutes", { count: Number(points.totalPoints), points: number(Number(points.totalPoints)), minutes: number(minutes) })) : null);
}

/** Wishes for reward time, each with its answer. */
function requests(found, done) {
  const answer = async (one, verb) => {
    try {
      await post("entitlement", `points/${one.holderId}/requests/${one.id}/${verb}`, {});
      say(t("done"));
    } catch (problem) {
      say(sentence(problem), true);
    }
    done();
  };
  return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" },
    el("strong", {}, name(one.child.name), ": ", t("minutesFor", { count: Number(one.minutes), minutes: number(Number(one.minutes)), reward: one.reward || t("anyReward") })),
    el("span", { class: "quiet small" }, one.parts.map((part) => `${part.app}: ${number(Number(part.points))}`).join(" · "), " · ", t("until"), " ", time(one.expiresAt))),
  el("span", { class: "row" }, el("button", { type: "button", class: "primary small", "aria-label": `${t("approve")} ${one.child.name}`, click: () => answer(one, "approve") }, t("approve")),
    el("button", { type: "button", class: "small", "aria-label": `${t("decline")} ${one.child.name}`, click: () => answer(one, "decline") }, t("decline"))))));
}

function pairings(family, actions, overview) {
  const may = actions.has("family.pair_devices");
  const section = card(t("pairedDevices"), async () => {
    const { pairings: found } = await get("tenancy", `families/${encodeURIComponent(family.id)}/pairings?limit=50`);
    if (found.length === 0) return empty(t("noPairings"));
    return el("ul", { class: "lines" }, found.map((one) => el("li", {}, el("span", { class: "main" }, el("strong", {}, name(one.deviceName, one.deviceId)),
      el("span", { class: "quiet small" }, one.childName ? name(one.childName) : t("parentsDevice"), " · ", time(one.pairedAt))),
    may ? el("button", { type: "button", class: "small danger", "aria-label": `${t("unpair")} ${one.deviceName}`, click: () => unpair(one, section) }, t("unpair")) : null)));
  }, { actions: may ? [el("button", { type: "button", click: () => pair(family, overview, section) }, t("pairDevice"))] : [] });
  return section;
}

async function unpair(one, section) {
  if (!(await confirmed(t("unpair"), t("unpairText", { name: one.deviceName || one.deviceId }), t("unpair")))) return;
  await call("tenancy", "DELETE", `pairings/${one.id}`).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  section.reload();
}

/** A code to type into a device, with the time that is left for it. */
async function pair(family, overview, section) {
  let found;
  try {
    found = await overview();
  } catch (problem) {
    return say(sentence(problem), true);
  }
  const whose = field(t("whoseDevice"), el("select", { name: "whose" }, found.children.map(({ child }) => el("option", { value: child.id }, child.name)), el("option", { value: "" }, t("parentsDevice"))));
  const code = await dialog(t("pairDevice"), (close) => form([whose], t("makeCode"), async () => {
    const childId = whose.input.value;
    close(await post("tenancy", `families/${family.id}/pairing-codes`, { deviceRole: childId ? "child" : "parent", childId: childId || undefined, idempotencyKey: crypto.randomUUID() }));
  }, { more: [cancel(close)] }));
  if (!code) return;
  const left = el("span", {}, time(code.expiresAt));
  const timer = setInterval(() => left.replaceChildren(time(code.expiresAt)), 15 * codeLives);
  await dialog(t("pairDevice"), (close) => [el("p", {}, t("pairText")), el("p", { class: "big-code" }, el("code", {}, `${code.code.slice(0, 4)} ${code.code.slice(4)}`)),
    el("p", { class: "quiet" }, t("until"), " ", left), el("button", { type: "button", class: "primary", click: () => close() }, t("close"))]);
  clearInterval(timer);
  section.reload();
}

// --- a child ----------------------------------------------------------------------------------------------------------

export function childCards(child, actions, signal) {
  const path = `points/${encodeURIComponent(child.id)}`;
  if (!actions.has("points.view")) return [];
  const mayRule = actions.has("points.set_rules");
  const points = card(t("points"), async () => {
    const [balances, { rules }, { rewards }] = await Promise.all([get("entitlement", path), get("entitlement", `${path}/rules`), get("entitlement", `${path}/rewards`)]);
    const running = rewards.map((one) => el("p", {}, badge(t("rewardRuns", { name: one.reward || t("anyReward") }), "good"), " ", t("until"), " ", date(one.endsAt)));
    if (balances.balances.length === 0) return [...running, empty(t("noPoints"))];
    return [...running, grid(t("points"), [
      [t("application"), (one) => name(one.app)],
      [t("points"), (one) => number(Number(one.points))],
      [t("rewardTime"), (one) => t("minutes", { count: Number(one.rewardMinutes), minutes: number(Number(one.rewardMinutes)) })],
      [t("rule"), (one) => ruleText(rules.find((rule) => rule.app === one.app))],
      [t("actions"), (one) => mayRule ? el("button", { type: "button", class: "small", "aria-label": `${t("change")} ${one.app}`,
        click: () => setRule(path, rules.find((rule) => rule.app === one.app) ?? { app: one.app }, reload) }, t("change")) : ""],
    ], balances.balances)];
  }, { wide: true, actions: mayRule ? [el("button", { type: "button", click: () => setRule(path, undefined, reload) }, t("newRule"))] : [] });
  const waiting = card(t("requestsWaiting"), async () => {
    const { requests: found } = await get("entitlement", `${path}/requests?state=POINTS_REQUEST_STATE_PENDING`);
    return found.length === 0 ? empty(t("noRequests")) : requests(found.map((one) => ({ ...one, child })), reload);
  });
  const history = card(t("pointsHistory"), async () => {
    const { entries } = await get("entitlement", `${path}/history?limit=25`);
    if (entries.length === 0) return empty(t("noHistory"));
    return grid(t("pointsHistory"), [
      [t("what"), (one) => [el("strong", {}, word("entry", one.kind)), " ", name(one.reward ? `${one.app}: ${one.reward}` : one.app)]],
      [t("points"), (one) => number(Number(one.points))],
      [t("balance"), (one) => number(Number(one.balance))],
      [t("who"), (one) => name(one.actorName, one.actorId)],
      [t("when"), (one) => time(one.occurredAt)],
      [t("actions"), (one) => actions.has("points.reverse") && /_(EARN|REDEEM)$/.test(one.kind) && !one.kind.includes("REVERSE")
        ? el("button", { type: "button", class: "small danger", "aria-label": `${t("reverse")} ${readable(one.app)} ${one.points}`, click: () => reverse(path, one, reload) }, t("reverse")) : ""],
    ], entries);
  }, { wide: true });
  const reload = () => [points, waiting, history].forEach((one) => one.reload());
  onLive(signal, (event) => (event.kind === "resync" || (event.kind === "points" && event.objectId === child.id)) && reload());
  return [points, waiting, history];
}

const ruleText = (rule) => rule ? el("span", {}, t("ruleText", { earn: number(rule.pointsPerMinute), reward: number(rule.pointsPerRewardMinute) }),
  rule.requiresApproval ? [" ", badge(t("needsApproval"), "warn")] : null) : "–";

async function setRule(path, known, done) {
  const app = field(t("application"), input({ name: "app", required: true, maxLength: 128, autocomplete: "off", value: known?.app ?? "", readOnly: Boolean(known) }));
  const earn = field(t("pointsPerMinute"), input({ type: "number", name: "points_per_minute", min: 0, max: 1_000_000, step: 1, required: true, value: known?.pointsPerMinute ?? "" }));
  const reward = field(t("pointsPerRewardMinute"), input({ type: "number", name: "points_per_reward_minute", min: 0, max: 1_000_000, step: 1, required: true, value: known?.pointsPerRewardMinute ?? "" }));
  const approval = el("input", { type: "checkbox", name: "requires_approval", checked: known?.requiresApproval ?? false });
  const made = await dialog(known ? t("changeOf", { name: known.app }) : t("newRule"), (close) => form([app, earn, reward, el("label", { class: "row" }, approval, t("needsApproval"))], t("save"), async () => {
    close(await call("entitlement", "PUT", `${path}/rules`, { rule: { app: app.input.value.trim(), pointsPerMinute: Number(earn.input.value), pointsPerRewardMinute: Number(reward.input.value),
      requiresApproval: approval.checked, revision: known?.revision ?? "" } }));
  }, { more: [cancel(close)] }));
  if (!made) return;
  say(t("saved"));
  done();
}

async function reverse(path, one, done) {
  if (!(await confirmed(t("reverse"), t("reverseText", { count: Number(one.points), points: number(Number(one.points)), name: one.app }), t("reverse")))) return;
  await post("entitlement", `${path}/transactions/${one.transactionId}/reverse`, {}).then(() => say(t("done")), (problem) => say(sentence(problem), true));
  done();
}
