import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { putSecret, secretsKey } from "../../api/secrets.ts";
import { Button } from "../../components/button.tsx";
import { CopyAs } from "../../components/copy-as.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Problem } from "../../components/error-boundary.tsx";
import { Field, TextArea, TextInput } from "../../components/field.tsx";
import { showToast } from "../../components/toasts.tsx";
import { isReadOnly, ReadOnlyStore } from "./read-only.tsx";

type Props = {
  /** Empty for a new one. */
  readonly name: string;
  readonly onClose: () => void;
};

const NAME = /^[a-zA-Z0-9_-]+$/;

/**
 * Stores a secret. The value lives in the field it is typed into and nowhere else: not in the page's state, not in the
 * request that can be copied, and not in the record of what was sent.
 */
export function SecretDialog({ name, onClose }: Props) {
  const [typedName, setTypedName] = useState(name);
  const [isEmpty, setEmpty] = useState(true);
  const field = useRef<HTMLTextAreaElement>(null);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      await call(putSecret(typedName, field.current?.value ?? ""));
      if (field.current !== null) field.current.value = "";
    },
    onSuccess: async () => {
      showToast("good", `Saved ${typedName}`);
      await queryClient.invalidateQueries({ queryKey: secretsKey });
      onClose();
    },
  });
  const isNamed = NAME.test(typedName);
  return (
    <Dialog isOpen onClose={onClose} title={name === "" ? "New secret" : `Replace ${name}`}>
      <form
        autoComplete="off"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {name === "" && (
          <Field label="Name" hint="Letters, digits, _ and -">
            <TextInput
              className="mono"
              spellCheck={false}
              value={typedName}
              onChange={(event) => setTypedName(event.target.value)}
            />
          </Field>
        )}
        {typedName !== "" && !isNamed && (
          <p className="text-sm text-bad">Expected the name to have letters, digits, _ and - only</p>
        )}
        <Field label="Value" hint="It is not shown again, here or anywhere">
          <TextArea
            ref={field}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            className="[-webkit-text-security:disc]"
            onChange={(event) => setEmpty(event.target.value === "")}
          />
        </Field>
        {isReadOnly(save.error) ? (
          <ReadOnlyStore error={save.error} />
        ) : (
          save.error !== null && <Problem error={save.error} />
        )}
        <div className="flex items-center justify-end gap-2">
          <span className="mr-auto">{isNamed && <CopyAs request={putSecret(typedName, "the value")} />}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isNamed || isEmpty || save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
