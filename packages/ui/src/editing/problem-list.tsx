import { CircleAlert, CircleCheck } from "lucide-react";
import type { FoundProblem } from "./schema-editor.tsx";

type Props = {
  readonly problems: readonly FoundProblem[];
  readonly onShow: (problem: FoundProblem) => void;
};

/** What is wrong with the text above; each leads to its line. */
export function ProblemList({ problems, onShow }: Props) {
  return (
    <section aria-label="Problems" aria-live="polite" className="max-h-40 shrink-0 overflow-auto border-t border-line">
      {problems.length === 0 ? (
        <p className="flex items-center gap-1.5 px-3 py-1.5 text-xs text-soft">
          <CircleCheck className="size-3.5 text-good" /> No problems
        </p>
      ) : (
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.from} ${problem.message}`}>
              <button
                type="button"
                onClick={() => onShow(problem)}
                className="flex w-full items-start gap-1.5 px-3 py-1 text-left text-xs hover:bg-hover focus-visible:outline-offset-[-2px]"
              >
                <CircleAlert className="mt-px size-3.5 shrink-0 text-bad" />
                <span className="shrink-0 text-faint tabular-nums">Line {problem.line}</span>
                <span className="min-w-0 break-words">{problem.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
