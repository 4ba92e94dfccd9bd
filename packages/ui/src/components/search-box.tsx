import { Search } from "lucide-react";

type Props = { readonly label: string; readonly value: string; readonly onChange: (text: string) => void };

/** The page's search box: `/` goes to it. */
export function SearchBox({ label, value, onChange }: Props) {
  return (
    <label className="relative block w-80">
      <span className="sr-only">{label}</span>
      <Search className="absolute top-2 left-2.5 size-4 text-faint" />
      <input
        data-search-box
        type="search"
        value={value}
        placeholder={label}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-8 text-sm text-ink placeholder:text-faint"
      />
    </label>
  );
}
