import { TriangleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";

type Props = { readonly children: ReactNode; readonly resetKey?: string | undefined };
type State = { readonly error: Error | undefined; readonly resetKey: string | undefined };

/** Keeps a failure in one panel from taking the page with it. A new `resetKey` tries again. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.resetKey ? null : { error: undefined, resetKey: props.resetKey };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Problem error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}

/** What went wrong, in the server's words, and a way on. */
export function Problem({ error, onRetry }: { readonly error: Error; readonly onRetry?: (() => void) | undefined }) {
  return (
    <div role="alert" className="flex items-start gap-3 p-4 text-sm">
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{titleOf(error)}</p>
        <p className="mt-0.5 break-words text-soft">{error.message}</p>
        {onRetry && (
          <Button isSmall className="mt-2" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return "This part of the page failed";
  if (error.status === 0) return "No answer";
  if (error.status === 404) return "Not found";
  return error.status < 500 ? "The server refused" : "The server failed";
}
