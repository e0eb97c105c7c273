// Buttons and menus under a message, and the small popup menus.

import { h } from "./dom.js";

const BUTTON_STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

/** The rows of buttons and menus of a message, in the bot's order. */
export function controls(message, page) {
  const rows = message.buttons.map((row) => (row.length ? h("div", { class: "button-row" }, row.map((button) => chatButton(message, button, page))) : null));
  for (const menu of message.menus) rows[menu.row] = chatMenu(message, menu, page);
  return rows.filter(Boolean);
}

function chatButton(message, button, page) {
  const label = [button.emoji, button.label].filter(Boolean).join(" ");
  const style = `chat-button ${BUTTON_STYLES[button.style] ?? "secondary"}`;
  if (button.url) return h("a", { class: style, href: /^https?:/.test(button.url) ? button.url : "#", target: "_blank", rel: "noopener noreferrer", text: `${label} ↗` });
  // The id is part of the element, so that patch() never keeps a button that means something else.
  return h("button", { type: "button", class: style, disabled: button.disabled, data: { button: button.custom_id ?? "" }, text: label, onclick: () => page.press(message, button.custom_id) });
}

function chatMenu(message, menu, page) {
  const { store } = page;
  const offered = {
    options: menu.options,
    people: [...store.people.values()].map((person) => ({ value: person.id, label: person.name })),
    channels: [...store.channels.values()].filter((channel) => !channel.only_for).map((channel) => ({ value: channel.id, label: `#${channel.name}` })),
  }[menu.kind];
  const name = menu.placeholder ?? "Choose";
  const choose = (values) => page.choose(message, menu.custom_id, values);
  const text = (option) => (option.description ? `${option.label} · ${option.description}` : option.label);
  if (menu.most === 1 && menu.least === 1) {
    const select = h("select", { class: "chat-menu", "aria-label": name, disabled: menu.disabled, onchange: () => choose([select.value]) },
      offered.some((option) => option.chosen) ? null : h("option", { value: "", text: name, disabled: true, selected: true }),
      offered.map((option) => h("option", { value: option.value, text: text(option), selected: option.chosen })));
    return h("div", { class: "button-row", data: { menu: menu.custom_id } }, select);
  }
  const boxes = offered.map((option) => h("label", { class: "chat-choice" }, h("input", { type: "checkbox", value: option.value, checked: option.chosen, disabled: menu.disabled }), h("bdi", { text: text(option) })));
  const chosen = () => boxes.map((box) => box.firstChild).filter((box) => box.checked).map((box) => box.value);
  return h("details", { class: "chat-menu many", data: { menu: menu.custom_id } }, h("summary", { text: name }), h("div", { class: "chat-choices", role: "group", "aria-label": name }, boxes),
    h("button", { type: "button", class: "soft-button", text: "Choose", disabled: menu.disabled, onclick: () => choose(chosen()) }));
}

/**
 * Make a button and the menu it opens; `items()` returns `[label, action]` pairs at each opening.
 * The menu closes on Escape, on a choice, and on a click elsewhere (see app.js).
 */
export function opener(props, items, className = "popup") {
  const menu = h("div", { class: className, role: "menu", data: { popup: "" }, hidden: true });
  const button = h("button", { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", ...props, onclick: () => toggle(menu.hidden) });
  const toggle = (open) => {
    closePopups(menu);
    menu.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    menu.replaceChildren(...items().filter(Boolean).map(([text, run, more = {}]) => h("button", { type: "button", role: "menuitem", text, ...more, onclick: () => { toggle(false); button.focus(); run(); } })));
    menu.firstChild?.focus();
  };
  menu.addEventListener("keydown", (event) => {
    const all = [...menu.children];
    const at = all.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) all[(at + step + all.length) % all.length].focus();
    else if (event.key === "Escape") {
      toggle(false);
      button.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return [button, menu];
}

/** Close all open menus except one. */
export function closePopups(but = null) {
  for (const menu of document.querySelectorAll("[data-popup]:not([hidden])")) {
    if (menu === but) continue;
    menu.hidden = true;
    menu.previousSibling?.setAttribute("aria-expanded", "false");
  }
}
