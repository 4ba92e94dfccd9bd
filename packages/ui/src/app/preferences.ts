import { useSyncExternalStore } from "react";

/** What a person chose, kept in this browser. */
export type Preferences = {
  readonly theme: "system" | "light" | "dark";
  /** IANA name; "local" for the browser's own. */
  readonly timeZone: string;
  readonly isSidebarNarrow: boolean;
};

const KEY = "downbeat.preferences";
const defaults: Preferences = { theme: "system", timeZone: "local", isSidebarNarrow: false };
const listeners = new Set<() => void>();
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

let current = read();

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

/** Keeps the page in the chosen theme, also when the system's changes or another tab chooses. */
export function watchPreferences(): void {
  applyTheme();
  systemIsDark.addEventListener("change", () => {
    applyTheme();
    for (const listener of listeners) listener();
  });
  window.addEventListener("storage", ({ key }) => {
    if (key !== KEY) return;
    current = read();
    applyTheme();
    for (const listener of listeners) listener();
  });
}

export const isDark = (): boolean => current.theme === "dark" || (current.theme === "system" && systemIsDark.matches);

/** True while the page is dark: for what is drawn on a canvas. */
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, isDark);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function applyTheme(): void {
  document.documentElement.classList.toggle("dark", isDark());
}

function read(): Preferences {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>) };
  } catch {
    // Preferences that cannot be read are as good as none.
    return defaults;
  }
}
