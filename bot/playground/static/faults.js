// The dialog that causes simulated faults of the server, to see how the bot copes.

import { byId, h } from "./dom.js";

export async function faults(store, toast) {
  const known = Object.entries(await (await fetch("/play/faults")).json());
  const dialog = byId("faults");
  dialog.replaceChildren(
    h("header", { class: "preview-head" }, h("h2", { id: "faults-title", text: "Simulate a fault" }), h("button", { type: "button", class: "icon-button", "aria-label": "Close", text: "✕", onclick: () => dialog.close() })),
    h("div", { class: "preview-body" }, h("p", { class: "hint", text: "Discord sometimes fails in these ways. The bot should recover without losing anything." }), h("div", { class: "fault-list" }, known.map(([fault, about]) =>
      h("button", { type: "button", class: "soft-button fault", data: { fault }, text: about, onclick: async () => {
        dialog.close();
        try {
          await store.act("faults", { fault });
          toast(`Done: ${about}.`);
        } catch (error) {
          toast(error.message);
        }
      } })))));
  byId("open-faults").addEventListener("click", () => dialog.showModal());
}
