// Modals: forms that the bot opens for one person.

import { byId, h } from "./dom.js";

/** Show the modal of an interaction; `send(values)` is called when the person submits it. */
export function openModal(modal, send) {
  const dialog = byId("modal");
  const error = h("p", { class: "composer-error", role: "alert", hidden: true });
  const field = (spec, index) => {
    const props = { id: `modal-${index}`, name: spec.custom_id, required: spec.required, maxlength: spec.max_length, placeholder: spec.placeholder, dir: "auto" };
    const control = spec.long ? h("textarea", { ...props, rows: "6", text: spec.value ?? "" }) : h("input", { ...props, value: spec.value });
    return h("div", { class: "modal-field" }, h("label", { for: props.id, text: spec.label }), control);
  };
  const submit = h("button", { type: "submit", class: "primary-button", text: "Submit" });
  const body = h("form", { class: "modal-body" }, h("h2", { id: "modal-title", dir: "auto", text: modal.title }), modal.fields.map(field), error,
    h("div", { class: "modal-actions" }, h("button", { type: "button", class: "soft-button", text: "Cancel", onclick: () => dialog.close() }), submit));
  body.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await send(Object.fromEntries(modal.fields.map((spec) => [spec.custom_id, body.elements.namedItem(spec.custom_id).value])));
      dialog.close();
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
      submit.disabled = false;
    }
  });
  dialog.replaceChildren(body);
  dialog.showModal();
}
