// Creating and updating elements. Text from outside only becomes text nodes or attribute values:
// nothing on the page parses a string as HTML.

/** Create an element. `props`: `class`, `text`, `data` (an object), `on*` handlers, or attributes. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") element.className = value;
    else if (key === "text") element.textContent = value;
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/**
 * Make `parent` hold exactly `nodes`, keeping children that already look the same. A child with the
 * same `data-key` is changed in place, so that the focus and pending clicks survive. It keeps the
 * handlers of the first node with that key, so handlers may depend on the key only.
 */
export function patch(parent, nodes) {
  const list = nodes.filter((node) => node !== null && node !== undefined && node !== false);
  for (let index = 0; index < list.length; index += 1) {
    const old = parent.childNodes[index];
    if (!old) parent.append(list[index]);
    else if (old !== list[index] && !old.isEqualNode(list[index])) {
      if (old.dataset?.key !== undefined && old.dataset.key === list[index].dataset?.key) {
        for (const { name } of [...old.attributes]) if (!list[index].hasAttribute(name)) old.removeAttribute(name);
        for (const { name, value } of list[index].attributes) old.setAttribute(name, value);
        patch(old, [...list[index].childNodes]);
        continue;
      }
      const focused = old.contains(document.activeElement);
      old.replaceWith(list[index]);
      if (focused) (list[index].matches?.("button, a") ? list[index] : list[index].querySelector?.("button, a"))?.focus();
    }
  }
  while (parent.childNodes.length > list.length) parent.lastChild.remove();
}

/** Put children in order, moving as few as possible. */
export function arrange(parent, elements) {
  const wanted = new Set(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const element of elements) {
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}

const AVATARS = ["#4f56d3", "#0f7b6c", "#b3412e", "#8a4fbf", "#1f6fb2", "#9a5b00", "#b02a72", "#3d7a1f"];

/** Make a round picture with the name's first letter, or the bot's picture. */
export function avatar(person) {
  if (person.bot) return h("img", { class: "avatar", src: "/static/icon.svg", alt: "" });
  const number = [...person.name].reduce((sum, letter) => sum * 31 + letter.codePointAt(0), 7);
  const element = h("span", { class: "avatar", "aria-hidden": "true", text: [...person.name][0] ?? "?" });
  element.style.backgroundColor = AVATARS[Math.abs(number) % AVATARS.length];
  return element;
}

export const compareIds = (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

export function bytes(size) {
  if (size < 1024) return `${size} bytes`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}
