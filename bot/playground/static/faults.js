// A menu that makes the server misbehave, to see how the bot bears it.

import { byId, h } from "./dom.js";

export async function faults(store, toast) {
  const answer = await fetch("/play/faults");
  const known = Object.entries(await answer.json());
  byId("faults").replaceChildren(...known.map(([fault, about]) =>
    h("button", { type: "button", class: "soft-button fault", data: { fault }, text: about, onclick: async () => {
      try {
        await store.act("faults", { fault });
        toast("Done. Watch how the bot bears it.");
      } catch (error) {
        toast(error.message);
      }
    } })));
}
