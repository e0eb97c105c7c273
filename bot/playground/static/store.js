// The page's data, kept current by the event socket. Views read it and are notified of changes.

import { compareIds } from "./dom.js";

const RETRY_FIRST_MS = 400;
const RETRY_MOST_MS = 5000;
const TYPING_MS = 10000;
const PAGE_MESSAGES = 100; // messages of a channel that the server sends at once
const BATCH_MS = 16; // one frame: a burst of events becomes one update of the page

export class Store extends EventTarget {
  constructor() {
    super();
    this.ready = false;
    this.connected = false;
    this.state = null; // the last snapshot
    this.people = new Map();
    this.channels = new Map();
    this.messages = new Map(); // channel id -> Map of message id -> message
    this.interactions = new Map(); // waiting or failed ones only
    this.typing = new Map(); // channel id -> Map of user id -> end of typing (ms)
    this.complete = new Set(); // channels whose first message is loaded
    this.retry = RETRY_FIRST_MS;
    this.scheduled = false;
  }

  connect() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play/events`);
    socket.addEventListener("message", (frame) => this.receive(JSON.parse(frame.data)));
    socket.addEventListener("open", () => {
      this.connected = true;
      this.retry = RETRY_FIRST_MS;
      this.changed();
    });
    socket.addEventListener("close", () => {
      this.connected = false;
      this.changed();
      setTimeout(() => this.connect(), this.retry);
      this.retry = Math.min(this.retry * 2, RETRY_MOST_MS);
    });
  }

  receive(event) {
    const handler = this[`on_${event.type}`];
    if (handler) handler.call(this, event);
    this.changed();
  }

  changed() {
    if (this.scheduled) return;
    this.scheduled = true;
    setTimeout(() => {
      this.scheduled = false;
      this.dispatchEvent(new Event("change"));
    }, BATCH_MS);
  }

  on_snapshot(snapshot) {
    if (this.state && this.state.bot_id !== snapshot.bot_id) {
      // Another playground now listens here, so nothing from the old one is valid.
      this.interactions.clear();
      this.complete.clear();
    }
    this.state = snapshot;
    this.people = new Map(snapshot.people.map((person) => [person.id, person]));
    this.channels = new Map(snapshot.channels.map((channel) => [channel.id, channel]));
    this.messages = new Map();
    for (const message of snapshot.messages) this.channelMessages(message.channel_id).set(message.id, message);
    for (const id of this.channels.keys()) if (this.channelMessages(id).size < PAGE_MESSAGES) this.complete.add(id);
    this.ready = true;
  }

  on_message({ message }) {
    this.channelMessages(message.channel_id).set(message.id, message);
    this.people.set(message.author.id, { ...message.author, ...this.people.get(message.author.id) });
    this.typing.get(message.channel_id)?.delete(message.author.id);
    if (message.caused_by) this.interactions.delete(message.caused_by.interaction_id);
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  on_message_deleted({ channel_id, message_id }) {
    this.channelMessages(channel_id).delete(message_id);
  }

  on_channel({ channel }) {
    if (!this.channels.has(channel.id)) this.complete.add(channel.id); // all its messages will arrive as events
    this.channels.set(channel.id, channel);
  }

  on_channel_deleted({ channel_id }) {
    this.channels.delete(channel_id);
    this.messages.delete(channel_id);
  }

  on_bot({ online }) {
    this.state.bot_online = online;
  }

  on_commands({ commands }) {
    this.state.commands = commands;
  }

  on_typing({ channel_id, user_id }) {
    if (!this.typing.has(channel_id)) this.typing.set(channel_id, new Map());
    this.typing.get(channel_id).set(user_id, Date.now() + TYPING_MS);
    setTimeout(() => this.changed(), TYPING_MS + 50);
  }

  on_interaction({ interaction }) {
    if (interaction.state === "answered") this.interactions.delete(interaction.id);
    else this.interactions.set(interaction.id, interaction);
    if (interaction.modal) this.dispatchEvent(new CustomEvent("modal", { detail: interaction }));
  }

  channelMessages(channelId) {
    if (!this.messages.has(channelId)) this.messages.set(channelId, new Map());
    return this.messages.get(channelId);
  }

  /** Return the commands that can be run in this channel, thread or direct messages. */
  commands(channelId) {
    const direct = Boolean(this.channels.get(channelId)?.only_for);
    return this.state.commands.filter((command) => (direct ? command.in_direct : command.in_server));
  }

  /** Return a channel's messages that this person can see, oldest first. */
  visible(channelId, personId) {
    return [...this.channelMessages(channelId).values()]
      .filter((message) => !message.only_for || message.only_for === personId)
      .sort((a, b) => compareIds(a.id, b.id));
  }

  typists(channelId) {
    const now = Date.now();
    return [...(this.typing.get(channelId) ?? [])].filter(([, until]) => until > now).map(([id]) => this.people.get(id)?.name ?? "Someone");
  }

  async loadOlder(channelId) {
    const oldest = [...this.channelMessages(channelId).keys()].sort(compareIds)[0];
    if (!oldest) return;
    const response = await fetch(`/play/channels/${channelId}/messages?before=${oldest}&limit=${PAGE_MESSAGES}`);
    if (!response.ok) throw new Error("The older messages could not be loaded.");
    const older = await response.json();
    for (const message of older) this.channelMessages(channelId).set(message.id, message);
    if (older.length < PAGE_MESSAGES) this.complete.add(channelId);
    this.changed();
  }

  /** Perform an action as a member; its effects also arrive as events. */
  async act(path, body) {
    let response;
    try {
      response = await fetch(`/play/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    } catch {
      throw new Error("The playground is not responding. Is it still running?");
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? "That did not work.");
    return answer;
  }
}
