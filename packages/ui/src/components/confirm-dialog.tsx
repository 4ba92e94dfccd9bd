import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { ApiRequest } from "../api/client.ts";
import { Button } from "./button.tsx";
import { CopyAs } from "./copy-as.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./error-boundary.tsx";

type Props = {
  readonly title: string;
  /** On the button that does it. */
  readonly label: string;
  /** What will happen, a sentence each. */
  readonly lines: readonly string[];
  readonly request: ApiRequest;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** Says what will happen, and asks. */
export function ConfirmDialog(props: Props) {
  const { title, label, lines, request, error, isBusy, isDanger = true, onConfirm, onClose, children } = props;
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <ul className="flex flex-col gap-1 text-sm text-soft">
          {lines.map((line) => (
            <li key={line} className="flex gap-1.5">
              <ChevronRight className="mt-0.5 size-3.5 shrink-0 text-faint" /> {line}
            </li>
          ))}
        </ul>
        {children}
        {error !== null && <Problem error={error} />}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">
            <CopyAs request={request} />
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDanger ? "danger" : "primary"} disabled={isBusy}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
