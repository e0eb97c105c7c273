// A message as a row. A row is created once and then updated part by part, only where its data has
// changed, so a live message can be edited every second without flicker or a lost selection.

import { controls, opener } from "./controls.js";
import { avatar, bytes, h, patch } from "./dom.js";
import { inline, markdown } from "./markdown.js";
import { canPreview, isImage } from "./preview.js";

const THINKING_ENDS_MS = 15 * 60 * 1000; // Discord gives up on a deferred answer after that
const QUICK = ["👍", "👎", "✅", "❌", "❤️", "🎉", "🤔", "👀"];

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

function when(iso) {
  const date = new Date(iso);
  const today = date.toDateString() === new Date().toDateString();
  return h("time", { class: "when", datetime: iso, title: full.format(date), text: today ? clock.format(date) : `${day.format(date)} ${clock.format(date)}` });
}

/** A row. `page` gives it `store`, `person()`, `open(id)` and the actions of its tools. */
export class Row {
  constructor(message, page) {
    this.page = page;
    this.keys = {};
    this.parts = {
      context: h("div", { class: "context" }),
      head: h("div", { class: "head" }),
      body: h("div", { class: "body", dir: "auto" }),
      embeds: h("div", { class: "embeds" }),
      buttons: h("div", { class: "buttons" }),
      files: h("div", { class: "files" }),
      reactions: h("div", { class: "reactions" }),
      thread: h("div", { class: "thread-slot" }),
      note: h("div", { class: "note" }),
      tools: h("div", { class: "tools" }),
    };
    const { context, head, ...rest } = this.parts;
    this.gutter = h("div", { class: "gutter" });
    this.element = h("li", { class: "message", data: { id: message.id } }, context, this.gutter, h("div", { class: "content" }, head, Object.values(rest)));
  }

