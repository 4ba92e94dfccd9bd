import { CircleCheck, TriangleAlert, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { IconButton } from "./button.tsx";

type Toast = { readonly id: number; readonly tone: "good" | "bad"; readonly text: string };

const SHOWN_MS = 6000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let lastId = 0;

/** Tells what came of something, in a corner, for a moment; what failed stays until it is closed. */
export function showToast(tone: Toast["tone"], text: string): void {
  lastId += 1;
  const id = lastId;
  set([...toasts.slice(-3), { id, tone, text }]);
  if (tone === "good") setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), SHOWN_MS);
}

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear: once per app. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div aria-live="polite" className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[90vw] flex-col gap-2">
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          role={tone === "bad" ? "alert" : "status"}
          className="flex items-start gap-2 rounded-lg border border-line bg-raised p-3 text-sm shadow-pop"
        >
          {tone === "good" ? (
            <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" />
          ) : (
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-bad" />
          )}
          <p className="min-w-0 flex-1 break-words">{text}</p>
          <IconButton
            label="Dismiss"
            className="!size-5"
            onClick={() => set(toasts.filter((toast) => toast.id !== id))}
          >
            <X />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
