// The page's state (the open channel and thread, the current person) and its actions.

import { Composer } from "./composer.js";
import { closePopups, opener } from "./controls.js";
import { avatar, byId, compareIds, h, patch } from "./dom.js";
import { faults } from "./faults.js";
import { openModal } from "./modal.js";
import { locale } from "./locale.js";
import { tick } from "./markdown.js";
import { preview } from "./preview.js";
import { Store } from "./store.js";
import { Timeline } from "./timeline.js";

const TOAST_MS = 8000;
const SEARCH_FROM = 6; // show the thread search from this many threads on
const phone = matchMedia("(max-width: 800px)");
const store = new Store();

const page = {
  store,
  locale,
  dismissed: new Set(),
  mine: new Set(), // interactions started on this page; their threads open automatically
  me: sessionStorage.getItem("person"),

  person() {
    const people = [...store.people.values()].filter((person) => !person.bot);
    return people.find((person) => person.name === this.me) ?? people[0];
  },
  become(id) {
    this.me = store.people.get(id)?.name ?? null;
    if (this.me) sessionStorage.setItem("person", this.me);
    store.changed();
  },
  async attempt(promise) {
    try {
      return await promise;
    } catch (error) {
      toast(error.message);
      return null;
    }
  },
  react(message, emoji) {
    this.attempt(store.act("reactions", { ...this.at(message), emoji }));
  },
  async press(message, customId) {
    const interaction = await this.attempt(store.act("buttons", { ...this.at(message), custom_id: customId }));
    if (interaction) this.started(interaction);
  },
  async choose(message, customId, values) {
    const body = { ...this.at(message), custom_id: customId, values };
    const interaction = await this.attempt(store.act("buttons", body));
    if (interaction) this.started(interaction);
  },
  at(message) {
    return { member_id: this.person().id, channel_id: message.channel_id, message_id: message.id };
  },
  reply(message) {
    composerOf(message).setReply(message);
  },
  edit(message) {
    composerOf(message).setEdit(message);
  },
  remove(message) {
    this.attempt(store.act("messages/delete", this.at(message)));
  },
  clearReactions(message) {
    this.attempt(store.act("reactions/clear", this.at(message)));
  },
  async direct() {
    const channel = await this.attempt(store.act("direct", { member_id: this.person().id }));
    if (!channel) return;
    store.on_channel({ channel });
    this.open(channel.id);
  },
  dismiss(message) {
    this.dismissed.add(message.id);
    store.changed();
  },
  preview(file) {
    this.attempt(preview(file));
  },
  started(interaction) {
    this.mine.add(interaction.id);
    // Events may have arrived before the response to the request.
    for (const messages of store.messages.values()) for (const message of messages.values()) openMyThread(message);
  },
  sent(channelId) {
    (channelId === view.thread ? threadTimeline : mainTimeline).following = true;
    store.changed();
  },
  open(channelId) {
    const channel = store.channels.get(channelId);
    if (!channel) return;
    go(channel.parent_id ?? channel.id, channel.parent_id ? channel.id : null);
    // On a phone, focusing the composer would open a keyboard that covers the messages.
    if (channel.parent_id) setTimeout(() => (phone.matches ? byId("scroll-thread") : threadComposer).focus(), 60);
  },
};

const view = { channel: null, thread: null };
const mainTimeline = new Timeline(byId("scroll-main"), byId("messages-main"), page);
const threadTimeline = new Timeline(byId("scroll-thread"), byId("messages-thread"), page);
const mainComposer = new Composer(byId("composer-main"), page, () => view.channel);
const threadComposer = new Composer(byId("composer-thread"), page, () => view.thread);

const composerOf = (message) => (message.channel_id === view.thread ? threadComposer : mainComposer);

byId("thread-tools").append(...opener({ class: "icon-button", title: "Thread options", "aria-label": "Thread options", text: "⋯" }, () => {
  const thread = store.channels.get(view.thread);
  const change = (changes) => page.attempt(store.act("threads", { member_id: page.person().id, channel_id: thread.id, ...changes }));
  const name = { custom_id: "name", label: "Name", long: false, required: true, max_length: 100, value: thread.name };
  return [
    ["Rename", () => openModal({ title: "Rename the thread", fields: [name] }, (values) => store.act("threads", { member_id: page.person().id, channel_id: thread.id, ...values }))],
    thread.archived ? ["Reopen", () => change({ archived: false, locked: false })] : ["Archive", () => change({ archived: true })],
    thread.locked ? ["Unlock", () => change({ locked: false })] : ["Lock", () => change({ archived: true, locked: true })],
    ["Delete", () => page.attempt(store.act("threads/delete", { member_id: page.person().id, channel_id: thread.id })), { class: "dangerous" }],
  ];
}));

// ---------------------------------------------------------------- navigation

function go(channel, thread) {
  sidebar(false);
  location.hash = thread ? `${channel}/${thread}` : channel;
}

