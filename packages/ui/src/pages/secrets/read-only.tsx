import { ApiError } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";

/** The store of this server only reads. */
export const isReadOnly = (error: Error | null): error is ApiError => error instanceof ApiError && error.status === 501;

/** Why nothing was stored, and what would change that. */
export function ReadOnlyStore({ error }: { readonly error: ApiError }) {
  return (
    <div role="alert" className="flex flex-col gap-2 text-sm">
      <p className="font-semibold">Secrets of this server can only be read</p>
      <p className="text-soft">{error.message}</p>
      <p className="text-soft">
        Set <span className="mono">SERVICE_SECRET_NAME</span> in its environment, or let it keep secrets, encrypted, in
        its database:
      </p>
      <CodeBlock
        text={
          "SERVICE_SECRETS_TYPE=database\nSERVICE_SECRETS_KEY=$(openssl rand -base64 32)   # keep it: without it the secrets are lost"
        }
      />
    </div>
  );
}
