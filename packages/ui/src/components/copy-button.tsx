import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

type Props = { readonly text: () => string; readonly label: string; readonly className?: string };

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label, className = "" }: Props) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      label={isCopied ? "Copied" : label}
      className={className}
      onClick={async (event) => {
        event.stopPropagation();
        await copyText(text());
        setCopied(true);
      }}
    >
      {isCopied ? <Check className="text-good" /> : <Copy />}
    </IconButton>
  );
}

/** Also on pages served without TLS, where browsers hide the clipboard. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