function readHash() {
  const [channel, thread] = location.hash.slice(1).split("/");
  const mine = store.channels.has(channel) && (store.channels.get(channel).only_for ?? page.person()?.id) === page.person()?.id;
  view.channel = mine ? channel : store.state?.channel_id ?? null;
  view.thread = store.channels.get(thread)?.parent_id === view.channel && thread ? thread : null;
}

function sidebar(open) {
  byId("app").classList.toggle("menu-open", open);
  byId("scrim").hidden = !open;
  byId("sidebar-open").setAttribute("aria-expanded", String(open));
  if (open) byId("sidebar-close").focus();
}

function toast(text, action = null) {
  const box = byId("toast");
  box.replaceChildren(h("span", { text }), ...(action ? [h("button", { type: "button", class: "primary-button", text: action.label, onclick: () => { box.hidden = true; action.run(); } })] : []));
  box.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { box.hidden = true; }, TOAST_MS);
}

/** Open the thread of an own command, or offer to if it would replace what is open. */
function openMyThread(message) {
  if (!message.thread_id || !message.caused_by || !page.mine.has(message.caused_by.interaction_id)) return;
  page.mine.delete(message.caused_by.interaction_id);
  const thread = store.channels.get(message.thread_id);
  if (!thread) return;
  if (phone.matches || view.thread) toast(`New thread: ${thread.name}`, { label: "Open", run: () => page.open(thread.id) });
  else go(thread.parent_id, thread.id);
}

// ---------------------------------------------------------------- drawing

function drawChannels() {
  const channels = [...store.channels.values()];
  const wanted = byId("find-thread").value.trim().toLowerCase();
  const found = channels.filter((channel) => channel.parent_id && channel.name.toLowerCase().includes(wanted));
  byId("find-thread").hidden = !wanted && channels.filter((channel) => channel.parent_id).length < SEARCH_FROM;
  byId("no-thread").hidden = !wanted || found.length > 0;
  const threads = (parent) => found.filter((channel) => channel.parent_id === parent).sort((a, b) => compareIds(b.id, a.id));
  const item = (channel, current) => h("button", { type: "button", class: `${channel.parent_id ? "channel child" : "channel"}${channel.archived ? " archived" : ""}`, data: { channel: channel.id, key: channel.id }, "aria-current": current ? "page" : null },
    h("span", { class: "hash", "aria-hidden": "true", text: channel.parent_id ? "🧵" : "#" }), h("bdi", { text: channel.name }));
  patch(byId("channels"), channels.filter((channel) => !channel.parent_id && !channel.only_for).map((channel) => h("li", { data: { key: channel.id } },
    item(channel, channel.id === view.channel && !view.thread),
    h("ul", { data: { key: "threads" } }, threads(channel.id).map((thread) => h("li", { data: { key: thread.id } }, item(thread, thread.id === view.thread)))))));
  const bot = store.people.get(store.state.bot_id);
  const direct = Boolean(store.channels.get(view.channel)?.only_for);
  patch(byId("direct"), [h("li", { data: { key: "direct" } }, h("button", { type: "button", class: "channel", data: { direct: "", key: "direct" }, "aria-current": direct ? "page" : null }, h("span", { class: "hash", "aria-hidden": "true", text: "@" }), h("bdi", { text: bot?.name ?? "The bot" })))]);
}

function drawPeople() {
  const me = page.person();
  const people = [...store.people.values()].filter((person) => !person.bot);
  patch(byId("people"), people.map((person) => h("button", { type: "button", role: "radio", "aria-checked": String(person.id === me?.id), tabindex: person.id === me?.id ? "0" : "-1", class: "person", data: { person: person.id, key: person.id } },
    avatar(person), h("span", { class: "person-name", text: person.name }), person.owner ? h("span", { class: "crown", title: "Owns this server and has every permission", text: "owner" }) : null,
    person.roles.map((role) => h("span", { class: "crown", title: `Has the role ${role}`, text: role })))));
  const bot = store.people.get(store.state.bot_id);
  patch(byId("bot-status"), [h("span", { class: store.state.bot_online ? "dot on" : "dot" }), h("span", { text: `${bot?.name ?? "The bot"} is ${store.state.bot_online ? "online" : "offline"}` })]);
}

