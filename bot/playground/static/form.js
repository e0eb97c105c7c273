// Forms that the bot opens for one person (Discord calls them modals).

import { byId, h } from "./dom.js";

/** Show the form of an interaction; `send(values)` is called once it is filled in. */
export function showForm(form, send) {
  const dialog = byId("form");
  const error = h("p", { class: "composer-error", role: "alert", hidden: true });
  const field = (spec, index) => {
    const props = { id: `form-${index}`, name: spec.custom_id, required: spec.required, maxlength: spec.max_length, placeholder: spec.placeholder, dir: "auto" };
    const control = spec.long ? h("textarea", { ...props, rows: "6", text: spec.value ?? "" }) : h("input", { ...props, value: spec.value });
    return h("div", { class: "form-field" }, h("label", { for: props.id, text: spec.label }), control);
  };
  const submit = h("button", { type: "submit", class: "primary-button", text: "Submit" });
  const body = h("form", { class: "form-body" }, h("h2", { id: "form-title", dir: "auto", text: form.title }), form.fields.map(field), error,
    h("div", { class: "form-actions" }, h("button", { type: "button", class: "soft-button", text: "Cancel", onclick: () => dialog.close() }), submit));
  body.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await send(Object.fromEntries(form.fields.map((spec) => [spec.custom_id, body.elements.namedItem(spec.custom_id).value])));
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
