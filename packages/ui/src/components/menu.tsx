import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

type Props = { readonly trigger: ReactNode; readonly children: ReactNode; readonly align?: "start" | "end" };

/** A menu that opens from a button. */
export function Menu({ trigger, children, align = "end" }: Props) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          className="z-50 max-h-[70vh] min-w-48 overflow-auto rounded-lg border border-line bg-raised p-1 shadow-pop"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const row =
  "flex h-8 cursor-pointer items-center gap-2 rounded px-2 text-sm outline-none select-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&_svg]:size-4";

type ItemProps = {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  readonly isDisabled?: boolean;
  readonly isDanger?: boolean;
};

export function MenuItem({ onSelect, children, isDisabled = false, isDanger = false }: ItemProps) {
  return (
    <Radix.Item
      disabled={isDisabled}
      onSelect={onSelect}
      className={`${row} ${isDanger ? "text-bad" : "text-ink [&_svg]:text-soft"}`}
    >
      {children}
    </Radix.Item>
  );
}

type CheckProps = {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ReactNode;
};

/** Stays open: several can be chosen in a row. */
export function MenuCheck({ isChecked, onChange, children }: CheckProps) {
  return (
    <Radix.CheckboxItem
      checked={isChecked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      className={row}
    >
      <span className="flex size-4 items-center justify-center">
        {isChecked && <Check className="text-accent-ink" />}
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-2 pb-1 text-2xs font-semibold text-faint">{children}</Radix.Label>;
}

export const MenuSeparator = () => <Radix.Separator className="my-1 h-px bg-line" />;
