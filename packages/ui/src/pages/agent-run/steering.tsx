import { useMutation } from "@tanstack/react-query";
import { MessageCirclePlus, OctagonPause } from "lucide-react";
import { useState } from "react";
import { type ApiRequest, call, path } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { TextInput } from "../../components/field.tsx";
import { showToast } from "../../components/toasts.tsx";

/** Telling an agent something while it works, and letting it end after its turn. */
export function Steering({ id }: { readonly id: string }) {
  const [message, setMessage] = useState("");
  const tell = useMutation({
    mutationFn: (request: ApiRequest) => call(request),
    onError: (error) => showToast("bad", error.message),
  });
  return (
    <form
      className="flex shrink-0 items-center gap-2 border-t border-line bg-surface px-5 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        tell.mutate(
          { method: "POST", path: path`/agent/${id}/signal`, body: { message } },
          {
            onSuccess: () => {
              setMessage("");
              showToast("good", "It hears this from its next turn on");
            },
          },
        );
      }}
    >
      <TextInput
        aria-label="Tell the agent something"
        placeholder="Tell the agent something, from its next turn on"
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <Button type="submit" disabled={message.trim() === "" || tell.isPending}>
        <MessageCirclePlus /> Tell it
      </Button>
      <Button
        disabled={tell.isPending}
        onClick={() =>
          tell.mutate(
            { method: "POST", path: path`/agent/${id}/stop` },
            { onSuccess: () => showToast("good", "It ends after the turn it is in") },
          )
        }
      >
        <OctagonPause /> Stop after this turn
      </Button>
    </form>
  );
}
