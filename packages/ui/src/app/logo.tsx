/** The mark. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M9 7v18M9 16h6a4.5 4.5 0 0 1 4.5 4.5V23"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <circle cx="22" cy="10" r="3" fill="#c7d2fe" />
    </svg>
  );
}
