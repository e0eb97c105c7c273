// Renders Discord's Markdown as DOM nodes. The text may be hostile: links are only http or https,
// nothing is fetched, nesting is bounded, and no pattern has catastrophic backtracking.

import { h } from "./dom.js";

const MAX_DEPTH = 8;

// Each rule is a sticky pattern and a function that makes a node; the first match at a position wins.
const INLINE = [
  [/\\([^\sA-Za-z0-9])/y, (m) => m[1]],
  [/(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y, (m) => h("code", { text: m[2].trim() || m[2] })],
  [/\[((?:[^[\]\\]|\\.)+)\]\(<?(https?:\/\/[^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s"[^"]*")?\)/y, (m, c) => link(m[2], inline(m[1], c))],
  [/<(https?:\/\/[^\s>]+)>/y, (m) => link(m[1], [m[1]])],
  [/https?:\/\/[^\s<>]*[^\s<>.,:;!?"'()[\]*_|]/y, (m) => link(m[0], [m[0]])],
  [/<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y, (m) => timestamp(Number(m[1]), m[2] ?? "f", m[0])],
  [/<@!?(\d{1,20})>/y, (m, c) => mention(`@${c.names?.(m[1]) ?? "unknown"}`)],
  [/<@&(\d{1,20})>/y, (m, c) => mention(`@${c.roles?.(m[1]) ?? "role"}`)],
  [/<#(\d{1,20})>/y, (m, c) => channelMention(m[1], c)],
  [/<a?:(\w{1,32}):\d{1,20}>/y, (m) => `:${m[1]}:`],
  [/<\/([^:<>]{1,100}):\d{1,20}>/y, (m) => mention(`/${m[1]}`)],
  [/\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, (m, c) => h("strong", {}, inline(m[1], c))],
  [/__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, (m, c) => h("u", {}, inline(m[1], c))],
  [/\*(?!\s)((?:\*\*|\\[\s\S]|[^*\\])+?)\*(?!\*)/y, (m, c) => h("em", {}, inline(m[1], c))],
  [/_((?:__|\\[\s\S]|[^_\\])+?)_(?![\p{L}\p{N}_])/uy, (m, c) => h("em", {}, inline(m[1], c)), /[\p{L}\p{N}_]$/u],
  [/~~((?:\\[\s\S]|[^\\])+?)~~/y, (m, c) => h("s", {}, inline(m[1], c))],
  [/\|\|((?:\\[\s\S]|[^\\])+?)\|\|/y, (m, c) => spoiler(inline(m[1], c))],
  [/@(?:everyone|here)\b/y, (m, c) => (c.everyone ? mention(m[0]) : m[0])],
];
const SPECIAL = /[\\`[<h*_~|@\n]/g;

function link(url, children) {
  let safe;
  try {
    safe = new URL(url);
  } catch {
    return url;
  }
  if (safe.protocol !== "https:" && safe.protocol !== "http:") return url;
  return h("a", { href: safe.href, target: "_blank", rel: "noopener noreferrer nofollow", title: safe.href }, children);
}

const mention = (text) => h("span", { class: "mention", text });

function channelMention(id, context) {
  const name = context.channels?.(id);
  if (!name) return mention("#unknown");
  return h("button", { type: "button", class: "mention", data: { channel: id }, text: `# ${name}` });
}

function spoiler(children) {
  return h("span", { class: "spoiler", role: "button", tabindex: "0", "aria-expanded": "false", "aria-label": "Spoiler: press to show", data: { spoiler: "" } }, h("span", {}, children));
}

const FORMATS = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
};
const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** Return a relative time such as "in 5 minutes", rounded as Discord does. */
export function relative(seconds, now = Date.now()) {
  const left = Math.round(seconds - now / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(left) >= length) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.trunc(left / size), unit);
}

function timestamp(seconds, style, source) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return source;
  const full = new Intl.DateTimeFormat(undefined, FORMATS.F).format(date);
  const text = style === "R" ? relative(seconds) : new Intl.DateTimeFormat(undefined, FORMATS[style]).format(date);
  return h("time", { class: "stamp", datetime: date.toISOString(), title: full, data: style === "R" ? { relative: String(seconds) } : {}, text });
}

/** Update the countdowns of a document; call it about once a second. */
export function tick(root = document) {
  for (const element of root.querySelectorAll("time[data-relative]")) {
    const text = relative(Number(element.dataset.relative));
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Convert inline Markdown to nodes and strings. */
export function inline(text, context = {}) {
  const depth = (context.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) return [text];
  const inner = { ...context, depth };
  const out = [];
  let plain = "";
  const flush = () => {
    if (plain) out.push(plain);
    plain = "";
  };
  let position = 0;
  scan: while (position < text.length) {
    SPECIAL.lastIndex = position;
    const next = SPECIAL.exec(text);
    if (!next) break;
    plain += text.slice(position, next.index);
    position = next.index;
    if (text[position] === "\n") {
      flush();
      out.push(h("br"));
      position += 1;
      continue;
    }
    for (const [pattern, make, notAfter] of INLINE) {
      if (notAfter && notAfter.test(text.slice(Math.max(0, position - 2), position))) continue;
      pattern.lastIndex = position;
      const match = pattern.exec(text);
      if (!match) continue;
      const made = make(match, inner);
      position += match[0].length;
      if (typeof made === "string") plain += made;
      else {
        flush();
        out.push(made);
      }
      continue scan;
    }
    plain += text[position];
    position += 1;
  }
  plain += text.slice(position);
  flush();
  return out;
}

const FENCE = /```(?:([\w+.#-]{1,32})?\n)?([\s\S]*?)```/g;
const HEADING = /^(#{1,3})[ \t]+(\S.*)$/;
const DEEP_HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const SMALL = /^-#[ \t]+(\S.*)$/;
const QUOTE = /^>(?: (.*))?$/;
const ITEM = /^([ \t]*)([-*]|\d{1,9}\.)[ \t]+(\S.*)$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$/;
const TABLE_RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/**
 * Convert Markdown to nodes. `context`: `names(userId)`, `channels(channelId)`, `everyone` (show
 * @everyone as a ping), `document` (a file, which may have deeper headings, rules and tables).
 */
export function markdown(text, context = {}) {
  const out = [];
  let end = 0;
  for (const fence of text.matchAll(FENCE)) {
    if (!fence[2].trim()) continue;
    out.push(...blocks(text.slice(end, fence.index).replace(/\n$/, ""), context));
    out.push(h("pre", { tabindex: "0" }, h("code", { data: { lang: fence[1] ?? "" }, text: fence[2].replace(/\n$/, "") })));
    end = fence.index + fence[0].length;
    if (text[end] === "\n") end += 1;
  }
  out.push(...blocks(text.slice(end), context));
  return out;
}

function blocks(text, context) {
  const out = [];
  const lines = text.split("\n");
  let paragraph = [];
  const flush = () => {
    const body = context.document ? paragraph.join("\n").trim() : paragraph.join("\n");
    if (body) out.push(h("p", { dir: "auto" }, inline(body, context)));
    paragraph = [];
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    const heading = (context.document ? DEEP_HEADING : HEADING).exec(line);
    const small = SMALL.exec(line);
    if (heading) {
      flush();
      out.push(h("div", { class: `heading h${heading[1].length}`, role: "heading", "aria-level": heading[1].length + 2, dir: "auto" }, inline(heading[2], context)));
    } else if (small) {
      flush();
      out.push(h("p", { class: "small", dir: "auto" }, inline(small[1], context)));
    } else if (line.startsWith(">>> ") || (QUOTE.test(line) && (context.depth ?? 0) < MAX_DEPTH)) {
      flush();
      const whole = line.startsWith(">>> ");
      const quoted = whole ? [line.slice(4), ...lines.slice(index + 1)] : [];
      if (whole) index = lines.length;
      else {
        for (; index < lines.length && QUOTE.test(lines[index]); index += 1) quoted.push(QUOTE.exec(lines[index])[1] ?? "");
        index -= 1;
      }
      out.push(h("blockquote", { dir: "auto" }, blocks(quoted.join("\n"), { ...context, depth: (context.depth ?? 0) + 1 })));
    } else if (context.document && RULE.test(line)) {
      flush();
      out.push(h("hr"));
    } else if (context.document && line.includes("|") && TABLE_RULE.test(lines[index + 1] ?? "") && lines[index + 1].includes("-")) {
      flush();
      const rows = [];
      for (; index < lines.length && lines[index].includes("|"); index += 1) rows.push(cells(lines[index]));
      index -= 1;
      out.push(table(rows, context));
    } else if (ITEM.test(line)) {
      flush();
      const items = [];
      for (; index < lines.length; index += 1) {
        const item = ITEM.exec(lines[index]);
        if (item) items.push({ indent: item[1].replace(/\t/g, "  ").length, marker: item[2], text: item[3] });
        else if (/^[ \t]+\S/.test(lines[index])) items.at(-1).text += `\n${lines[index].trim()}`;
        else break;
      }
      index -= 1;
      out.push(...lists(items, context));
    } else if (context.document && !line.trim()) flush();
    else paragraph.push(line);
  }
  flush();
  return out;
}

function lists(items, context, depth = 0) {
  const out = [];
  for (let index = 0; index < items.length; ) {
    const { indent, marker } = items[index];
    const numbered = marker.endsWith(".");
    const list = numbered ? h("ol", { start: Number.parseInt(marker, 10), dir: "auto" }) : h("ul", { dir: "auto" });
    while (index < items.length && items[index].indent <= indent + 1 && items[index].marker.endsWith(".") === numbered) {
      const element = h("li", {}, inline(items[index].text, context));
      index += 1;
      const from = index;
      while (index < items.length && items[index].indent > indent + 1) index += 1;
      if (index > from && depth < MAX_DEPTH) element.append(...lists(items.slice(from, index), context, depth + 1));
      list.append(element);
    }
    out.push(list);
  }
  return out;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(rows, context) {
  const [head, , ...body] = rows;
  const row = (tag, list) => h("tr", {}, list.map((cell) => h(tag, {}, inline(cell, context))));
  return h("div", { class: "table" }, h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, body.map((list) => row("td", list)))));
}
