// Previews of attached text files without leaving the page; Markdown is rendered or shown as source.

import { bytes, byId, h } from "./dom.js";
import { markdown } from "./markdown.js";

const TEXT = /\.(?:md|markdown|txt|json|jsonl|csv|tsv|log|ya?ml|toml|ini|xml|py|js|css|html|svg)$/i;
const IMAGE = /\.(?:png|jpe?g|gif|webp|svg)$/i;
const PREVIEW_BYTES = 1024 * 1024; // larger files are better opened in an editor

export const isImage = (file) => IMAGE.test(file.filename);
export const canPreview = (file) => TEXT.test(file.filename) && file.size <= PREVIEW_BYTES;

export async function preview(file) {
  const response = await fetch(file.url);
  if (!response.ok) throw new Error(`${file.filename} no longer exists.`);
  const text = await response.text();
  const dialog = byId("preview");
  const rendered = /\.(?:md|markdown)$/i.test(file.filename);
  const body = h("div", { class: "preview-body", tabindex: "0" });
  const show = (source) => {
    if (!source) body.replaceChildren(h("div", { class: "document body", dir: "auto" }, markdown(text, { document: true })));
    else body.replaceChildren(h("pre", { class: "source" }, h("code", { dir: "auto", text })));
    toggle.textContent = source ? "Rendered" : "Source";
    toggle.onclick = () => show(!source);
  };
  const toggle = h("button", { type: "button", class: "soft-button" });
  dialog.replaceChildren(
    h("header", { class: "preview-head" },
      h("h2", { id: "preview-title" }, h("bdi", { text: file.filename }), h("span", { class: "file-size", text: ` ${bytes(file.size)}` })),
      rendered ? toggle : null,
      h("a", { class: "soft-button", href: file.url, download: file.filename, text: "Download" }),
      h("button", { type: "button", class: "icon-button", "aria-label": "Close", text: "✕", onclick: () => dialog.close() })),
    body);
  show(!rendered);
  dialog.showModal();
}
