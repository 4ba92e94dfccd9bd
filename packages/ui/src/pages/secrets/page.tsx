import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { KeyRound, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { useFreshOnMetadata } from "../../api/metadata-changes.ts";
import { deleteSecret, type SecretInfo, secretsKey, useSecrets } from "../../api/secrets.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { LiveMark } from "../../components/live-mark.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Ago } from "../../components/time.tsx";
import { showToast } from "../../components/toasts.tsx";
import { type GridColumn, VirtualGrid } from "../../components/virtual-grid.tsx";
import { hasWords } from "../../lib/find-text.ts";
import { formatCount } from "../../lib/format.ts";
import { isReadOnly, ReadOnlyStore } from "./read-only.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

const route = getRouteApi("/secrets");

/** What workflows and agents may use without seeing it: names, never values. */
export function SecretsPage() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/secrets" });
  const { data, error, refetch } = useSecrets();
  const live = useFreshOnMetadata("secret", secretsKey);
  const [chosen, setChosen] = useState<{ readonly name: string }>();
  const [leaving, setLeaving] = useState<string>();
  const shown = useMemo(() => data?.filter(({ name }) => hasWords(text, [name])), [data, text]);
  const grid = useMemo(() => [...columns, actionsColumn((name) => setChosen({ name }), setLeaving)], []);
  return (
    <>
      <PageHeader
        title="Secrets"
        note={shown && formatCount(shown.length)}
        actions={
          <>
            <LiveMark state={live} />
            <CopyAs request={{ method: "GET", path: "/secrets" }} />
            <Button look="primary" onClick={() => setChosen({ name: "" })}>
              <Plus /> New secret
            </Button>
          </>
        }
      />
      {error !== null && data === undefined ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : shown === undefined ? (
        <Skeleton />
      ) : data?.length === 0 ? (
        <EmptyState icon={<KeyRound />} title="No secrets yet">
          <p>
            Definitions name secrets as <span className="mono">{"${workflow.secrets.NAME}"}</span>, agents in the
            credentials of their tools. The server fills the value in when it makes the call: it is in no definition, no
            execution and no log.
          </p>
        </EmptyState>
      ) : (
        <div className="flex min-h-0 flex-1 flex-col bg-surface">
          <div className="border-b border-line px-3 py-2">
            <SearchBox
              label="Find a secret"
              value={text}
              onChange={(typed) => void navigate({ search: typed === "" ? {} : { text: typed }, replace: true })}
            />
          </div>
          {shown.length === 0 ? (
            <EmptyState title="No secret has this name" />
          ) : (
            <VirtualGrid label="Secrets" columns={grid} rows={shown} keyOf={({ name }) => name} />
          )}
        </div>
      )}
      {chosen !== undefined && <SecretDialog name={chosen.name} onClose={() => setChosen(undefined)} />}
      {leaving !== undefined && <RemoveSecret name={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

const columns: readonly GridColumn<SecretInfo>[] = [
  {
    name: "name",
    label: "Name",
    width: "minmax(14rem, 2fr)",
    show: ({ name }) => <span className="mono truncate font-medium">{name}</span>,
  },
  {
    name: "use",
    label: "In a definition",
    width: "minmax(16rem, 2fr)",
    show: ({ name }) => (
      <span className="flex min-w-0 items-center gap-0.5">
        <span className="mono truncate text-soft">{mentionOf(name)}</span>
        <CopyButton
          text={() => mentionOf(name)}
          label={`Copy the use of ${name}`}
          className="!size-5 [&_svg]:!size-3"
        />
      </span>
    ),
  },
  {
    name: "from",
    label: "Kept in",
    width: "10rem",
    show: ({ created_at: createdAt }) => (createdAt === undefined ? "the environment" : "the database"),
  },
  {
    name: "changed",
    label: "Changed",
    width: "8rem",
    show: ({ updated_at: updatedAt, created_at: createdAt }) => <Ago at={updatedAt ?? createdAt ?? 0} />,
  },
];

const mentionOf = (name: string): string => `\${workflow.secrets.${name}}`;

const actionsColumn = (
  onReplace: (name: string) => void,
  onRemove: (name: string) => void,
): GridColumn<SecretInfo> => ({
  name: "actions",
  label: <span className="sr-only">Actions</span>,
  width: "9rem",
  show: ({ name, created_at: createdAt }) => (
    <span className="flex items-center gap-1">
      <Button isSmall aria-label={`Replace ${name}`} onClick={() => onReplace(name)}>
        <RefreshCw /> Replace
      </Button>
      {createdAt !== undefined && (
        <IconButton label={`Delete ${name}`} onClick={() => onRemove(name)}>
          <Trash2 />
        </IconButton>
      )}
    </span>
  ),
});

function RemoveSecret({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const request = deleteSecret(name);
  const remove = useMutation({
    mutationFn: () => call(request),
    onSuccess: async () => {
      showToast("good", `Deleted ${name}`);
      await queryClient.invalidateQueries({ queryKey: secretsKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}`}
      label="Delete"
      lines={["Its value is gone for good.", "Whatever names it gets none, or the environment's of that name."]}
      request={request}
      error={isReadOnly(remove.error) ? null : remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {isReadOnly(remove.error) && <ReadOnlyStore error={remove.error} />}
    </ConfirmDialog>
  );
}
