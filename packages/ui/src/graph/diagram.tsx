import { useCallback, useMemo, useState } from "react";
import type { TaskEntry } from "../api/types.ts";
import { Flow } from "./flow.tsx";
import { type DiagramNode, type DiagramView, layOut } from "./layout.ts";
import type { Progress } from "./progress.ts";

type Props = {
  readonly entries: readonly TaskEntry[];
  readonly progress: Progress;
  /** The path to the end was taken. */
  readonly isEnded: boolean;
  readonly isOpen: (node: DiagramNode) => boolean;
  readonly onOpen: (node: DiagramNode) => void;
};

/** A definition, with what an execution made of it. What the reader folds and turns to stays while statuses change. */
export function Diagram({ entries, progress, isEnded, isOpen, onOpen }: Props) {
  const [view, setView] = useState<DiagramView>({ collapsed: new Map(), pages: new Map() });
  const onCollapse = useCallback(
    (key: string, isCollapsed: boolean) =>
      setView((before) => ({ ...before, collapsed: new Map(before.collapsed).set(key, isCollapsed) })),
    [],
  );
  const onPage = useCallback(
    (key: string, page: number) => setView((before) => ({ ...before, pages: new Map(before.pages).set(key, page) })),
    [],
  );
  const diagram = useMemo(() => layOut(entries, progress, view, isEnded), [entries, progress, view, isEnded]);
  return <Flow diagram={diagram} isOpen={isOpen} onOpen={onOpen} onCollapse={onCollapse} onPage={onPage} />;
}
