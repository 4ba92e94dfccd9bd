import type { ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";

type Props = {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  /** A command that makes it less empty. */
  readonly command?: string | undefined;
};

/** Nothing here: why, and what to do about it. */
export function EmptyState({ icon, title, children, command }: Props) {
  return (
    <div className="mx-auto flex max-w-2xl flex-col items-center px-6 py-10 text-center">
      {icon && <div className="mb-3 text-faint [&_svg]:size-8 [&_svg]:stroke-[1.5]">{icon}</div>}
      <p className="text-base font-semibold">{title}</p>
      {children && <div className="mt-1 text-sm text-soft">{children}</div>}
      {command !== undefined && (
        <div className="mt-4 w-full text-left">
          <CodeBlock text={command} />
        </div>
      )}
    </div>
  );
}
