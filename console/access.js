// Which operators and support people looked at the viewer's account, or at an object.

import { get, query } from "./api.js";
import { card, el, empty, grid, moreButton, name, readable, renew, t, time } from "./base.js";
import { objectLink } from "./things.js";

/** A list that grows by its button; `find` gets a page by its token. */
function looks(title, find, none, withObject = false) {
  const section = card(title, async () => {
    const rows = [];
    const box = el("div", { class: "stack" });
    const add = async (token) => {
      const answer = await find(token);
      rows.push(...answer.records);
      renew(box, [rows.length === 0 ? empty(none) : table(title, rows, withObject),
        answer.nextPageToken ? el("div", {}, moreButton(() => add(answer.nextPageToken))) : null]);
    };
    await add();
    return box;
  }, { wide: true });
  return section;
}

/** What was looked at or done, by the action, or by the method without its package: `Entitlements/Get`. */
const what = (one) => {
  const method = one.method?.split(".").at(-1);
  return t(`look.${method ?? one.action}`, { or: readable(method?.replace("/", ": ") ?? one.action) });
};

/** What concerns the viewer alone is all about them. */
const table = (title, rows, withObject) => grid(title, [
  [t("who"), (one) => name(one.operatorName, one.operatorId)],
  [t("what"), (one) => what(one)],
  withObject ? [t("object"), (one) => objectLink(one.object)] : null,
  [t("when"), (one) => time(one.recordedAt)],
].filter(Boolean), rows);

const parts = [["auth", "users/me/access"], ["tenancy", "audit/tenancy/access"], ["entitlement", "audit/entitlement/access"]];

/** What concerns the viewer, of all three services; a service that is away is left out. */
export function ownAccess() {
  return looks(t("access"), async (tokens) => {
    const pages = await Promise.all(parts.map(async ([service, path]) => {
      const token = tokens ? tokens[service] : "";
      if (tokens && !token) return { records: [] };
      const answer = await get(service, `${path}?${query({ limit: 20, pageToken: token || undefined })}`);
      return { service, records: answer.records, token: answer.nextPageToken };
    }));
    const next = Object.fromEntries(pages.filter((page) => page.token).map((page) => [page.service, page.token]));
    return { records: pages.flatMap((page) => page.records).sort((one, other) => (one.recordedAt < other.recordedAt ? 1 : -1)),
      nextPageToken: Object.keys(next).length > 0 ? next : undefined };
  }, t("noAccessYet"));
}

/** What concerns an object and all that is in it. */
export function objectAccess(entity) {
  return looks(t("access"), (token) => get("tenancy", `audit/tenancy/access?${query({ entityId: entity.id, limit: 20, pageToken: token })}`), t("noAccessYet"), true);
}