  update(message, compact) {
    const { store } = this.page;
    this.message = message;
    const me = this.page.person()?.id;
    const loading = message.loading && Date.now() - Date.parse(message.timestamp) < THINKING_ENDS_MS;
    this.element.classList.toggle("compact", compact);
    this.element.classList.toggle("ephemeral", Boolean(message.only_for));
    this.element.classList.toggle("system", message.kind === "system");
    this.element.classList.toggle("pinged", message.pings.everyone || message.pings.user_ids.includes(me));
    this.part("head", [compact, message.author, message.timestamp], () => this.head(compact));
    const source = message.reply_to ? store.channelMessages(message.channel_id).get(message.reply_to) : null;
    this.part("context", [message.caused_by, message.reply_to, source?.content], () => this.context(source));
    const channel = (id) => store.channels.get(id)?.name;
    const named = [...message.content.matchAll(/<#(\d+)>/g)].map((match) => channel(match[1]));
    this.part("body", [message.content, loading, message.loading, Boolean(message.edited_timestamp), named], () => this.body(loading, channel));
    this.part("embeds", [message.embeds, message.attachments], () => message.embeds.map((embed) => this.embed(embed)));
    this.part("buttons", [message.buttons, message.menus, message.menus.length && [store.people.size, store.channels.size]], () => controls(message, this.page));
    const shown = new Set(message.embeds.flatMap((embed) => [embed.image, embed.thumbnail]));
    this.part("files", [message.attachments, [...shown]], () => message.attachments.filter((file) => !shown.has(file.url)).map((file) => this.file(file)));
    this.part("reactions", [message.reactions, me, store.people.size], () => this.reactions(me));
    const thread = message.thread_id ? store.channels.get(message.thread_id) : null;
    this.part("thread", [thread, thread && store.channelMessages(thread.id).size], () => this.thread(thread));
    this.part("note", message.only_for, () => this.note());
    this.part("tools", [message.only_for, message.kind, me === message.author.id, store.people.get(me)?.owner], () => this.tools());
  }

  /** Rebuild one part if its data changed. */
  part(name, data, make) {
    const key = JSON.stringify(data) ?? "";
    if (this.keys[name] === key) return;
    this.keys[name] = key;
    patch(this.parts[name], [make() ?? []].flat(Infinity));
  }

  head(compact) {
    const { author, timestamp } = this.message;
    this.gutter.replaceChildren(compact ? when(timestamp) : avatar(author));
    if (compact) return [];
    return [h("span", { class: "author", text: author.name }), author.bot ? h("span", { class: "badge", text: "APP" }) : null, when(timestamp)];
  }

  context(source) {
    const { caused_by: cause, reply_to: replyTo } = this.message;
    if (cause) {
      const person = this.page.store.people.get(cause.user_id) ?? { name: cause.user_name };
      return [h("span", { class: "spine", "aria-hidden": "true" }), avatar(person), h("span", { class: "who", text: cause.user_name }), " used ", h("span", { class: "mention", text: cause.command ? `/${cause.command}` : "a button" })];
    }
    if (!replyTo) return [];
    const spine = h("span", { class: "spine", "aria-hidden": "true" });
    if (!source) return [spine, h("em", { text: "a deleted message" })];
    const text = source.content.replaceAll("\n", " ").slice(0, 160);
    return [spine, avatar(source.author), h("span", { class: "who", text: source.author.name }), h("span", { class: "excerpt" }, inline(text, this.markdownContext(source, () => null)))];
  }

  markdownContext(message, channels) {
    return { names: (id) => this.page.store.people.get(id)?.name, roles: (id) => this.page.store.state.roles.find((role) => role.id === id)?.name, channels, everyone: message.pings.everyone };
  }

  body(loading, channels) {
    const { message } = this;
    if (loading) return [h("span", { class: "thinking" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), `${message.author.name} is thinking…`)];
    if (message.loading) return [h("span", { class: "failed", text: "The application did not respond." })];
    const nodes = markdown(message.content, this.markdownContext(message, channels));
    if (message.edited_timestamp && message.content) {
      const mark = h("span", { class: "edited", text: "(edited)" });
      const last = nodes.at(-1);
      if (last?.tagName === "P") last.append(" ", mark);
      else nodes.push(mark);
    }
    return nodes;
  }

  embed(embed) {
    const context = this.markdownContext(this.message, (id) => this.page.store.channels.get(id)?.name);
    const box = h("article", { class: "embed", dir: "auto" });
    if (embed.color !== null && embed.color !== undefined) box.style.borderInlineStartColor = `#${embed.color.toString(16).padStart(6, "0")}`;
    box.append(
      ...[
        embed.thumbnail ? this.image(embed.thumbnail, "", "thumbnail") : null,
        embed.author ? h("div", { class: "embed-author", text: embed.author }) : null,
        embed.title ? h("div", { class: "embed-title" }, inline(embed.url ? `[${embed.title}](${embed.url})` : embed.title, context)) : null,
        embed.description ? h("div", { class: "embed-text" }, markdown(embed.description, context)) : null,
        embed.fields.length ? h("div", { class: "fields" }, embed.fields.map((field) => h("div", { class: field.inline ? "field inline" : "field" }, h("div", { class: "field-name" }, inline(field.name, context)), h("div", {}, markdown(field.value, context))))) : null,
        embed.image ? this.image(embed.image, "", "picture") : null,
        embed.footer || embed.timestamp ? h("div", { class: "footer" }, embed.footer ?? "", embed.footer && embed.timestamp ? " · " : "", embed.timestamp ? when(embed.timestamp) : null) : null,
      ].filter(Boolean),
    );
    return box;
  }

  image(url, alt, kind) {
    let safe;
    try {
      safe = new URL(url, location.href);
    } catch {
      return null;
    }
    // Only this server's own files: an image elsewhere would reveal to its owner who looks at it.
    return h("img", { class: kind, src: safe.pathname, alt, loading: "lazy" });
  }

  file(file) {
    if (isImage(file)) return h("a", { class: "image", href: file.url, download: file.filename, title: `Download ${file.filename}` }, this.image(file.url, file.description ?? file.filename, "picture"));
    return h("div", { class: "file" },
      h("span", { class: "file-icon", "aria-hidden": "true", text: "📄" }),
      h("div", { class: "file-about" }, h("a", { href: file.url, download: file.filename, text: file.filename }), h("div", { class: "file-size", text: file.description ? `${bytes(file.size)} · ${file.description}` : bytes(file.size) })),
      canPreview(file) ? h("button", { type: "button", class: "soft-button", text: "Read", "aria-label": `Read ${file.filename}`, onclick: () => this.page.preview(file) }) : null,
      h("a", { class: "soft-button", href: file.url, download: file.filename, "aria-label": `Download ${file.filename}`, text: "↓" }));
  }

  reactions(me) {
    return this.message.reactions.map(({ emoji, user_ids: users }) => {
      const names = users.map((id) => this.page.store.people.get(id)?.name ?? "someone").join(", ");
      const mine = users.includes(me);
      return h("button", { type: "button", class: mine ? "reaction mine" : "reaction", "aria-pressed": String(mine), title: `${names} reacted with ${emoji}`, "aria-label": `${emoji}: ${users.length}, ${names}`, data: { key: emoji }, onclick: () => this.page.react(this.message, emoji) },
        h("span", { class: "emoji", text: emoji }), h("span", { class: "count", text: String(users.length) }));
    });
  }

  thread(thread) {
    if (!thread) return [];
    const count = this.page.store.channelMessages(thread.id).size;
    return h("button", { type: "button", class: "thread-chip", data: { thread: thread.id }, onclick: () => this.page.open(thread.id) },
      h("span", { class: "thread-name" }, h("span", { "aria-hidden": "true", text: "🧵 " }), h("bdi", { text: thread.name })),
      h("span", { class: "thread-count", text: `${count}${count >= 100 ? "+" : ""} message${count === 1 ? "" : "s"}${thread.archived ? " · archived" : ""} ›` }));
  }

  note() {
    if (!this.message.only_for) return [];
    return ["👁 Only you can see this · ", h("button", { type: "button", class: "text-button", text: "Dismiss", onclick: () => this.page.dismiss(this.message) })];
  }

  tools() {
    const { message, page } = this;
    if (message.only_for || message.kind === "system") return [];
    return [
      ...opener({ class: "tool", title: "Add a reaction", "aria-label": "Add a reaction", text: "☺\uFE0E" }, () => QUICK.map((emoji) => [emoji, () => page.react(this.message, emoji), { "aria-label": `React with ${emoji}` }]), "popup emoji-menu"),
      h("button", { type: "button", class: "tool", title: "Reply", "aria-label": "Reply", text: "↩\uFE0E", onclick: () => page.reply(this.message) }),
      ...(this.more().length ? opener({ class: "tool", title: "More", "aria-label": "More", text: "⋯" }, () => this.more()) : []),
    ];
  }

  /** Return what the current person may do with the message; called each time the menu opens. */
  more() {
    const { message, page } = this;
    const me = page.person();
    const mine = message.author.id === me?.id;
    return [
      mine ? ["Edit", () => page.edit(this.message)] : null,
      mine || me?.owner ? ["Delete", () => page.remove(this.message), { class: "dangerous" }] : null,
      me?.owner ? ["Clear reactions", () => page.clearReactions(this.message)] : null,
    ].filter(Boolean);
  }
}
