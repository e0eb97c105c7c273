// Chooses the language of a bot's localized names and descriptions: Discord's locale for the browser.

const LOCALES = ["id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko"];

function choose() {
  for (const wanted of navigator.languages ?? [navigator.language]) {
    const exact = LOCALES.find((locale) => locale.toLowerCase() === wanted.toLowerCase());
    const near = LOCALES.find((locale) => locale.split("-")[0] === wanted.split("-")[0].toLowerCase() && locale !== "en-GB");
    if (exact ?? near) return exact ?? near;
  }
  return "en-US";
}

export const locale = choose();

/** Return the text of a command, option or choice in that locale, or else as the bot declared it. */
export const localized = (item, key) => item[`${key}_localizations`]?.[locale] ?? item[key] ?? "";
