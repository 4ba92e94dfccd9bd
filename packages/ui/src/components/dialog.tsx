import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";

type Props = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly isWide?: boolean;
};

/** Something to be answered before going on. */
export function Dialog({ isOpen, onClose, title, description, children, isWide = false }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Radix.Content
          aria-describedby={undefined}
          className={`fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[92vw] -translate-x-1/2 flex-col rounded-xl border border-line bg-raised shadow-pop ${isWide ? "max-w-3xl" : "max-w-lg"}`}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-2">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description && <div className="mt-0.5 text-sm text-soft">{description}</div>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 overflow-auto px-5 pb-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
