/** The shape of what is about to come: no jump when it does. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-4">
      {Array.from({ length: rows }, (_, i) => i).map((i) => (
        <div key={i} className="breathing h-4 rounded bg-quiet-soft" style={{ width: `${95 - ((i * 17) % 50)}%` }} />
      ))}
    </div>
  );
}
