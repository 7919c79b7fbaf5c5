// The tree of what the viewer sees, opened place by place.

import { el, card, empty, fresh, moreButton, number, t, complaint } from "./base.js";
import { newButton, roots as rootTypes } from "./edit.js";
import { isOperator, me, myRoles } from "./main.js";
import { children, object, objectLink, roleWord, schema, typeWord } from "./things.js";

const perPage = 50;

export default async function places({ page }) {
  const made = rootTypes((await schema()).types);
  page(t("nav.places"), el("div", { class: "stack" }, card(t("tree"), roots, { wide: true })), { text: t("placesText"),
    actions: made.map((type) => newButton(type)) });
}

/** The topmost objects on which the viewer has a role; of an operator, all that are below the system. */
async function roots() {
  const types = (await schema()).types;
  const roles = await myRoles();
  if (isOperator()) {
    const tops = types.filter((type) => type.parents.includes("system"));
    const lists = await Promise.all(tops.map((type) => children(type.name, "sys_root", { pageSize: perPage }).catch(() => ({ entities: [] }))));
    const found = lists.flatMap((list) => list.entities);
    if (found.length === 0) return empty(t("noPlaces"));
    return tree(found, types, found.length <= 2);
  }
  const ids = [...new Set(roles.filter((role) => role.entityType !== "system").map((role) => role.entityId))];
  const found = (await Promise.all(ids.map(object))).filter(Boolean);
  const inside = found.filter((entity) => !found.some((other) => other.id === entity.parentId));
  if (inside.length === 0) return empty(t("noAccess"));
  return tree(inside, types, true);
}

const tree = (entities, types, isOpen) => el("div", { class: "tree" },
  el("ul", {}, entities.map((entity) => node(entity, types, isOpen ? 2 : 0))));

function node(entity, types, depth) {
  const below = types.filter((type) => type.parents.includes(entity.type));
  const list = el("ul", { id: fresh("below"), hidden: true });
  const roles = me.roles.filter((role) => role.entityId === entity.id).map((role) => roleWord(role.customRole || role.role));
  const fold = el("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-controls": list.id,
    click: () => toggle() }, "▸");
  fold.setAttribute("aria-label", t("showBelow", { name: entity.name }));
  let loaded = false;
  const toggle = async () => {
    list.hidden = !list.hidden;
    fold.setAttribute("aria-expanded", String(!list.hidden));
    fold.textContent = list.hidden ? "▸" : "▾";
    if (loaded || list.hidden) return;
    loaded = true;
    list.setAttribute("aria-busy", "true");
    try {
      await fill(list, entity, below, types, depth - 1);
    } catch (problem) {
      loaded = false;
      list.replaceChildren(el("li", {}, complaint(problem)));
    } finally {
      list.removeAttribute("aria-busy");
    }
  };
  if (below.length > 0 && depth > 0) toggle();
  return el("li", {}, el("div", { class: "line" }, below.length > 0 ? fold : null, objectLink(entity.id, entity.name, entity.type),
    el("span", { class: "quiet small" }, entity.type === "device" && entity.attributes?.kind ? String(entity.attributes.kind) : typeWord(entity.type)),
    roles.length > 0 ? el("span", { class: "badge accent" }, roles.join(", ")) : null), below.length > 0 ? list : null);
}

async function fill(list, entity, below, types, depth) {
  const answers = await Promise.all(below.map((type) => children(type.name, entity.id, { pageSize: perPage })));
  const items = answers.flatMap((answer, index) => [
    ...answer.entities.map((child) => node(child, types, depth)),
    answer.nextPageToken ? more(answer, below[index], entity, types) : null]).filter(Boolean);
  list.replaceChildren(...(items.length > 0 ? items : [el("li", { class: "quiet small" }, t("nothingBelow"))]));
}

/** The rest of a long list, a page at a time. */
function more(answer, type, entity, types) {
  const rest = Number(answer.totalSize ?? 0) - perPage;
  const item = el("li", {}, moreButton(async () => {
    const next = await children(type.name, entity.id, { pageSize: perPage, pageToken: answer.nextPageToken });
    const nodes = next.entities.map((child) => node(child, types, 0));
    item.replaceWith(...nodes, ...(next.nextPageToken ? [more({ ...next, totalSize: rest }, type, entity, types)] : []));
    nodes[0]?.querySelector("a")?.focus();
  }, rest > 0 && rest <= 1000 ? t("showMoreOf", { count: number(rest) }) : t("showMore"), "small"));
  return item;
}

