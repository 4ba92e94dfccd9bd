import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { navigation } from "./navigation.ts";

const SEQUENCE_MS = 1200;

/** Ctrl-K opens the palette, `g` and a letter goes to a page, `/` goes to the page's search box. */
export function useShortcuts(openPalette: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "g") {
        goUntil = event.timeStamp + SEQUENCE_MS;
        return;
      }
      if (event.key === "/") {
        const box = document.querySelector<HTMLElement>("[data-search-box]");
        if (box === null) return;
        event.preventDefault();
        box.focus();
        return;
      }
      const page = event.timeStamp < goUntil ? navigation.find(({ key }) => key === event.key) : undefined;
      goUntil = 0;
      if (page !== undefined) void navigate({ to: page.to });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, openPalette]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
