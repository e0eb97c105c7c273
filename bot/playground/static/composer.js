// The composer: plain messages, and slash commands chosen from a list with a form for their options.

import { avatar, h } from "./dom.js";
import { localized } from "./locale.js";

const MESSAGE_MAX = 2000;
const OPTION = { text: 3, integer: 4, boolean: 5, user: 6, channel: 7, role: 8, number: 10 };

export class Composer {
  constructor(root, page, channel) {
    this.root = root;
    this.page = page;
    this.channel = channel; // () => channel id
    this.replyTo = null;
    this.editing = null;
    this.command = null;
    this.choices = [];
    this.active = 0;
    this.name = root.id;
    this.menu = h("ul", { class: "command-menu", role: "listbox", id: `${this.name}-menu`, "aria-label": "Commands", hidden: true });
    this.reply = h("div", { class: "reply-bar", hidden: true });
    this.form = h("form", { class: "command-form", hidden: true, novalidate: true });
    this.error = h("div", { class: "composer-error", role: "alert", hidden: true });
    this.typing = h("div", { class: "typing", "aria-live": "off" });
    this.face = h("span", { class: "as-face" });
    this.who = h("select", { "aria-label": "Write as", title: "Write as", onchange: () => this.page.become(this.who.value) });
    this.input = h("textarea", { rows: "1", maxlength: MESSAGE_MAX, "aria-label": "Message", autocomplete: "off", role: "combobox", "aria-expanded": "false", "aria-controls": `${this.name}-menu`, "aria-autocomplete": "list" });
    this.sendButton = h("button", { type: "button", class: "send", "aria-label": "Send", text: "➤", onclick: () => this.send() });
    this.slash = h("button", { type: "button", class: "icon-button slash", "aria-label": "Commands", title: "Commands", text: "/", onclick: () => this.startCommand() });
    this.bar = h("div", { class: "bar" }, h("label", { class: "as" }, this.face, this.who), this.slash, this.input, this.sendButton);
    root.append(this.menu, this.reply, this.form, this.bar, this.error, this.typing);
    this.input.addEventListener("input", () => this.changed());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => setTimeout(() => { if (!this.root.contains(document.activeElement)) this.closeMenu(); }, 150));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.run(); });
    this.form.addEventListener("keydown", (event) => { if (event.key === "Escape") this.leaveCommand(); });
  }

  /** Update everything that depends on the store. */
  render() {
    const { store } = this.page;
    const me = this.page.person();
    const people = [...store.people.values()].filter((person) => !person.bot);
    const key = JSON.stringify([people, me?.id]);
    if (key !== this.whoKey) {
      this.whoKey = key;
      this.who.replaceChildren(...people.map((person) => h("option", { value: person.id, text: person.name })));
      this.who.value = me?.id ?? "";
      if (me) this.face.replaceChildren(avatar(me));
    }
    const channel = store.channels.get(this.channel());
    this.input.placeholder = channel ? (channel.parent_id ? "Message this thread" : `Message ${channel.only_for ? "@" : "#"}${channel.name}`) : "";
    this.input.disabled = Boolean(channel?.locked);
    const typists = store.typists(this.channel());
    this.typing.textContent = typists.length ? `${typists.join(", ")} ${typists.length === 1 ? "is" : "are"} typing…` : "";
    if (!this.menu.hidden) this.changed();
  }

  focus() {
    const field = this.command ? this.form.querySelector("textarea, input, select") ?? this.runButton : this.input;
    field.focus();
  }

  /** Put one of the person's own messages into the field to edit it. */
  setEdit(message) {
    this.setReply(null);
    this.editing = message;
    this.reply.hidden = false;
    this.reply.replaceChildren(h("span", { text: "Editing your message" }), h("button", { type: "button", class: "icon-button", "aria-label": "Cancel editing", text: "✕", onclick: () => this.setReply(null) }));
    this.input.value = message.content;
    this.grow();
    this.input.focus();
  }

  setReply(message) {
    if (this.editing) {
      this.editing = null;
      this.input.value = "";
      this.grow();
    }
    this.replyTo = message;
    this.reply.hidden = message === null;
    if (message === null) return;
    this.reply.replaceChildren(h("span", {}, "Replying to ", h("strong", { text: message.author.name })), h("button", { type: "button", class: "icon-button", "aria-label": "Cancel the reply", text: "✕", onclick: () => this.setReply(null) }));
    this.input.focus();
  }

  // ---------------------------------------------------------------- plain text

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, 180)}px`;
  }

  changed() {
    this.grow();
    this.fail(null);
    const match = /^\/([^\n]*)$/.exec(this.input.value);
    if (!match || this.page.store.state === null) {
      this.closeMenu();
      return;
    }
    const typed = match[1].toLowerCase();
    const commands = this.page.store.commands(this.channel());
    this.choices = commands.filter((command) => command.name.startsWith(typed) || localized(command, "name").startsWith(typed));
    this.active = Math.min(this.active, Math.max(0, this.choices.length - 1));
    if (this.choices.length === 0 && commands.some((command) => typed.startsWith(command.name))) this.closeMenu();
    else this.openMenu();
  }

  openMenu() {
    this.menu.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    const { store } = this.page;
    const empty = store.commands(this.channel()).length ? "No such command" : store.state.commands.length ? "The bot has no commands here" : "The bot is not online yet, so there are no commands";
    this.menu.replaceChildren(...(this.choices.length ? this.choices.map((command, index) => {
      const options = command.options.map((option) => h("span", { class: option.required ? "option-chip" : "option-chip optional", text: localized(option, "name") }));
      return h("li", { role: "option", id: `${this.name}-option-${index}`, "aria-selected": String(index === this.active), data: { command: command.name }, onpointerdown: (event) => { event.preventDefault(); this.choose(command); } },
        h("div", { class: "command-name" }, `/${localized(command, "name")} `, options), h("div", { class: "command-about", text: localized(command, "description") }));
    }) : [h("li", { class: "command-about", text: empty })]));
    this.input.setAttribute("aria-activedescendant", this.choices.length ? `${this.name}-option-${this.active}` : "");
    this.menu.children[this.active]?.scrollIntoView({ block: "nearest" });
  }

  closeMenu() {
    this.menu.hidden = true;
    this.active = 0;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.isComposing) return;
    const open = !this.menu.hidden && this.choices.length > 0;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.active = (this.active + (event.key === "ArrowDown" ? 1 : this.choices.length - 1)) % this.choices.length;
      this.openMenu();
    } else if (open && (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey))) {
      event.preventDefault();
      this.choose(this.choices[this.active]);
    } else if (event.key === "Escape") {
      if (!this.menu.hidden) this.closeMenu();
      else this.setReply(null);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    }
  }

  startCommand() {
    if (this.command) this.leaveCommand();
    this.input.value = "/";
    this.input.focus();
    this.changed();
  }

  async send() {
    const text = this.input.value.trim();
    if (!text) return;
    const command = this.editing ? null : this.parse(text);
    if (command) {
      this.choose(command.command, command.values);
      if (command.complete) await this.run();
      return;
    }
    if (!this.editing && /^\/[\w-]+$/.test(text)) {
      this.fail(`The bot has no command ${text}.`);
      return;
    }
    const body = { member_id: this.page.person().id, channel_id: this.channel(), content: this.withMentions(text) };
    if (this.replyTo) body.reply_to = this.replyTo.id;
    if (this.editing) body.message_id = this.editing.id;
    try {
      await this.page.store.act(this.editing ? "messages/edit" : "messages", body);
    } catch (error) {
      this.fail(error.message);
      return;
    }
    this.input.value = "";
    this.grow();
    this.setReply(null);
    this.page.sent(this.channel());
  }

  /** Parse a typed command, such as `/plan goal: two weeks in Japan` or `/plan two weeks in Japan`. */
  parse(text) {
    if (!text.startsWith("/")) return null;
    const command = [...this.page.store.commands(this.channel())]
      .sort((a, b) => b.name.length - a.name.length)
      .find(({ name }) => text === `/${name}` || text.startsWith(`/${name} `));
    if (!command) return null;
    const rest = text.slice(command.name.length + 1).trim();
    const values = {};
    const names = command.options.map((option) => option.name.replace(/[^\p{L}\p{N}_-]/gu, ""));
    const marks = names.length ? [...rest.matchAll(new RegExp(`(?:^|\\s)(${names.join("|")}):\\s*`, "gu"))] : [];
    marks.forEach((mark, index) => { values[mark[1]] = rest.slice(mark.index + mark[0].length, marks[index + 1]?.index).trim(); });
    const first = command.options.find((option) => option.type === OPTION.text);
    if (!marks.length && rest && first) values[first.name] = rest;
    const complete = (rest !== "" || command.options.length === 0) && command.options.every((option) => !option.required || values[option.name]);
    return { command, values, complete };
  }

  withMentions(text) {
    const people = [...this.page.store.people.values()].sort((a, b) => b.name.length - a.name.length);
    return people.reduce((result, person) => result.replaceAll(`@${person.name}`, `<@${person.id}>`), text);
  }

  // ---------------------------------------------------------------- commands

  choose(command, values = {}) {
    this.closeMenu();
    this.command = command;
    this.input.value = "";
    this.grow();
    this.fail(null);
    // As in Discord, optional fields are available but folded away.
    const [first, rest] = [[], []];
    for (const option of command.options) (option.required || values[option.name] !== undefined || first.length === 0 ? first : rest).push(this.field(option, values[option.name]));
    const few = rest.length < 2;
    const fields = few ? [...first, ...rest] : [...first, h("details", { class: "more-options" }, h("summary", { text: `${rest.length} more options` }), rest)];
    this.runButton = h("button", { type: "submit", class: "primary-button", text: "Run" });
    this.form.replaceChildren(
      h("div", { class: "command-head" }, h("strong", { text: `/${localized(command, "name")}` }), h("span", { class: "command-about", text: localized(command, "description") }), h("button", { type: "button", class: "icon-button", "aria-label": "Cancel the command", text: "✕", onclick: () => this.leaveCommand() })),
      ...fields, h("div", { class: "command-actions" }, h("label", { class: "as small" }, "as ", h("strong", { text: this.page.person()?.name ?? "" })), this.runButton));
    this.form.hidden = false;
    this.bar.hidden = true;
    this.focus();
  }

  field(option, value = "") {
    const id = `${this.name}-${option.name}`;
    const common = { id, name: option.name, "aria-describedby": `${id}-about`, required: option.required };
    const choices = (list) => h("select", common, option.required ? null : h("option", { value: "", text: "—" }), list.map(([key, text]) => h("option", { value: key, text, selected: String(key) === value })));
    let control;
    if (option.choices.length) control = choices(option.choices.map((choice) => [choice.value, localized(choice, "name")]));
    else if (option.type === OPTION.boolean) control = choices([["true", "True"], ["false", "False"]]);
    else if (option.type === OPTION.user) control = choices([...this.page.store.people.values()].map((person) => [person.id, person.name]));
    else if (option.type === OPTION.channel) control = choices([...this.page.store.channels.values()].map((channel) => [channel.id, `#${channel.name}`]));
    else if (option.type === OPTION.role) control = choices(this.page.store.state.roles.map((role) => [role.id, role.name]));
    else if (option.type === OPTION.integer || option.type === OPTION.number) control = h("input", { ...common, type: "number", inputmode: "decimal", step: option.type === OPTION.integer ? "1" : "any", min: option.min_value, max: option.max_value, value });
    else if (option.type === OPTION.text) {
      control = h("textarea", { ...common, rows: "1", maxlength: option.max_length, minlength: option.min_length, text: value });
      const grow = () => { control.style.height = "auto"; control.style.height = `${Math.min(control.scrollHeight + 2, 160)}px`; };
      control.addEventListener("input", grow);
      control.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.form.requestSubmit(); }
      });
    } else control = h("input", { ...common, disabled: true, value: "not supported in the playground" });
    return h("div", { class: "field-row" }, h("label", { for: id }, localized(option, "name"), option.required ? null : h("span", { class: "optional", text: " optional" })), control, h("div", { class: "command-about", id: `${id}-about`, text: localized(option, "description") }));
  }

  leaveCommand() {
    this.command = null;
    this.form.replaceChildren();
    this.form.hidden = true;
    this.bar.hidden = false;
    this.fail(null);
    this.input.focus();
  }

  async run() {
    const { command } = this;
    const options = {};
    for (const option of command.options) {
      const control = this.form.elements.namedItem(option.name);
      const value = control.value.trim();
      if (value === "" && option.required) {
        this.fail(`${localized(option, "name")} is required: ${localized(option, "description")}`);
        control.focus();
        return;
      }
      if (value === "" || control.disabled) continue;
      options[option.name] = option.type === OPTION.text ? this.withMentions(value) : value;
    }
    this.runButton.disabled = true;
    try {
      const interaction = await this.page.store.act("commands", { member_id: this.page.person().id, channel_id: this.channel(), command: command.name, options, locale: this.page.locale });
      this.page.started(interaction);
      this.leaveCommand();
      this.page.sent(this.channel());
    } catch (error) {
      this.fail(error.message);
    } finally {
      this.runButton.disabled = false;
    }
  }

  fail(message) {
    this.error.hidden = message === null;
    this.error.textContent = message ?? "";
  }
}