function drawWelcome() {
  const empty = store.channelMessages(view.channel).size === 0;
  const online = store.state.bot_online;
  const channel = store.channels.get(view.channel);
  const commands = store.commands(view.channel);
  const first = commands.find((command) => command.name === "plan") ?? commands[0];
  if (channel?.only_for) {
    byId("welcome").classList.toggle("empty", empty);
    patch(byId("welcome"), [
      h("div", { class: "welcome-mark", "aria-hidden": "true", text: "@" }),
      h("h2", { text: channel.name }),
      h("p", { text: `Direct messages between ${page.person()?.name} and the bot. Nobody else can see them.` }),
      empty && online && first ? h("p", {}, h("button", { type: "button", class: "primary-button big", data: { start: first.name }, text: `Start with /${first.name}` })) : null,
    ]);
    return;
  }
  byId("welcome").classList.toggle("empty", empty);
  patch(byId("welcome"), [
    h("div", { class: "welcome-mark", "aria-hidden": "true", text: "#" }),
    h("h2", { text: `Welcome to #${channel?.name ?? ""}` }),
    h("p", { text: "This is a small Discord server on your own machine. Only the server is simulated: the bot is the real one." }),
    empty && online && first ? h("p", {}, h("button", { type: "button", class: "primary-button big", data: { start: first.name }, text: `Start with /${first.name}` })) : null,
    empty && !online ? h("p", { class: "waiting" }, "Waiting for the bot to come online…") : null,
    empty && online ? h("p", { class: "hint", text: "Or type / to see all commands. To vote as someone else, choose another person at the bottom left." }) : null,
  ]);
}

function draw() {
  if (!store.ready) return;
  readHash();
  const channel = store.channels.get(view.channel);
  const thread = view.thread ? store.channels.get(view.thread) : null;
  byId("guild-name").textContent = store.state.guild;
  byId("channel-name").textContent = channel?.name ?? "";
  byId("channel-mark").textContent = channel?.only_for ? "@" : "#";
  byId("channel-topic").textContent = channel?.only_for ? "Direct messages" : channel?.topic ?? "";
  document.title = `${thread ? thread.name : `${channel?.only_for ? "@" : "#"}${channel?.name ?? ""}`} · ${store.state.guild}`;
  byId("app").dataset.view = thread ? "thread" : "channel";
  byId("thread").hidden = !thread;
  byId("thread-tools").hidden = !page.person()?.owner; // needs Manage Threads
  byId("connection").hidden = store.connected && store.state.bot_online;
  byId("connection").textContent = !store.connected ? "Lost the connection to the playground. Reconnecting…" : "The bot is offline. Its commands will work again when it is back.";
  drawChannels();
  drawPeople();
  drawWelcome();
  mainTimeline.show(view.channel);
  mainComposer.render();
  if (thread) {
    byId("thread-name").textContent = thread.name;
    patch(byId("thread-start"), [h("h3", { dir: "auto", text: thread.name }), h("p", { text: `A thread in #${channel?.name ?? ""}${thread.locked ? ". It is locked, so nobody can write in it." : thread.archived ? ". It is archived: write in it to reopen it." : ""}` })]);
    threadTimeline.show(view.thread);
    threadComposer.render();
  }
}

// ---------------------------------------------------------------- events

store.addEventListener("change", draw);
store.addEventListener("message", (event) => openMyThread(event.detail));
store.addEventListener("modal", ({ detail: interaction }) => {
  const me = page.person();
  if (interaction.user_id !== me?.id) return;
  openModal(interaction.modal, async (values) => page.started(await store.act("modals", { member_id: me.id, interaction_id: interaction.id, values })));
});
addEventListener("hashchange", draw);
byId("find-thread").addEventListener("input", drawChannels);
byId("sidebar-open").addEventListener("click", () => sidebar(true));
byId("sidebar-close").addEventListener("click", () => sidebar(false));
byId("scrim").addEventListener("click", () => sidebar(false));
byId("thread-back").addEventListener("click", () => go(view.channel, null));
byId("thread-close").addEventListener("click", () => go(view.channel, null));

byId("people").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const people = [...store.people.values()].filter((person) => !person.bot);
  const at = people.findIndex((person) => person.id === page.person()?.id);
  page.become(people[(at + step + people.length) % people.length].id);
  setTimeout(() => byId("people").querySelector('[aria-checked="true"]')?.focus(), 40);
});

function reveal(spoiler) {
  spoiler.classList.add("shown");
  spoiler.setAttribute("aria-expanded", "true");
  spoiler.removeAttribute("aria-label");
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-channel], [data-person], [data-spoiler], [data-start], [data-direct]");
  if (!event.target.closest("[data-popup], [aria-haspopup=menu]")) closePopups();
  if (!target) return;
  if (target.dataset.direct !== undefined) page.direct();
  else if (target.dataset.channel) page.open(target.dataset.channel);
  else if (target.dataset.person) page.become(target.dataset.person);
  else if (target.dataset.start) mainComposer.choose(store.state.commands.find((command) => command.name === target.dataset.start));
  else reveal(target);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && byId("app").classList.contains("menu-open")) sidebar(false);
  if ((event.key === "Enter" || event.key === " ") && event.target.matches?.("[data-spoiler]")) {
    event.preventDefault();
    reveal(event.target);
  }
});
setInterval(() => tick(), 1000);
page.attempt(faults(store, toast));
store.connect();
