import { X } from "lucide-react";
import { useState } from "react";
import type { EntrySubject } from "../../actions/action.ts";
import { ActionDialog } from "../../actions/action-dialog.tsx";
import { skip } from "../../actions/task/skip.ts";
import type { TaskEntry } from "../../api/types.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { JsonView } from "../../components/json-view.tsx";

type Props = {
  readonly subject: EntrySubject;
  readonly entry: TaskEntry;
  readonly onClose: () => void;
  readonly onChanged: () => void;
};

/** A task that was not reached: what the definition says of it, and a way around it. */
export function EntryPanel({ subject, entry, onClose, onChanged }: Props) {
  const [isSkipping, setSkipping] = useState(false);
  const obstacle = skip.obstacle(subject);
  return (
    <aside
      aria-label={`Task ${entry.taskReferenceName}`}
      className="flex w-[30rem] max-w-[50vw] shrink-0 flex-col border-l border-line bg-surface"
    >
      <header className="flex items-center gap-2 border-b border-line px-3 py-2">
        <div className="min-w-0">
          <h2 className="truncate text-sm font-semibold">{entry.taskReferenceName}</h2>
          <p className="text-xs text-faint">
            <span className="mono">{entry.type}</span>, not reached
          </p>
        </div>
        <IconButton label="Close the task" className="ml-auto" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        <Button isSmall disabled={obstacle !== undefined} onClick={() => setSkipping(true)}>
          <skip.icon /> {skip.label}
        </Button>
        {obstacle !== undefined && <span className="text-xs text-faint">{obstacle}</span>}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        <JsonView value={entry as never} label="entry of the definition" />
      </div>
      {isSkipping && (
        <ActionDialog action={skip} subject={subject} onClose={() => setSkipping(false)} onDone={onChanged} />
      )}
    </aside>
  );
}
