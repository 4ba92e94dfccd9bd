import type { ButtonHTMLAttributes, Ref } from "react";

type Look = "plain" | "primary" | "danger" | "ghost";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly look?: Look;
  readonly isSmall?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
};

const looks: Record<Look, string> = {
  plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
  primary: "border border-transparent bg-accent text-on-accent hover:brightness-110",
  danger: "border border-transparent bg-bad text-white dark:text-sunken hover:brightness-110",
  ghost: "border border-transparent text-soft hover:bg-hover hover:text-ink",
};

/** The one button. Icons in it get their size from it. */
export function Button({ look = "plain", isSmall = false, className = "", type = "button", ...rest }: Props) {
  const size = isSmall ? "h-6 px-2 text-xs" : "h-8 px-3 text-sm";
  return (
    <button
      type={type}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 [&_svg]:size-4 ${size} ${looks[look]} ${className}`}
      {...rest}
    />
  );
}

/** A button that is only an icon: its label is for those who cannot see it, and for the tooltip. */
export function IconButton({ label, className = "", ...rest }: Omit<Props, "look"> & { readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink disabled:opacity-40 [&_svg]:size-4 ${className}`}
      {...rest}
    />
  );
}
