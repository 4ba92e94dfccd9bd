import { PowerOff } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { EmptyState } from "./empty-state.tsx";

type Props = {
  /** "Agents are", "File storage is". */
  readonly what: string;
  readonly setting: string;
  readonly children?: ReactNode;
};

/** A part of the server that its operator has to switch on. */
export function SwitchedOff({ what, setting, children }: Props) {
  const variable = setting.toUpperCase().replaceAll(/[.-]/g, "_");
  return (
    <EmptyState
      icon={<PowerOff />}
      title={`${what} switched off in this server`}
      command={`# as an argument\nnpm start -- --${setting}=true\n# or in the environment\n${variable}=true npm start`}
    >
      {children}
      <p className="mt-1">Start it with this setting:</p>
    </EmptyState>
  );
}

/** The server has no such path: whatever it belongs to is off. */
export const isSwitchedOff = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;
