// A channel's messages as a keyed list, whose rows move and change in place. The view follows the
// newest message only while the reader is at the bottom.

import { arrange, h } from "./dom.js";
import { Row } from "./message.js";

const NEAR_BOTTOM_PX = 60;
const GROUP_MS = 7 * 60 * 1000; // one author's messages this close share a heading, as in Discord

export class Timeline {
  constructor(scroller, list, page) {
    this.scroller = scroller;
    this.list = list;
    this.page = page;
    this.rows = new Map();
    this.pending = new Map();
    this.channel = null;
    this.following = true;
    this.jump = h("button", { type: "button", class: "jump", hidden: true, text: "New messages ↓", onclick: () => this.toBottom() });
    this.older = h("button", { type: "button", class: "older soft-button", hidden: true, text: "Show earlier messages", onclick: () => this.loadOlder() });
    list.before(this.older);
    scroller.after(this.jump);
    scroller.addEventListener("scroll", () => {
      this.following = this.atBottom();
      if (this.following) this.jump.hidden = true;
    }, { passive: true });
    // Images and previews load late, and a phone's keyboard makes the view smaller.
    const resized = new ResizeObserver(() => this.following && this.toBottom());
    resized.observe(list);
    resized.observe(scroller);
  }

  atBottom() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < NEAR_BOTTOM_PX;
  }

  toBottom() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.following = true;
    this.jump.hidden = true;
  }

  async loadOlder() {
    const { scrollHeight, scrollTop } = this.scroller;
    await this.page.attempt(this.page.store.loadOlder(this.channel));
    setTimeout(() => { this.scroller.scrollTop = scrollTop + this.scroller.scrollHeight - scrollHeight; }, 40);
  }

  show(channelId) {
    if (this.channel !== channelId) {
      this.channel = channelId;
      this.rows.clear();
      this.pending.clear();
      this.list.replaceChildren();
      this.following = true;
    }
    this.render();
  }

  render() {
    if (this.channel === null) return;
    const { store } = this.page;
    const me = this.page.person()?.id;
    const messages = store.visible(this.channel, me).filter((message) => !this.page.dismissed.has(message.id));
    const elements = [];
    let previous = null;
    let fresh = false;
    const ids = new Set();
    for (const message of messages) {
      ids.add(message.id);
      let row = this.rows.get(message.id);
      if (!row) {
        row = new Row(message, this.page);
        this.rows.set(message.id, row);
        fresh = true;
      }
      row.update(message, groups(previous, message));
      elements.push(row.element);
      previous = message;
    }
    for (const id of [...this.rows.keys()]) if (!ids.has(id)) this.rows.delete(id);
    elements.push(...this.renderPending(me));
    const scrolled = this.scroller.scrollTop;
    arrange(this.list, elements);
    this.older.hidden = store.complete.has(this.channel) || messages.length === 0;
    if (this.following) this.toBottom();
    else {
      this.scroller.scrollTop = scrolled;
      if (fresh) this.jump.hidden = false;
    }
  }

  /** Make rows for pending and unanswered commands, shown only to the person who ran them. */
  renderPending(me) {
    const shown = [];
    const { store } = this.page;
    for (const interaction of store.interactions.values()) {
      if (interaction.channel_id !== this.channel || interaction.user_id !== me) continue;
      const failed = interaction.state === "failed";
      const key = `${interaction.id}:${failed}`;
      if (!this.pending.has(key)) {
        const name = interaction.command ? `/${interaction.command}` : "the button";
        this.pending.set(key, h("li", { class: failed ? "pending failed" : "pending", data: { interaction: interaction.id } },
          h("span", { text: failed ? `The application did not respond to ${name}. ` : `Sending ${name}…` }),
          failed ? h("button", { type: "button", class: "text-button", text: "Dismiss", onclick: () => { store.interactions.delete(interaction.id); store.changed(); } }) : null));
      }
      shown.push(this.pending.get(key));
    }
    return shown;
  }
}

function groups(previous, message) {
  return previous !== null && previous.kind === "message" && message.kind === "message"
    && previous.author.id === message.author.id && previous.only_for === message.only_for
    && !message.caused_by && !message.reply_to && !previous.thread_id
    && Date.parse(message.timestamp) - Date.parse(previous.timestamp) < GROUP_MS;
}
